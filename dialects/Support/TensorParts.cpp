//===- TensorParts.cpp - Parts of the result of an op on tensors ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/TensorParts.h"

#include "dialects/Support/Elements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace gridir {

/// True for an op that computes elements from their coordinates alone, as
/// `createElements` makes it.
static bool isOfCoordinates(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInputs() != 0 ||
      generic.getNumDpsInits() != 1 || generic.getNumReductionLoops() != 0 ||
      !generic.getIndexingMapsArray().front().isIdentity() ||
      !generic.getBody()->getArgument(0).use_empty())
    return false;
  return llvm::all_of(*generic.getBody(), [](Operation &inner) {
    return inner.getNumRegions() == 0 &&
           llvm::none_of(inner.getOperandTypes(), llvm::IsaPred<TensorType>);
  });
}

/// The same op for elements from `offsets` on.
static Value createOfCoordinates(OpBuilder &builder, linalg::GenericOp op,
                                 RankedTensorType type,
                                 ArrayRef<OpFoldResult> offsets) {
  return createElements(
      builder, op.getLoc(), type,
      [&](OpBuilder &inner, Location loc, ArrayRef<Value> coordinates) {
        IRMapping mapping;
        for (Operation &old : op.getBody()->without_terminator()) {
          auto index = dyn_cast<linalg::IndexOp>(old);
          if (!index) {
            inner.clone(old, mapping);
            continue;
          }
          Value coordinate = coordinates[index.getDim()];
          OpFoldResult offset = offsets[index.getDim()];
          if (getConstantIntValue(offset) != 0)
            coordinate = arith::AddIOp::create(
                inner, loc, coordinate,
                getValueOrCreateConstantIndexOp(inner, loc, offset));
          mapping.map(index.getResult(), coordinate);
        }
        return mapping.lookupOrDefault(
            op.getBody()->getTerminator()->getOperand(0));
      });
}

/// For each of the dimensions that a reshape makes one, that one or -1; fails
/// if several of a group have more than one element.
static FailureOr<SmallVector<int64_t>>
mapGroups(ArrayRef<ReassociationIndices> groups, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result(shape.size(), -1);
  for (auto [number, group] : llvm::enumerate(groups)) {
    auto isLong = [&](int64_t dim) { return shape[dim] != 1; };
    if (llvm::count_if(group, isLong) > 1)
      return failure();
    auto *found = llvm::find_if(group, isLong);
    result[found == group.end() ? group.front() : *found] = number;
  }
  return result;
}

/// The operand of a reshape whose parts are parts of the result.
static FailureOr<SmallVector<PartOperand>> getReshaped(Operation *op) {
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    auto dims = mapGroups(collapse.getReassociationIndices(),
                          collapse.getSrcType().getShape());
    if (failed(dims))
      return failure();
    return SmallVector<PartOperand>{{collapse.getSrc(), *dims}};
  }
  auto expand = cast<tensor::ExpandShapeOp>(op);
  auto numbers = mapGroups(expand.getReassociationIndices(),
                           expand.getResultType().getShape());
  if (failed(numbers))
    return failure();
  SmallVector<int64_t> dims(expand.getSrcType().getRank());
  for (auto [dim, number] : llvm::enumerate(*numbers))
    if (number >= 0)
      dims[number] = dim;
  return SmallVector<PartOperand>{{expand.getSrc(), dims}};
}

FailureOr<SmallVector<PartOperand>> getPartOperands(Operation *op) {
  if (op->getNumResults() != 1)
    return failure();
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return failure();
  SmallVector<PartOperand> operands;
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (constant && !isa<SplatElementsAttr>(constant.getValue()))
    return failure();
  if (constant || isa<linalg::FillOp, tensor::SplatOp>(op) ||
      isOfCoordinates(op))
    return operands;
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
    return getReshaped(op);
  auto dims = llvm::to_vector(llvm::seq<int64_t>(type.getRank()));
  if (auto broadcast = dyn_cast<linalg::BroadcastOp>(op)) {
    llvm::erase_if(dims, [&](int64_t dim) {
      return llvm::is_contained(broadcast.getDimensions(), dim);
    });
    operands.push_back({broadcast.getInput(), dims});
    return operands;
  }
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op)) {
    operands.push_back(
        {transpose.getInput(),
         llvm::to_vector(invertPermutationVector(transpose.getPermutation()))});
    return operands;
  }
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumRegions() != 0 ||
      !isMemoryEffectFree(op))
    return failure();
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      operands.push_back({operand, dims});
  return operands;
}

Value createPart(OpBuilder &builder, Operation *op,
                 ArrayRef<OpFoldResult> offsets, ArrayRef<int64_t> shape,
                 ValueRange operands) {
  Location loc = op->getLoc();
  auto type = RankedTensorType::get(
      shape, getElementTypeOrSelf(op->getResult(0).getType()));
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return arith::ConstantOp::create(
        builder, loc,
        cast<SplatElementsAttr>(constant.getValue()).resizeSplat(type));
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return tensor::SplatOp::create(builder, loc, type, fill.value(),
                                   ValueRange());
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return tensor::SplatOp::create(builder, loc, type, splat.getInput(),
                                   ValueRange());
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return createOfCoordinates(builder, generic, type, offsets);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return tensor::CollapseShapeOp::create(builder, loc, type, operands.front(),
                                           collapse.getReassociationIndices());
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return tensor::ExpandShapeOp::create(builder, loc, type, operands.front(),
                                         expand.getReassociationIndices());
  if (auto broadcast = dyn_cast<linalg::BroadcastOp>(op)) {
    Value empty =
        tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
    return linalg::BroadcastOp::create(builder, loc, operands.front(), empty,
                                       broadcast.getDimensions())
        ->getResult(0);
  }
  if (auto transpose = dyn_cast<linalg::TransposeOp>(op)) {
    Value empty =
        tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
    return linalg::TransposeOp::create(builder, loc, operands.front(), empty,
                                       transpose.getPermutation())
        ->getResult(0);
  }
  Operation *part = builder.clone(*op);
  auto next = operands.begin();
  for (OpOperand &operand : part->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()))
      operand.set(*next++);
  part->getResult(0).setType(type);
  return part->getResult(0);
}

} // namespace gridir
