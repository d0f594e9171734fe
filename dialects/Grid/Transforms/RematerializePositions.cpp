//===- RematerializePositions.cpp - Compute positions for each use --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/IR/Grid.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDREMATERIALIZEPOSITIONSPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir;

namespace {

class GridRematerializePositionsPass
    : public gridir::grid::impl::GridRematerializePositionsPassBase<
          GridRematerializePositionsPass> {
public:
  using GridRematerializePositionsPassBase::GridRematerializePositionsPassBase;

  void runOnOperation() override {
    positions.clear();
    copies = 0;
    SmallVector<Operation *> ops;
    getOperation().getBodyRegion().walk<WalkOrder::PreOrder>(
        [&](Operation *op) {
          if (isPosition(op))
            ops.push_back(op);
        });
    // The uses of an op include the copies of its users.
    for (Operation *op : llvm::reverse(ops))
      rematerialize(op);
    numCopies += copies;
    if (copies == 0)
      markAllAnalysesPreserved();
  }

private:
  /// True if an array depends only on positions and scalars, and is not put
  /// together from parts of arrays, whose copies would be many.
  bool isPosition(Operation *op) {
    if (isa<tensor::ExtractSliceOp, tensor::InsertSliceOp>(op))
      return false;
    auto isKnown = [&](Value value) {
      return !isa<ShapedType>(value.getType()) ||
             positions.contains(value.getDefiningOp());
    };
    bool isArray = op->getNumResults() == 1 &&
                   isa<RankedTensorType>(op->getResult(0).getType());
    if (!isArray || !isPure(op) || !llvm::all_of(op->getOperands(), isKnown))
      return false;
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    if (!llvm::all_of(captured, isKnown))
      return false;
    positions.insert(op);
    return true;
  }

  /// Gives each user but the first a copy of the op.
  void rematerialize(Operation *op) {
    Value result = op->getResult(0);
    // The last use is the first in the list.
    llvm::SmallSetVector<Operation *, 4> users(op->user_begin(),
                                               op->user_end());
    if (users.empty())
      return;
    for (Operation *user : users.getArrayRef().drop_back()) {
      if (copies >= maxCopies)
        return;
      OpBuilder builder(op);
      builder.setInsertionPointAfter(op);
      Value copy = builder.clone(*op)->getResult(0);
      result.replaceUsesWithIf(
          copy, [&](OpOperand &use) { return use.getOwner() == user; });
      ++copies;
    }
  }

  llvm::DenseSet<Operation *> positions;
  unsigned copies = 0;
};

} // namespace
