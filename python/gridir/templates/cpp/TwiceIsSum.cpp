//===- TwiceIsSum.cpp - Sums instead of multiplications ---------------------- -===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace my {
#define GEN_PASS_DEF_MYTWICEISSUMPASS
#include "Passes.h.inc"
} // namespace my

using namespace mlir;

namespace {

struct ToSum : OpRewritePattern<arith::MulFOp> {
  ToSum(MLIRContext *context, double factor, Pass::Statistic &numSums)
      : OpRewritePattern(context), factor(factor), numSums(numSums) {}

  LogicalResult matchAndRewrite(arith::MulFOp op,
                                PatternRewriter &rewriter) const override {
    // A number, or a tensor or vector that holds the same number everywhere.
    FloatAttr number;
    SplatElementsAttr splat;
    if (matchPattern(op.getRhs(), m_Constant(&splat)) &&
        isa<FloatType>(splat.getElementType()))
      number = splat.getSplatValue<FloatAttr>();
    else if (!matchPattern(op.getRhs(), m_Constant(&number)))
      return rewriter.notifyMatchFailure(op, "expected a constant factor");
    if (number.getValueAsDouble() != factor)
      return rewriter.notifyMatchFailure(op, "expected a factor of two");
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, op.getLhs(), op.getLhs());
    ++numSums;
    return success();
  }

  double factor;
  Pass::Statistic &numSums;
};

struct TwiceIsSumPass : my::impl::MyTwiceIsSumPassBase<TwiceIsSumPass> {
  using MyTwiceIsSumPassBase::MyTwiceIsSumPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ToSum>(&getContext(), factor, numSums);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
