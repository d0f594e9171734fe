//===- ValueSlices.cpp - Parts of values along a dimension ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/ValueSlices.h"

#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

/// The dimension of the input of a broadcast that a dimension of its result is;
/// none for one that it adds.
static std::optional<int64_t> getInputDim(linalg::BroadcastOp op, int64_t dim) {
  if (llvm::is_contained(op.getDimensions(), dim))
    return std::nullopt;
  return dim - llvm::count_if(op.getDimensions(),
                              [&](int64_t added) { return added < dim; });
}

static bool canSliceLoad(grid::LoadOp load) {
  auto kernel = load->getParentOfType<grid::KernelOp>();
  auto ref = dyn_cast<BlockArgument>(load.getRef());
  return !load.getMask() && ref && load->getBlock() == kernel.getBodyBlock() &&
         llvm::is_contained(kernel.getInputRefs(), ref) &&
         kernel.getAliasPairs().empty() &&
         kernel.getAffineIndexMap(ref.getArgNumber()) &&
         getOverhangingDims(kernel, ref.getArgNumber()).empty();
}

/// Checks an op, and adds the operands that must be sliced to `next`.
static bool visitSliced(Value value, int64_t dim,
                        SmallVectorImpl<std::pair<Value, int64_t>> &next) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<RankedTensorType>(value.getType()))
    return false;
  if (auto load = dyn_cast<grid::LoadOp>(op))
    return canSliceLoad(load);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (isa<linalg::FillOp, tensor::SplatOp>(op))
    return true;
  if (auto broadcast = dyn_cast<linalg::BroadcastOp>(op)) {
    if (std::optional<int64_t> inputDim = getInputDim(broadcast, dim))
      next.emplace_back(broadcast.getInput(), *inputDim);
    return true;
  }
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      next.emplace_back(operand, dim);
  return OpTrait::hasElementwiseMappableTraits(op) &&
         op->getNumRegions() == 0 && op->getNumResults() == 1;
}

bool gridir::warpgroup::canSlice(Value value, int64_t dim) {
  llvm::DenseSet<std::pair<Value, int64_t>> seen;
  SmallVector<std::pair<Value, int64_t>> next{{value, dim}};
  while (!next.empty()) {
    auto [current, along] = next.pop_back_val();
    if (seen.insert({current, along}).second &&
        !visitSliced(current, along, next))
      return false;
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
  SmallVector<int64_t> statics(type.getRank(), 0), sizes(type.getShape());
  statics[dim] = ShapedType::kDynamic;
  sizes[dim] = size;
  auto windowType = MemRefType::get(sizes, type.getElementType(),
                                    type.getLayout(), type.getMemorySpace());
  Value ref = grid::SliceRefOp::create(
      builder, load.getLoc(), windowType, load.getRef(), offset, statics, sizes,
      SmallVector<int64_t>(type.getRank(), 1), ArrayRef<int64_t>{});
  return grid::LoadOp::create(
      builder, load.getLoc(),
      RankedTensorType::get(sizes, type.getElementType()), ref,
      /*mask=*/Value(), /*other=*/Value());
}

Value ValueSlicer::createOther(OpBuilder &builder, Operation *op, int64_t dim) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  type = RankedTensorType::get(shape, type.getElementType());
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
  if (auto broadcast = dyn_cast<linalg::BroadcastOp>(op)) {
    Value input = broadcast.getInput();
    if (std::optional<int64_t> inputDim = getInputDim(broadcast, dim))
      input = create(builder, input, *inputDim);
    Value empty =
        tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
    return linalg::BroadcastOp::create(builder, loc, input, empty,
                                       broadcast.getDimensions())
        ->getResult(0);
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isa<RankedTensorType>(operand.getType())
                           ? create(builder, operand, dim)
                           : operand);
  Operation *part = builder.clone(*op);
  part->setOperands(operands);
  part->getResult(0).setType(type);
  return part->getResult(0);
}
