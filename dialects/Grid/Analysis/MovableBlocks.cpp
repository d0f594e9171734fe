//===- MovableBlocks.cpp - Blocks that may start earlier ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/MovableBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gridir::grid {
namespace {

/// How a value changes along one of its dimensions when blocks move.
enum class Along {
  /// All elements are equal.
  Uniform,
  /// Elements are the same whether blocks move or not.
  Fixed,
  /// Elements move with the blocks.
  Moved
};
using Shape = SmallVector<Along, 4>;

/// True if the blocks that depend on one grid dimension may move.
class MoveAnalysis {
public:
  MoveAnalysis(KernelOp kernel, unsigned gridDim)
      : kernel(kernel), gridDim(gridDim), moved(kernel.getNumOperandSpecs()) {}

  /// Fails where moving could change a result, or moves nothing.
  LogicalResult run() {
    if (!kernel.getScratchRefs().empty() || !kernel.getAliasPairs().empty() ||
        failed(collectBlocks()))
      return failure();
    bool asks = kernel.getBodyRegion()
                    .walk([&](ProgramIdOp id) {
                      return kernel.findDim(id.getAxis()) == gridDim
                                 ? WalkResult::interrupt()
                                 : WalkResult::advance();
                    })
                    .wasInterrupted();
    if (asks)
      return failure();
    for (Operation &op : kernel.getBodyBlock()->without_terminator())
      if (failed(visit(op)))
        return failure();
    return success();
  }

  ArrayRef<llvm::SmallBitVector> getMoved() const { return moved; }

private:
  LogicalResult collectBlocks();
  LogicalResult visit(Operation &op);
  LogicalResult visitLoad(LoadOp load);
  LogicalResult visitStore(StoreOp store);
  LogicalResult visitLinalg(linalg::LinalgOp op);
  LogicalResult visitElementwise(Operation &op);
  LogicalResult visitReshape(Operation &op);

  bool isMoved(Value value) const {
    auto found = shapes.find(value);
    return found != shapes.end() &&
           llvm::is_contained(found->second, Along::Moved);
  }
  /// Unknown values do not move.
  Shape getShape(Value value) const {
    auto found = shapes.find(value);
    if (found != shapes.end())
      return found->second;
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return Shape(type ? type.getRank() : 0, Along::Fixed);
  }
  void setUniform(Value value) {
    shapes[value] = Shape(cast<RankedTensorType>(value.getType()).getRank(),
                          Along::Uniform);
  }

