//===- WarpgroupToLoops.cpp - The warpgroup dialect as loops ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToLoops/WarpgroupToLoops.h"

#include "dialects/Conversion/WarpgroupToLoops/Patterns.h"

using namespace mlir;
using namespace gridir;

namespace {

/// Erases ops that have no meaning if a warpgroup is one program, whose effects
/// are seen in order.
template <typename OpT> class ErasePattern : public OpRewritePattern<OpT> {
public:
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op->getOperands().take_front(op->getNumResults()));
    return success();
  }
};

struct WarpgroupToLoops : GridToLoopsDialectInterface {
  using GridToLoopsDialectInterface::GridToLoopsDialectInterface;

  void populatePatterns(RewritePatternSet &patterns) const override {
    populateCombinedStorePatterns(patterns);
    patterns.add<ErasePattern<warpgroup::CpAsyncCommitOp>,
                 ErasePattern<warpgroup::CpAsyncWaitOp>,
                 ErasePattern<warpgroup::MmaWaitOp>,
                 ErasePattern<warpgroup::CommitTmemOp>,
                 ErasePattern<warpgroup::WaitTmemLoadOp>,
                 ErasePattern<warpgroup::SetMaxRegistersOp>,
                 ErasePattern<warpgroup::LayoutCastOp>>(patterns.getContext());
  }

  void populateLoopPatterns(RewritePatternSet &patterns,
                            KernelLowering &lowering) const override {
    populateWarpgroupBarrierPatterns(patterns, lowering);
    populateWarpgroupCopyPatterns(patterns, lowering);
    populateWarpgroupClusterPatterns(patterns, lowering);
    populateClusterLaunchPatterns(patterns, lowering);
    populateWarpgroupDevicePatterns(patterns, lowering);
    populateWarpPatterns(patterns, lowering);
  }
};

} // namespace

void gridir::registerWarpgroupToLoops(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *, warpgroup::WarpgroupDialect *dialect) {
        dialect->addInterfaces<WarpgroupToLoops>();
      });
}
