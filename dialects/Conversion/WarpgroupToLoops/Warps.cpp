//===- Warps.cpp - Code of single warps -----------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Single-warp code begins with a call that returns once for each warp, and ends
// with a call that returns when all warps have arrived, in the first of them.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToLoops/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gridir;

namespace {

class WarpsPattern : public LoweringPattern<warpgroup::WarpsOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(warpgroup::WarpsOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value number =
        createRuntimeCall(rewriter, loc, lowering, "gridirTaskStartWarps", {},
                          rewriter.getI64Type())
            .front();
    Value warp =
        arith::TruncIOp::create(rewriter, loc, rewriter.getI32Type(), number);
    rewriter.inlineBlockBefore(&op.getBody().front(), op, warp);
    createRuntimeCall(rewriter, loc, lowering, "gridirTaskJoinWarps", {});
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void gridir::populateWarpPatterns(RewritePatternSet &patterns,
                                  KernelLowering &lowering) {
  patterns.add<WarpsPattern>(patterns.getContext(), lowering);
}
