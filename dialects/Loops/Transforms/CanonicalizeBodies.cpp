//===- CanonicalizeBodies.cpp - canonicalize loops of many ops ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Transforms/BodyRewrites.h"
#include "dialects/Loops/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"

namespace gridir::loops {
#define GEN_PASS_DEF_LOOPSCANONICALIZEBODIESPASS
#include "dialects/Loops/Transforms/Passes.h.inc"
} // namespace gridir::loops

using namespace mlir;

namespace {

class LoopsCanonicalizeBodiesPass
    : public gridir::loops::impl::LoopsCanonicalizeBodiesPassBase<
          LoopsCanonicalizeBodiesPass> {
public:
  using LoopsCanonicalizeBodiesPassBase::LoopsCanonicalizeBodiesPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(owned);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(owned, context);
    patterns = std::move(owned);
    return success();
  }

  void runOnOperation() override {
    gridir::loops::applyPatternsInLargeLoops(getOperation(), patterns, manyOps);
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
