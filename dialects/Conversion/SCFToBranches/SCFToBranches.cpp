//===- SCFToBranches.cpp - From structured control flow to branches -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/Passes.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gridir {
#define GEN_PASS_DEF_CONVERTSCFTOBRANCHESPASS
#include "dialects/Conversion/Passes.h.inc"
} // namespace gridir

using namespace mlir;

namespace {

/// The ops of the dialect except terminators, outer ones after inner ones.
SmallVector<Operation *> collectOps(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa_and_nonnull<scf::SCFDialect>(op->getDialect()) &&
        !op->hasTrait<OpTrait::IsTerminator>())
      ops.push_back(op);
  });
  return ops;
}

class ConvertSCFToBranchesPass
    : public gridir::impl::ConvertSCFToBranchesPassBase<
          ConvertSCFToBranchesPass> {
public:
  using ConvertSCFToBranchesPassBase::ConvertSCFToBranchesPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops = collectOps(getOperation());
    if (ops.empty())
      return;
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    // The driver processes the last op of its list first. A pattern moves all
    // ops after its op to another block, so processing from the end moves few
    // ops. Patterns expect regions of one block, so outer ops are processed
    // before inner ones.
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps)
        .enableFolding(false);
    (void)applyOpPatternsGreedily(ops, std::move(patterns), config);
    SmallVector<Operation *> left = collectOps(getOperation());
    for (Operation *op : left)
      op->emitOpError("expected an op that can be lowered to branches");
    if (!left.empty())
      return signalPassFailure();
    numLowered += ops.size();
  }
};

} // namespace
