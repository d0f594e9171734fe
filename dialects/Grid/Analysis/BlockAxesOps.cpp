//===- BlockAxesOps.cpp - Axes of the ops of a body -----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/BlockAxes.h"

#include "dialects/Support/Divisors.h"
#include "dialects/Support/NeutralElement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gridir::grid;

/// True if windows with the size of this one along a dimension are the same or
/// have no common elements.
static bool isAligned(SliceRefOp window, unsigned dim) {
  SmallVector<OpFoldResult> offsets = getMixedValues(
      window.getStaticOffsets(), window.getOffsets(), window.getContext());
  int64_t size = window.getSizes()[dim];
  return window.getStrides()[dim] == 1 && size > 0 &&
         gridir::getDivisor(offsets[dim]) % size == 0;
}

/// A window keeps the axes of the dimensions that it has whole. Parts of
/// another window of an input are windows of the input. Parts of windows of an
/// output are windows of it if different parts never have common elements.
void BlockAxes::visitSlice(SliceRefOp slice) {
  Value source = slice.getSource(), result = slice.getResult();
  if (use == AxisUse::Extend) {
    block(source);
    block(result);
    return;
  }
  bool isOfInput = llvm::is_contained(kernel.getInputRefs(), source) &&
                   kernel.getAliasPairs().empty();
  SmallVector<SliceRefOp> ofOutput = getWindowsOfOutput(source);
  unsigned kept = 0;
  for (auto [dim, size] : llvm::enumerate(slice.getSizes())) {
    if (llvm::is_contained(slice.getDropped(), dim)) {
      block(source, dim);
      continue;
    }
    if (size == getShape(source)[dim] && slice.getStaticOffsets()[dim] == 0 &&
        slice.getStrides()[dim] == 1) {
      join(source, dim, result, kept);
    } else {
      block(source, dim);
      if (!ofOutput.empty() && isAligned(slice, dim))
        join(result, kept, ofOutput.front().getResult(), kept);
      else if (!isOfInput || slice.getStrides()[dim] != 1)
        block(result, kept);
    }
    ++kept;
  }
}

/// A part of a tensor keeps the axes of the dimensions that it has whole. It
/// may lack other dimensions, along which it has one position.
void BlockAxes::visitPart(OffsetSizeAndStrideOpInterface op, Value whole,
                          Value part) {
  auto dropped = computeRankReductionMask(op.getStaticSizes(), getShape(part));
  if (!dropped) {
    block(whole);
    block(part);
    return;
  }
  unsigned kept = 0;
  for (auto [dim, size] : llvm::enumerate(getShape(whole))) {
    if (dropped->contains(dim)) {
      block(whole, dim);
      continue;
    }
    if (size == getShape(part)[kept] && op.getStaticOffsets()[dim] == 0) {
      join(whole, dim, part, kept);
    } else {
      block(whole, dim);
      block(part, kept);
    }
    ++kept;
  }
}

/// The result has the dimensions of the indices, then those of the Ref that are
/// not indexed.
void BlockAxes::visitGather(GatherOp gather) {
  Value ref = gather.getRef(), result = gather.getResult();
  SmallVector<Value> indices(gather.getIndices());
  if (Value mask = gather.getMask())
    indices.push_back(mask);
  if (Value other = gather.getOther())
    joinAll(other, result);
  unsigned next = getShape(indices.front()).size();
  for (Value index : indices)
    for (unsigned dim = 0; dim < next; ++dim)
      join(index, dim, result, dim);
  for (unsigned dim = 0; dim < getShape(ref).size(); ++dim)
    if (llvm::is_contained(gather.getDims(), dim))
      block(ref, dim);
    else
      join(ref, dim, result, next++);
  // Positions that are added have no index.
  if (use == AxisUse::Extend)
    block(result);
}

/// The result has the batch dimensions, then the free ones of both operands.
void BlockAxes::visitDot(DotOp dot) {
  // Both operands have zeros at positions that are added along a contracted
  // axis.
  if (use == AxisUse::Extend)
    for (auto [lhs, rhs] :
         llvm::zip_equal(dot.getLhsContract(), dot.getRhsContract()))
      join(dot.getLhs(), lhs, dot.getRhs(), rhs);
  unsigned next = 0;
  for (auto [lhs, rhs] :
       llvm::zip_equal(dot.getLhsBatch(), dot.getRhsBatch())) {
    join(dot.getLhs(), lhs, dot.getResult(), next);
    join(dot.getRhs(), rhs, dot.getResult(), next++);
  }
  auto joinFree = [&](Value operand, ArrayRef<int64_t> contracted,
                      ArrayRef<int64_t> batch) {
    for (unsigned dim = 0; dim < getShape(operand).size(); ++dim)
      if (llvm::is_contained(contracted, dim)) {
        if (use != AxisUse::Extend)
          block(operand, dim);
      } else if (!llvm::is_contained(batch, dim)) {
        join(operand, dim, dot.getResult(), next++);
      }
  };
  joinFree(dot.getLhs(), dot.getLhsContract(), dot.getLhsBatch());
  joinFree(dot.getRhs(), dot.getRhsContract(), dot.getRhsBatch());
  if (dot.getAcc())
    joinAll(dot.getAcc(), dot.getResult());
}

