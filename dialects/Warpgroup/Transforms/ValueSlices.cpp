//===- ValueSlices.cpp - Parts of values along a dimension ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/ValueSlices.h"

#include "dialects/Support/TensorParts.h"
#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "dialects/Warpgroup/Transforms/DataWindows.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

static bool canSliceLoad(grid::LoadOp load) {
  auto kernel = load->getParentOfType<grid::KernelOp>();
  auto ref = dyn_cast<BlockArgument>(getWindowedRef(load.getRef()));
  return !load.getMask() && ref && load->getBlock() == kernel.getBodyBlock() &&
         llvm::is_contained(kernel.getInputRefs(), ref) &&
         kernel.getAliasPairs().empty() &&
         kernel.getAffineIndexMap(ref.getArgNumber());
}

bool gridir::warpgroup::canSlice(Value value, int64_t dim) {
  llvm::DenseSet<std::pair<Value, int64_t>> seen;
  SmallVector<std::pair<Value, int64_t>> next{{value, dim}};
  while (!next.empty()) {
    auto [current, along] = next.pop_back_val();
    Operation *op = current.getDefiningOp();
    if (!op)
      return false;
    if (!seen.insert({current, along}).second)
      continue;
    if (auto load = dyn_cast<grid::LoadOp>(op)) {
      if (!canSliceLoad(load))
        return false;
      continue;
    }
    FailureOr<SmallVector<PartOperand>> operands = getPartOperands(op);
    if (failed(operands))
      return false;
    for (const PartOperand &operand : *operands)
      if (auto found = llvm::find(operand.dims, along);
          found != operand.dims.end())
        next.emplace_back(operand.value, found - operand.dims.begin());
  }
  return true;
}

void ValueSlicer::setPosition(Value newOffset, int64_t newSize) {
  offset = newOffset;
  size = newSize;
}

Value ValueSlicer::create(OpBuilder &builder, Value value, int64_t dim) {
  Operation *op = value.getDefiningOp();
  auto load = dyn_cast<grid::LoadOp>(op);
  std::pair<Value, int64_t> key(load ? load.getRef() : value, dim);
  if (Value known = parts.lookup(key))
    return known;
  Value part =
      load ? createLoad(builder, load, dim) : createOther(builder, op, dim);
  parts[key] = part;
  return part;
}

Value ValueSlicer::createLoad(OpBuilder &builder, grid::LoadOp load,
                              int64_t dim) {
  auto type = cast<MemRefType>(load.getRef().getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.getIndexAttr(0));
  SmallVector<int64_t> sizes(type.getShape());
  offsets[dim] = offset;
  sizes[dim] = size;
  Value ref = createWindow(builder, load.getLoc(), load.getRef(), offsets,
                           sizes, /*dropped=*/{});
  return grid::LoadOp::create(
      builder, load.getLoc(),
      RankedTensorType::get(sizes, type.getElementType()), ref,
      /*mask=*/Value(), /*other=*/Value());
}

Value ValueSlicer::createOther(OpBuilder &builder, Operation *op, int64_t dim) {
  SmallVector<PartOperand> wholes = *getPartOperands(op);
  SmallVector<Value> operands;
  for (const PartOperand &operand : wholes) {
    auto found = llvm::find(operand.dims, dim);
    operands.push_back(
        found == operand.dims.end()
            ? operand.value
            : create(builder, operand.value, found - operand.dims.begin()));
  }
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(op->getResult(0).getType()).getShape());
  shape[dim] = size;
  SmallVector<OpFoldResult> offsets(shape.size(), builder.getIndexAttr(0));
  offsets[dim] = offset;
  return createPart(builder, op, offsets, shape, operands);
}
