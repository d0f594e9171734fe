//===- ClusterLaunch.cpp - Clusters that have not begun -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All clusters of the grid are run: none is left to be done elsewhere.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToGrid/Patterns.h"

using namespace mlir;
using namespace gridir;

namespace {

class TryCancelPattern
    : public OpRewritePattern<warpgroup::TryClusterCancelOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(warpgroup::TryClusterCancelOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<warpgroup::BarrierArriveOp>(op,
                                                            op.getBarrier());
    return success();
  }
};

class QueryCancelPattern
    : public OpRewritePattern<warpgroup::QueryClusterCancelOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(warpgroup::QueryClusterCancelOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> results;
    for (Type type : op.getResultTypes())
      results.push_back(createZero(rewriter, op.getLoc(), type));
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void gridir::populateClusterLaunchPatterns(RewritePatternSet &patterns) {
  patterns.add<TryCancelPattern, QueryCancelPattern>(patterns.getContext());
}
