//===- BodyRewrites.cpp - patterns on blocks of many ops-------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Transforms/BodyRewrites.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace {

/// The large loops below an op, inner ones first, without those that a pattern
/// has erased.
struct LargeLoops : RewriterBase::Listener {
  void notifyOperationErased(Operation *op) override {
    left.remove(op);
    done.remove(op);
  }

  llvm::SetVector<Operation *> left, done;
};

/// The ops of `region`, in their order, without those inside of `loops`.
SmallVector<Operation *> collectOps(Region &region,
                                    const llvm::SetVector<Operation *> &loops) {
  SmallVector<Operation *> ops;
  region.walk<WalkOrder::PreOrder>([&](Operation *op) {
    ops.push_back(op);
    return loops.contains(op) ? WalkResult::skip() : WalkResult::advance();
  });
  return ops;
}

} // namespace

void gridir::loops::applyPatternsInLargeLoops(
    Operation *root, const FrozenRewritePatternSet &patterns,
    unsigned manyOps) {
  LargeLoops large;
  root->walk([&](LoopLikeOpInterface loop) {
    for (Region *region : loop.getLoopRegions())
      if (collectOps(*region, large.left).size() >= manyOps)
        large.left.insert(loop);
  });
  while (!large.left.empty()) {
    Operation *loop = large.left.front();
    large.left.remove(loop);
    large.done.insert(loop);
    for (Region *region : cast<LoopLikeOpInterface>(loop).getLoopRegions()) {
      GreedyRewriteConfig config;
      config.setScope(region).setListener(&large);
      (void)applyOpPatternsGreedily(collectOps(*region, large.done), patterns,
                                    config);
    }
  }
}

LogicalResult
gridir::loops::applyPatternsInBlocks(Operation *root,
                                     const FrozenRewritePatternSet &patterns) {
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return applyPatternsGreedily(root, patterns, config);
}