  KernelOp kernel;
  unsigned gridDim;
  /// For each operand, the dimensions of its array in which blocks move.
  SmallVector<llvm::SmallBitVector> moved;
  llvm::DenseMap<Value, Shape> shapes;
};

/// Finds the array dimensions whose blocks depend on the grid dimension. All of
/// them must have the same block size and extent, without padding, and the
/// block index must be the program id itself. Otherwise moving the last block
/// would move operands by different distances.
LogicalResult MoveAnalysis::collectBlocks() {
  unsigned numIndex = kernel.getNumIndexOperands();
  DimAttr grid = kernel.getDim(gridDim);
  std::optional<std::pair<int64_t, int64_t>> common;
  for (unsigned operandNumber = numIndex; operandNumber < moved.size();
       ++operandNumber) {
    OperandAttr spec = kernel.getOperandSpec(operandNumber);
    SmallVector<BlockDimAttr> dims = spec.getBlockDims();
    moved[operandNumber].resize(dims.size());
    auto map = kernel.getAffineIndexMap(operandNumber - numIndex);
    if (!map) {
      if (!kernel.getIndexMap(operandNumber - numIndex)
               .getArgument(gridDim)
               .use_empty())
        return failure();
      continue;
    }
    unsigned next = 0;
    for (auto [d, dim] : llvm::enumerate(dims)) {
      ArrayRef<AffineExpr> exprs =
          map->getResults().slice(next, dim.getNumIndices());
      next += dim.getNumIndices();
      if (llvm::none_of(exprs, [&](AffineExpr expr) {
            return expr.isFunctionOfDim(gridDim);
          }))
        continue;
      std::pair<int64_t, int64_t> blocks(dim.getSize(),
                                         spec.getArrayShape()[d]);
      auto position = dyn_cast<AffineDimExpr>(exprs.front());
      if (!position || dim.getKind() != BlockKind::Blocked ||
          dim.isSqueezed() || dim.getPadLow() != 0 || dim.getPadHigh() != 0 ||
          (common && *common != blocks))
        return failure();
      common = blocks;
      moved[operandNumber].set(d);
    }
  }
  if (!common || grid.isDynamic())
    return failure();
  auto [size, extent] = *common;
  return success(size > 0 && extent >= size && extent % size != 0 &&
                 grid.getSize() ==
                     static_cast<int64_t>(llvm::divideCeil(extent, size)));
}

/// Derives for the result of an op how each dimension behaves when blocks move.
/// Fails if a moved dimension would be combined with a fixed one, reduced, or
/// accessed by position.
LogicalResult MoveAnalysis::visit(Operation &op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return visitLoad(load);
  if (auto store = dyn_cast<StoreOp>(op))
    return visitStore(store);
  // No other op may access memory, print, or wait.
  if (!isMemoryEffectFree(&op))
    return failure();
  if (auto constant = dyn_cast<arith::ConstantOp>(op);
      constant && isa<SplatElementsAttr>(constant.getValue()))
    return setUniform(constant), success();
  if (isa<tensor::EmptyOp, tensor::SplatOp>(op))
    return setUniform(op.getResult(0)), success();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return visitLinalg(linalgOp);
  if (OpTrait::hasElementwiseMappableTraits(&op))
    return visitElementwise(op);
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return visitReshape(op);
  bool looks = op.walk([&](Operation *inner) {
                   return llvm::any_of(inner->getOperands(),
                                       [&](Value v) { return isMoved(v); })
                              ? WalkResult::interrupt()
                              : WalkResult::advance();
                 }).wasInterrupted();
  return failure(looks);
}

/// The shape of a Ref is that of its block, without the squeezed dimensions.
static Shape getRefShape(KernelOp kernel, unsigned operandNumber,
                         const llvm::SmallBitVector &moved) {
  Shape shape;
  for (auto [d, dim] :
       llvm::enumerate(kernel.getOperandSpec(operandNumber).getBlockDims()))
    if (!dim.isSqueezed())
      shape.push_back(moved.test(d) ? Along::Moved : Along::Fixed);
  return shape;
}

LogicalResult MoveAnalysis::visitLoad(LoadOp load) {
  auto ref = dyn_cast<BlockArgument>(load.getRef());
  unsigned numIndex = kernel.getNumIndexOperands();
  if (!ref || load.getMask() ||
      ref.getArgNumber() >= numIndex + kernel.getNumInputs())
    return failure();
  if (ref.getArgNumber() >= numIndex &&
      isa<RankedTensorType>(load.getResult().getType()))
    shapes[load.getResult()] =
        getRefShape(kernel, ref.getArgNumber(), moved[ref.getArgNumber()]);
  return success();
}

LogicalResult MoveAnalysis::visitStore(StoreOp store) {
  auto ref = dyn_cast<BlockArgument>(store.getRef());
  if (!ref || store.getMask() ||
      ref.getArgNumber() < kernel.getNumIndexOperands() + kernel.getNumInputs())
    return failure();
  Shape block =
      getRefShape(kernel, ref.getArgNumber(), moved[ref.getArgNumber()]);
  Shape value = getShape(store.getValue());
  if (value.empty())
    value.assign(block.size(), Along::Uniform); // one number for all
  for (auto [to, from] : llvm::zip_equal(block, value))
    if ((to == Along::Moved) != (from == Along::Moved) &&
        from != Along::Uniform)
      return failure();
  return success();
}

/// A loop of the op moves if it indexes a moved dimension of an operand. It
/// must then be parallel, and must not index a fixed dimension.
LogicalResult MoveAnalysis::visitLinalg(linalg::LinalgOp op) {
  unsigned numLoops = op.getNumLoops();
  llvm::SmallBitVector loopMoves(numLoops), loopIsFixed(numLoops);
  for (OpOperand &operand : op->getOpOperands()) {
    Shape shape = getShape(operand.get());
    if (shape.empty())
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [along, expr] : llvm::zip_equal(shape, map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim && along == Along::Moved)
        return failure();
      for (unsigned loop = 0; loop < numLoops; ++loop) {
        if (!expr.isFunctionOfDim(loop))
          continue;
        if (along == Along::Moved)
          loopMoves.set(loop);
        if (along == Along::Fixed || !dim)
          loopIsFixed.set(loop);
      }
    }
  }
  // The body may use the index of an element, or read other tensors.
  bool looks = op->walk([&](Operation *inner) {
                   if (inner == op.getOperation())
                     return WalkResult::advance();
                   if (auto index = dyn_cast<linalg::IndexOp>(inner))
                     loopIsFixed.set(index.getDim());
                   return llvm::any_of(inner->getOperands(),
                                       [&](Value v) { return isMoved(v); })
                              ? WalkResult::interrupt()
                              : WalkResult::advance();
                 }).wasInterrupted();
  if (looks || loopMoves.anyCommon(loopIsFixed))
    return failure();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (unsigned loop : loopMoves.set_bits())
    if (kinds[loop] != utils::IteratorType::parallel)
      return failure();
  for (OpOperand &init : op.getDpsInitsMutable()) {
    Shape shape;
    for (AffineExpr expr : op.getMatchingIndexingMap(&init).getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || loopIsFixed.test(dim.getPosition()))
        shape.push_back(Along::Fixed);
      else
        shape.push_back(loopMoves.test(dim.getPosition()) ? Along::Moved
                                                          : Along::Uniform);
    }
    shapes[op.getTiedOpResult(&init)] = shape;
  }
  return success();
}

