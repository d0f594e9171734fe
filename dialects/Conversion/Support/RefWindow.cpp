//===- RefWindow.cpp - The part of a memory that a Ref names --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/Support/RefWindow.h"

#include "dialects/Support/Builders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace gridir {

OpFoldResult createOffset(OpBuilder &builder, Location loc, OpFoldResult offset,
                          OpFoldResult index, int64_t stride) {
  std::optional<int64_t> first = getConstantIntValue(offset);
  std::optional<int64_t> second = getConstantIntValue(index);
  if (first && second)
    return builder.getI32IntegerAttr(*first + *second * stride);
  if (second && *second * stride == 0)
    return offset;
  Value value = toI32(builder, loc, index);
  if (stride != 1)
    value = arith::MulIOp::create(builder, loc, value,
                                  createI32(builder, loc, stride));
  if (first == 0)
    return value;
  return arith::AddIOp::create(builder, loc, toI32(builder, loc, offset), value)
      .getResult();
}

RefWindow::RefWindow(MLIRContext *context, ArrayRef<int64_t> shape)
    : offsets(shape.size(), Builder(context).getI32IntegerAttr(0)),
      strides(shape.size(), 1),
      dims(llvm::to_vector(llvm::seq<int64_t>(0, shape.size()))), sizes(shape) {
}

bool RefWindow::hasUnitStrides() const {
  return llvm::all_of(strides, [](int64_t stride) { return stride == 1; });
}

SmallVector<int64_t> RefWindow::getMemorySizes() const {
  SmallVector<int64_t> all(offsets.size(), 1);
  for (auto [d, size] : llvm::zip_equal(dims, sizes))
    if (d >= 0)
      all[d] = size;
  return all;
}

void RefWindow::slice(OpBuilder &builder, grid::SliceRefOp op,
                      function_ref<OpFoldResult(Value)> getIndex) {
  SmallVector<int64_t> keptDims, keptSizes;
  ValueRange dynamic = op.getOffsets();
  for (auto [i, d] : llvm::enumerate(dims)) {
    OpFoldResult index = builder.getI32IntegerAttr(op.getStaticOffsets()[i]);
    if (ShapedType::isDynamic(op.getStaticOffsets()[i])) {
      index = getIndex(dynamic.front());
      dynamic = dynamic.drop_front();
    }
    offsets[d] =
        createOffset(builder, op.getLoc(), offsets[d], index, strides[d]);
    strides[d] *= op.getStrides()[i];
    if (llvm::is_contained(op.getDropped(), int64_t(i)))
      continue;
    keptDims.push_back(d);
    keptSizes.push_back(op.getSizes()[i]);
  }
  dims = std::move(keptDims);
  sizes = std::move(keptSizes);
}

void RefWindow::transpose(ArrayRef<int64_t> permutation) {
  dims = applyPermutation(ArrayRef<int64_t>(dims), permutation);
  sizes = applyPermutation(ArrayRef<int64_t>(sizes), permutation);
}

} // namespace gridir