/// Dimensions that the same parallel loop indexes belong to the same axis.
void BlockAxes::visitStructured(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics()) {
    llvm::for_each(op->getOperands(), [&](Value operand) { block(operand); });
    return;
  }
  // A dimension that each loop indexes, once one is known.
  SmallVector<std::pair<Value, unsigned>> ofLoop(op.getNumLoops());
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  auto reduce = dyn_cast<linalg::ReduceOp>(*op);
  bool isExtendable =
      use == AxisUse::Extend && reduce && gridir::getNeutralElement(reduce);
  auto visitValue = [&](Value value, AffineMap map) {
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop) {
        block(value, dim);
        expr.walk([&](AffineExpr part) {
          if (auto used = dyn_cast<AffineDimExpr>(part))
            if (auto [other, otherDim] = ofLoop[used.getPosition()]; other)
              block(other, otherDim);
        });
        continue;
      }
      auto &[other, otherDim] = ofLoop[loop.getPosition()];
      if (other)
        join(value, dim, other, otherDim);
      else
        std::tie(other, otherDim) = std::pair<Value, unsigned>(value, dim);
      if (kinds[loop.getPosition()] != utils::IteratorType::parallel &&
          !isExtendable)
        block(value, dim);
    }
  };
  // Results first: they have a dimension for each parallel loop.
  for (auto [result, init] :
       llvm::zip_equal(op->getResults(), op.getDpsInitsMutable()))
    visitValue(result, op.getMatchingIndexingMap(&init));
  for (auto [operand, map] :
       llvm::zip_equal(op->getOperands(), op.getIndexingMapsArray()))
    if (!getShape(operand).empty())
      visitValue(operand, map);
}

/// All arrays of an elementwise op or an access have the same axes; those of
/// another op have none.
void BlockAxes::visitOther(Operation *op) {
  auto isArray = [](Value value) { return !getShape(value).empty(); };
  SmallVector<Value> arrays =
      llvm::filter_to_vector(op->getOperands(), isArray);
  llvm::append_range(arrays,
                     llvm::make_filter_range(op->getResults(), isArray));
  bool isAccess = isa<LoadOp, StoreOp, AccumulateOp>(op);
  for (Value array : arrays)
    if (isAccess || OpTrait::hasElementwiseMappableTraits(op))
      joinAll(array, arrays.front());
    else
      block(array);
  // Each part would have the effect.
  if (!isAccess && !isMemoryEffectFree(op))
    for (Value ref : kernel.getBodyBlock()->getArguments())
      block(ref);
}

void BlockAxes::visit(Operation *op) {
  auto joinValues = [&](ValueRange from, ValueRange to) {
    for (auto [a, b] : llvm::zip_equal(from, to))
      if (!getShape(a).empty())
        joinAll(a, b);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](SliceRefOp slice) { visitSlice(slice); })
      .Case([&](TransposeRefOp transpose) {
        if (use == AxisUse::Extend)
          return block(transpose.getSource());
        for (auto [dim, source] : llvm::enumerate(transpose.getPermutation()))
          join(transpose.getResult(), dim, transpose.getSource(), source);
      })
      .Case([&](DotOp dot) { visitDot(dot); })
      .Case([&](GatherOp gather) { visitGather(gather); })
      .Case([&](linalg::LinalgOp structured) { visitStructured(structured); })
      .Case([&](tensor::ExtractSliceOp slice) {
        visitPart(slice, slice.getSource(), slice.getResult());
      })
      .Case([&](tensor::InsertSliceOp slice) {
        joinAll(slice.getDest(), slice.getResult());
        visitPart(slice, slice.getResult(), slice.getSource());
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        joinReshaped(expand.getSrc(), expand.getResult(),
                     expand.getReassociationIndices());
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        joinReshaped(collapse.getResult(), collapse.getSrc(),
                     collapse.getReassociationIndices());
      })
      .Case([&](tensor::ExtractOp extract) {
        block(extract.getTensor());
        // Positions that are added would read elements that do not exist.
        if (auto loop = extract->getParentOfType<linalg::LinalgOp>();
            loop && use == AxisUse::Extend)
          llvm::for_each(loop->getResults(), [&](Value v) { block(v); });
      })
      .Case([&](scf::IfOp branch) {
        for (Region &region : branch->getRegions())
          if (!region.empty())
            joinValues(branch.getResults(),
                       region.front().getTerminator()->getOperands());
      })
      .Case([&](scf::ForOp loop) {
        joinValues(loop.getResults(), loop.getInitArgs());
        joinValues(loop.getResults(), loop.getRegionIterArgs());
        joinValues(loop.getResults(), loop.getYieldedValues());
      })
      .Case([&](scf::WhileOp loop) {
        joinValues(loop.getBeforeArguments(), loop.getInits());
        joinValues(loop.getBeforeArguments(), loop.getYieldOp().getResults());
        joinValues(loop.getResults(), loop.getConditionOp().getArgs());
        joinValues(loop.getResults(), loop.getAfterArguments());
      })
      .Case([&](ScopedOp scope) {
        joinValues(scope.getResults(),
                   scope.getBody().front().getTerminator()->getOperands());
      })
      .Case([&](arith::ConstantOp constant) {
        if (!isa<SplatElementsAttr>(constant.getValue()))
          block(constant.getResult());
      })
      .Case<scf::ConditionOp, scf::YieldOp, YieldOp, linalg::YieldOp,
            tensor::EmptyOp, tensor::SplatOp, AssertOp>([](Operation *) {})
      .Default([&](Operation *) { visitOther(op); });
}