/// All tensors of an elementwise op have the same shape, so each dimension is
/// either moved or fixed in all of them; uniform dimensions match both.
LogicalResult MoveAnalysis::visitElementwise(Operation &op) {
  Shape result;
  for (Value operand : op.getOperands()) {
    if (!isa<RankedTensorType>(operand.getType()))
      continue;
    Shape shape = getShape(operand);
    if (result.empty())
      result.assign(shape.size(), Along::Uniform);
    for (auto [all, one] : llvm::zip_equal(result, shape)) {
      if (one == Along::Uniform || all == one)
        continue;
      if (all != Along::Uniform)
        return failure(); // one is fixed and one moves
      all = one;
    }
  }
  for (Value value : op.getResults())
    shapes[value] = result;
  return success();
}

/// Among the dimensions of moved blocks, only those of size 1 may be added or
/// removed.
LogicalResult MoveAnalysis::visitReshape(Operation &op) {
  Value source = op.getOperand(0), result = op.getResult(0);
  auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
  auto groups =
      expand ? expand.getReassociationIndices()
             : cast<tensor::CollapseShapeOp>(op).getReassociationIndices();
  Shape from = getShape(source);
  auto expanded = cast<RankedTensorType>((expand ? result : source).getType());
  auto collapsed = cast<RankedTensorType>((expand ? source : result).getType());
  Shape to(cast<RankedTensorType>(result.getType()).getRank(), Along::Uniform);
  for (auto [d, group] : llvm::enumerate(groups)) {
    for (int64_t e : group) {
      unsigned fromDim = expand ? d : e, toDim = expand ? e : d;
      if (expanded.getDimSize(e) == 1)
        continue;
      if (expanded.getDimSize(e) == collapsed.getDimSize(d))
        to[toDim] = from[fromDim];
      else if (from[fromDim] == Along::Moved)
        return failure();
      else
        to[toDim] = Along::Fixed;
    }
  }
  shapes[result] = to;
  return success();
}

} // namespace

MovableBlocks::MovableBlocks(KernelOp kernel)
    : movable(kernel.getNumOperandSpecs()) {
  for (unsigned operandNumber = 0; operandNumber < movable.size();
       ++operandNumber)
    movable[operandNumber].resize(
        kernel.getOperandSpec(operandNumber).getBlockDims().size());
  for (unsigned d = 0; d < kernel.getRank(); ++d) {
    MoveAnalysis analysis(kernel, d);
    if (failed(analysis.run()))
      continue;
    for (auto [all, moved] : llvm::zip_equal(movable, analysis.getMoved()))
      if (moved.any())
        all |= moved;
  }
}

} // namespace gridir::grid
