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
#include "dialects/Warpgroup/Transforms/MatrixUnits.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

static bool canSliceLoad(grid::LoadOp load) {
  auto kernel = load->getParentOfType<grid::KernelOp>();
  auto ref = dyn_cast<BlockArgument>(getWindowedRef(load.getRef()));
  return !load.getMask() && ref &&
         llvm::is_contained(kernel.getInputRefs(), ref) &&
         kernel.getAliasPairs().empty() &&
         kernel.getAffineIndexMap(ref.getArgNumber());
}

/// True if registers hold an operand of a contraction of matrices in its whole
/// depth, or if it is copied to shared memory.
static bool isHeld(OpOperand &operand, int64_t dim) {
  return cast<RankedTensorType>(operand.get().getType()).getDimSize(dim) <=
             kMaxHeldDepth ||
         getPlace(operand) == OperandPlace::Copied;
}

/// Returns the operands from whose parts a part of the result of an op is
/// computed, with the dimension of each; fails if there is no such computation.
/// A part of the rows of a contraction is one of its left operand.
static FailureOr<SmallVector<std::pair<Value, int64_t>>>
getSliced(Operation *op, int64_t dim) {
  SmallVector<std::pair<Value, int64_t>> sliced;
  if (auto dot = dyn_cast<grid::DotOp>(op)) {
    if (!getContracted(dot))
      return failure();
    auto [lhsDim, rhsDim] = *getContracted(dot);
    if (dim == 0)
      sliced.emplace_back(dot.getLhs(), 1 - lhsDim);
    else
      sliced.emplace_back(dot.getRhs(), 1 - rhsDim);
    if (dot.getAcc())
      sliced.emplace_back(dot.getAcc(), dim);
    return sliced;
  }
  FailureOr<SmallVector<PartOperand>> operands = getPartOperands(op);
  if (failed(operands))
    return failure();
  for (const PartOperand &operand : *operands)
    if (auto found = llvm::find(operand.dims, dim); found != operand.dims.end())
      sliced.emplace_back(operand.value, found - operand.dims.begin());
  return sliced;
}

/// The operands of a contraction that a loop over its depth reads in parts.
static SmallVector<std::pair<Value, int64_t>> getDeepOperands(grid::DotOp dot) {
  auto [lhsDim, rhsDim] = *getContracted(dot);
  if (isHeld(dot.getLhsMutable(), lhsDim) &&
      isHeld(dot.getRhsMutable(), rhsDim))
    return {};
  return {{dot.getLhs(), lhsDim}, {dot.getRhs(), rhsDim}};
}

/// Visits the ops that are computed again for a part of a value. Returns false
/// if there is no such computation.
static bool visitSliced(Value value, int64_t dim,
                        function_ref<void(Operation *)> visit) {
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
    FailureOr<SmallVector<std::pair<Value, int64_t>>> sliced =
        getSliced(op, along);
    if (failed(sliced))
      return false;
    visit(op);
    llvm::append_range(next, *sliced);
    if (auto dot = dyn_cast<grid::DotOp>(op))
      llvm::append_range(next, getDeepOperands(dot));
  }
  return true;
}

bool gridir::warpgroup::canSlice(Value value, int64_t dim) {
  return visitSliced(value, dim, [](Operation *) {});
}

SmallVector<grid::DotOp> gridir::warpgroup::getSlicedContractions(Value value,
                                                                  int64_t dim) {
  SmallVector<grid::DotOp> dots;
  (void)visitSliced(value, dim, [&](Operation *op) {
    if (auto dot = dyn_cast<grid::DotOp>(op))
      dots.push_back(dot);
  });
  return dots;
}

void ValueSlicer::setPosition(Value newOffset, int64_t newSize) {
  offset = newOffset;
  size = newSize;
}

Value ValueSlicer::create(OpBuilder &builder, Value value, int64_t dim) {
  Operation *op = value.getDefiningOp();
  auto load = dyn_cast<grid::LoadOp>(op);
  auto dot = dyn_cast<grid::DotOp>(op);
  std::pair<Value, int64_t> key(load ? load.getRef() : value, dim);
  if (Value known = parts.lookup(key))
    return known;
  Value part = load  ? createLoad(builder, load, dim)
               : dot ? createDot(builder, dot, dim)
                     : createOther(builder, op, dim);
  parts[key] = part;
  return part;
}

Value ValueSlicer::createDot(OpBuilder &builder, grid::DotOp dot, int64_t dim) {
  auto parts = llvm::map_to_vector(*getSliced(dot, dim), [&](auto sliced) {
    return create(builder, sliced.first, sliced.second);
  });
  auto type = cast<RankedTensorType>(dot.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  auto part = cast<grid::DotOp>(builder.clone(*dot));
  (dim == 0 ? part.getLhsMutable() : part.getRhsMutable()).assign(parts[0]);
  if (dot.getAcc())
    part.getAccMutable().assign(parts[1]);
  part.getResult().setType(type.clone(shape));
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
