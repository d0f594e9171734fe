//===- WindowPositions.cpp - Windows that may be out of bounds ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/WindowPositions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gridir::grid {

int64_t getLastOffset(SliceRefOp slice, unsigned dim) {
  auto source = cast<MemRefType>(slice.getSource().getType());
  return source.getDimSize(dim) - 1 -
         (slice.getSizes()[dim] - 1) * slice.getStrides()[dim];
}

SmallVector<unsigned> getUnprovedDims(SliceRefOp slice, ProgramValues &values) {
  auto source = cast<MemRefType>(slice.getSource().getType());
  SmallVector<unsigned> dims;
  auto offset = slice.getOffsets().begin();
  for (auto [dim, first] : llvm::enumerate(slice.getStaticOffsets())) {
    if (!ShapedType::isDynamic(first))
      continue;
    Value position = *offset++;
    if (!source.isDynamicDim(dim) &&
        !values.getRange(position).isIn(0, getLastOffset(slice, dim)))
      dims.push_back(dim);
  }
  return dims;
}

OpOperand &getOffset(SliceRefOp slice, unsigned dim) {
  unsigned number = llvm::count_if(slice.getStaticOffsets().take_front(dim),
                                   ShapedType::isDynamic);
  return slice.getOffsetsMutable()[number];
}

void limitOffset(SliceRefOp slice, unsigned dim) {
  OpBuilder builder(slice);
  Location loc = slice.getLoc();
  OpOperand &offset = getOffset(slice, dim);
  Type type = offset.get().getType();
  auto getConstant = [&](int64_t number) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, number));
  };
  Value notNegative =
      arith::MaxSIOp::create(builder, loc, offset.get(), getConstant(0));
  offset.set(arith::MinSIOp::create(builder, loc, notNegative,
                                    getConstant(getLastOffset(slice, dim))));
}

} // namespace gridir::grid
