//===- CanonicalizeBodies.cpp - canonicalize loops of many ops ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/BodyRewrites.h"
#include "dialects/CPU/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPUCANONICALIZEBODIESPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;

namespace {

class CPUCanonicalizeBodiesPass
    : public gridir::cpu::impl::CPUCanonicalizeBodiesPassBase<
          CPUCanonicalizeBodiesPass> {
public:
  using CPUCanonicalizeBodiesPassBase::CPUCanonicalizeBodiesPassBase;

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
    gridir::cpu::applyPatternsInLargeLoops(getOperation(), patterns, manyOps);
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
