//===- ExpandArithmetic.cpp - Arithmetic in the ops that Mosaic has -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/IR/TPU.h"
#include "dialects/TPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gridir::tpu {
#define GEN_PASS_DEF_TPUEXPANDARITHMETICPASS
#include "dialects/TPU/Transforms/Passes.h.inc"
} // namespace gridir::tpu

using namespace mlir;
using namespace gridir::tpu;

namespace {

Type withElement(Type type, Type element) {
  auto vector = cast<VectorType>(type);
  return VectorType::get(vector.getShape(), element);
}

/// A vector whose elements are all one number.
Value createSplat(OpBuilder &builder, Location loc, Type type, double value) {
  auto vector = cast<VectorType>(type);
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          vector, builder.getFloatAttr(vector.getElementType(), value)));
}

/// An op on narrow integers, in 32 bits: Mosaic computes in those, and only
/// compares narrow ones. `maxWidth` is the widest element that needs it.
template <typename OpT, bool isUnsigned, unsigned maxWidth>
struct WidenIntegers : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    auto element =
        type ? dyn_cast<IntegerType>(type.getElementType()) : IntegerType();
    if (!element || element.getWidth() > maxWidth || element.getWidth() < 4)
      return failure();
    Type wide = withElement(type, rewriter.getI32Type());
    auto widen = [&](Value value) -> Value {
      if (isUnsigned)
        return arith::ExtUIOp::create(rewriter, op.getLoc(), wide, value);
      return arith::ExtSIOp::create(rewriter, op.getLoc(), wide, value);
    };
    Value lhs = widen(op.getLhs()), rhs = widen(op.getRhs());
    Value result = OpT::create(rewriter, op.getLoc(), lhs, rhs);
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, type, result);
    return success();
  }
};

/// `log2(x)` is `log(x) / log(2)`.
struct ExpandLog2 : OpRewritePattern<math::Log2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Log2Op op,
                                PatternRewriter &rewriter) const override {
    if (!isa<VectorType>(op.getType()))
      return failure();
    Value log = math::LogOp::create(rewriter, op.getLoc(), op.getOperand());
    Value scale =
        createSplat(rewriter, op.getLoc(), op.getType(), 1.4426950408889634);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, log, scale);
    return success();
  }
};

/// `exp(x) - 1` without the loss near zero: with `u = exp(x)`, the error of
/// `u - 1` is that of `log(u)` against `x`.
struct ExpandExpM1 : OpRewritePattern<math::ExpM1Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpM1Op op,
                                PatternRewriter &rewriter) const override {
    if (!isa<VectorType>(op.getType()))
      return failure();
    Location loc = op.getLoc();
    Type type = op.getType();
    Value x = op.getOperand();
    Value one = createSplat(rewriter, loc, type, 1);
    Value u = math::ExpOp::create(rewriter, loc, x);
    Value difference = arith::SubFOp::create(rewriter, loc, u, one);
    Value log = math::LogOp::create(rewriter, loc, u);
    Value ratio = arith::DivFOp::create(rewriter, loc, x, log);
    Value exact = arith::MulFOp::create(rewriter, loc, difference, ratio);
    // Where the correction has no bits left: `x` itself, and far from zero the
    // difference.
    Value isTiny =
        arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OEQ, u, one);
    Value magnitude = math::AbsFOp::create(rewriter, loc, x);
    Value isLarge = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::OGT, magnitude, one);
    Value result =
        arith::SelectOp::create(rewriter, loc, isLarge, difference, exact);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isTiny, x, result);
    return success();
  }
};

struct ExpandFma : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::FmaOp op,
                                PatternRewriter &rewriter) const override {
    Value product =
        arith::MulFOp::create(rewriter, op.getLoc(), op.getA(), op.getB());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op.getC());
    return success();
  }
};

/// A true bool with a sign is -1: zero minus the bool without one.
struct ExpandSignedBools : OpRewritePattern<arith::ExtSIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtSIOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<VectorType>(op.getType()) ||
        !getElementTypeOrSelf(op.getIn()).isInteger(1))
      return failure();
    Location loc = op.getLoc();
    Value zero = arith::ConstantOp::create(rewriter, loc,
                                           rewriter.getZeroAttr(op.getType()));
    Value bools =
        arith::ExtUIOp::create(rewriter, loc, op.getType(), op.getIn());
    rewriter.replaceOpWithNewOp<arith::SubIOp>(op, zero, bools);
    return success();
  }
};

class TPUExpandArithmeticPass
    : public gridir::tpu::impl::TPUExpandArithmeticPassBase<
          TPUExpandArithmeticPass> {
public:
  using TPUExpandArithmeticPassBase::TPUExpandArithmeticPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    patterns.add<WidenIntegers<arith::AddIOp, false, 8>,
                 WidenIntegers<arith::SubIOp, false, 8>,
                 WidenIntegers<arith::MulIOp, false, 8>,
                 WidenIntegers<arith::MaxSIOp, false, 8>,
                 WidenIntegers<arith::MinSIOp, false, 8>,
                 WidenIntegers<arith::MaxUIOp, true, 8>,
                 WidenIntegers<arith::MinUIOp, true, 8>,
                 WidenIntegers<arith::DivSIOp, false, 16>,
                 WidenIntegers<arith::DivUIOp, true, 16>,
                 WidenIntegers<arith::RemSIOp, false, 16>,
                 WidenIntegers<arith::RemUIOp, true, 16>,
                 WidenIntegers<arith::ShLIOp, true, 16>,
                 WidenIntegers<arith::ShRSIOp, false, 16>,
                 WidenIntegers<arith::ShRUIOp, true, 16>, ExpandLog2,
                 ExpandExpM1, ExpandFma, ExpandSignedBools>(&getContext());
    // What is here is rewritten once; nothing else of the kernel is folded.
    GreedyRewriteConfig config;
    config.enableFolding(false);
    config.enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
