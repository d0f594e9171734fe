//===- DropMasks.cpp - Remove masks that all elements pass ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/Analysis/BlockAccess.h"
#include "dialects/Grid/Analysis/RefRegions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDDROPMASKSPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;

namespace {

/// Ranges of the elements of integer tensors, over all elements and programs.
class ElementRanges {
public:
  explicit ElementRanges(ProgramValues &values) : values(values) {}

  Interval get(Value value) {
    if (!isa<TensorType>(value.getType()))
      return values.getRange(value);
    if (auto known = ranges.find(value); known != ranges.end())
      return known->second;
    Interval range = getTypeRange(getElementTypeOrSelf(value.getType()));
    if (Operation *op = value.getDefiningOp())
      range = compute(op, cast<OpResult>(value), range);
    ranges[value] = range;
    return range;
  }

private:
  Interval compute(Operation *op, OpResult result, Interval unknown) {
    if (!getElementTypeOrSelf(result.getType()).isIntOrIndex())
      return unknown;
    return llvm::TypeSwitch<Operation *, Interval>(op)
        .Case([&](arith::ConstantOp constant) {
          auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
          if (!splat)
            return unknown;
          auto number = splat.getSplatValue<APInt>();
          return Interval::constant(number.getBitWidth() == 1
                                        ? number.getZExtValue()
                                        : number.getSExtValue());
        })
        .Case([&](linalg::BroadcastOp op) { return get(op.getInput()); })
        .Case([&](linalg::TransposeOp op) { return get(op.getInput()); })
        .Case([&](linalg::FillOp op) { return get(op.value()); })
        .Case([&](tensor::SplatOp op) { return get(op.getInput()); })
        .Case([&](tensor::ExpandShapeOp op) { return get(op.getSrc()); })
        .Case([&](tensor::CollapseShapeOp op) { return get(op.getSrc()); })
        .Case([&](linalg::GenericOp op) {
          return computeBody(op, result.getResultNumber(), unknown);
        })
        .Default([&](Operation *op) {
          if (!OpTrait::hasElementwiseMappableTraits(op))
            return unknown;
          return inferRange(op, getAll(op->getOperands()), Overflow::Wraps);
        });
  }

  SmallVector<Interval> getAll(ValueRange operands) {
    return llvm::map_to_vector(operands,
                               [&](Value operand) { return get(operand); });
  }

  /// A body of parallel loops, whose ops are computed in order.
  Interval computeBody(linalg::GenericOp op, unsigned result,
                       Interval unknown) {
    if (op.getNumParallelLoops() != op.getNumLoops() ||
        !op.hasPureTensorSemantics())
      return unknown;
    SmallVector<int64_t> sizes = op.getStaticLoopRanges();
    llvm::DenseMap<Value, Interval> inside;
    for (auto [argument, operand] :
         llvm::zip_equal(op.getBody()->getArguments(), op->getOperands()))
      inside[argument] = get(operand);
    auto read = [&](Value value) {
      auto known = inside.find(value);
      return known != inside.end() ? known->second : get(value);
    };
    for (Operation &inner : op.getBody()->without_terminator()) {
      auto index = dyn_cast<linalg::IndexOp>(inner);
      if (inner.getNumResults() != 1)
        return unknown;
      if (index && !ShapedType::isDynamic(sizes[index.getDim()]))
        inside[index] = {0, sizes[index.getDim()] - 1};
      else
        inside[inner.getResult(0)] =
            inferRange(&inner, llvm::map_to_vector(inner.getOperands(), read),
                       Overflow::Wraps);
    }
    return read(op.getBody()->getTerminator()->getOperand(result));
  }

  ProgramValues &values;
  llvm::DenseMap<Value, Interval> ranges;
};

class GridDropMasksPass
    : public gridir::grid::impl::GridDropMasksPassBase<GridDropMasksPass> {
public:
  using GridDropMasksPassBase::GridDropMasksPassBase;

  void runOnOperation() override {
    SmallVector<RefAccessOpInterface> accesses;
    getOperation().getBodyRegion().walk([&](RefAccessOpInterface access) {
      if (isa<LoadOp, StoreOp>(access) && access.getAccessMask())
        accesses.push_back(access);
    });
    if (accesses.empty())
      return markAllAnalysesPreserved();
    BlockAccess blocks(getOperation());
    ElementRanges ranges(blocks.getValues());
    for (RefAccessOpInterface access : accesses) {
      if (!ranges.get(access.getAccessMask()).isConstant(1) ||
          mayBeOutside(access.getAccessedRef(), blocks))
        continue;
      if (auto load = dyn_cast<LoadOp>(*access)) {
        load.getMaskMutable().clear();
        load.getOtherMutable().clear();
      } else {
        cast<StoreOp>(*access).getMaskMutable().clear();
      }
      ++numDropped;
    }
    // The computation of a mask that nothing else uses.
    IRRewriter rewriter(&getContext());
    if (numDropped != 0)
      (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }

private:
  /// True if a Ref may be in a block outside of its array. Programs may access
  /// such a block with a mask only.
  static bool mayBeOutside(Value ref, BlockAccess &blocks) {
    KernelOp kernel = blocks.getKernel();
    return llvm::any_of(
        getRefRegions(ref, blocks.getValues()), [&](const RefRegion &region) {
          auto root = dyn_cast_if_present<BlockArgument>(region.root);
          if (!root || root.getOwner() != kernel.getBodyBlock() ||
              root.getArgNumber() >= kernel.getNumOperandSpecs())
            return !region.root;
          unsigned operand = root.getArgNumber();
          unsigned rank = kernel.getOperandSpec(operand).getRank();
          return llvm::any_of(llvm::seq(rank), [&](unsigned dim) {
            return blocks.liesOutside(operand, dim).kind != QueryResult::no;
          });
        });
  }
};

} // namespace
