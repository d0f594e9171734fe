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
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

/// True if nothing changes a Ref or its views after a load, before that is
/// executed again.
static bool isUnchangedAfter(grid::LoadOp load, Value ref) {
  return llvm::all_of(ref.getUsers(), [&](Operation *user) {
    if (isa<grid::RefViewOpInterface>(user))
      return isUnchangedAfter(load, user->getResult(0));
    Operation *here = load->getBlock()->findAncestorOpInBlock(*user);
    return isa<grid::LoadOp>(user) || !here || here->isBeforeInBlock(load);
  });
}

static bool canSliceLoad(grid::LoadOp load) {
  auto kernel = load->getParentOfType<grid::KernelOp>();
  auto ref = dyn_cast<BlockArgument>(getWindowedRef(load.getRef()));
  if (load.getMask() || !ref)
    return false;
  if (llvm::is_contained(kernel.getScratchRefs(), ref))
    return isUnchangedAfter(load, ref);
  return llvm::is_contained(kernel.getInputRefs(), ref) &&
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

/// A tensor operand, and the dimension along which a part of the result needs a
/// part of it; none if it needs the whole operand.
using OperandDim = std::pair<Value, std::optional<int64_t>>;

/// Returns the tensor operands of an op whose parts along a dimension of the
/// result are parts of the operands; fails for other ops. Other dimensions than
/// this one may be reshaped.
static FailureOr<SmallVector<OperandDim>> getOperandDims(Operation *op,
                                                         int64_t dim) {
  auto findLong = [](ArrayRef<int64_t> group, ArrayRef<int64_t> shape) {
    auto isLong = [&](int64_t d) { return shape[d] != 1; };
    return llvm::count_if(group, isLong) == 1
               ? std::optional(*llvm::find_if(group, isLong))
               : std::nullopt;
  };
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    auto along = findLong(collapse.getReassociationIndices()[dim],
                          collapse.getSrcType().getShape());
    if (along)
      return SmallVector<OperandDim>{{collapse.getSrc(), along}};
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    for (auto [along, group] :
         llvm::enumerate(expand.getReassociationIndices()))
      if (findLong(group, expand.getResultType().getShape()) == dim)
        return SmallVector<OperandDim>{
            {expand.getSrc(), static_cast<int64_t>(along)}};
  FailureOr<SmallVector<PartOperand>> operands = getPartOperands(op);
  if (failed(operands))
    return failure();
  return llvm::map_to_vector(*operands, [&](const PartOperand &operand) {
    auto found = llvm::find(operand.dims, dim);
    return OperandDim(operand.value, found == operand.dims.end()
                                         ? std::nullopt
                                         : std::optional<int64_t>(
                                               found - operand.dims.begin()));
  });
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
  FailureOr<SmallVector<OperandDim>> operands = getOperandDims(op, dim);
  if (failed(operands))
    return failure();
  for (auto [value, along] : *operands)
    if (along)
      sliced.emplace_back(value, *along);
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
  SmallVector<Value> operands;
  SmallVector<OperandDim> dims = *getOperandDims(op, dim);
  for (auto [value, along] : dims)
    operands.push_back(along ? create(builder, value, *along) : value);
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(op->getResult(0).getType()).getShape());
  shape[dim] = size;
  SmallVector<OpFoldResult> offsets(shape.size(), builder.getIndexAttr(0));
  offsets[dim] = offset;
  return createPart(builder, op, offsets, shape, operands);
}
