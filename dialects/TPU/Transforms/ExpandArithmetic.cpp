//===- ExpandArithmetic.cpp - Arithmetic in the ops that Mosaic has -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/Builders.h"
#include "dialects/TPU/IR/TPU.h"
#include "dialects/TPU/Transforms/ExpandIntegers.h"
#include "dialects/TPU/Transforms/FoldComparisons.h"
#include "dialects/TPU/Transforms/NarrowVectors.h"
#include "dialects/TPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gridir::tpu {
#define GEN_PASS_DEF_TPUEXPANDARITHMETICPASS
#include "dialects/TPU/Transforms/Passes.h.inc"
} // namespace gridir::tpu

using namespace mlir;
using namespace gridir;
using namespace gridir::tpu;

namespace {

Value createNot(OpBuilder &builder, Location loc, Value value) {
  Value ones = createInteger(builder, loc, value.getType(), 1);
  return arith::XOrIOp::create(builder, loc, value, ones);
}

/// `log2(x)` is `log(x) / log(2)`.
struct ExpandLog2 : OpRewritePattern<math::Log2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Log2Op op,
                                PatternRewriter &rewriter) const override {
    if (!isa<VectorType>(op.getType()))
      return failure();
    Value log = math::LogOp::create(rewriter, op.getLoc(), op.getOperand());
    Value scale =
        createFloat(rewriter, op.getLoc(), op.getType(), 1.4426950408889634);
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
    Value one = createFloat(rewriter, loc, type, 1.0);
    Value u = math::ExpOp::create(rewriter, loc, x);
    Value difference = arith::SubFOp::create(rewriter, loc, u, one);
    Value log = math::LogOp::create(rewriter, loc, u);
    Value ratio = arith::DivFOp::create(rewriter, loc, x, log);
    Value exact = arith::MulFOp::create(rewriter, loc, difference, ratio);
    // If the correction would lose all bits, the result is `x` itself, or far
    // from zero the difference.
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

/// Mosaic supports only ordered comparisons of floats, and inequality. An
/// unordered comparison is the negation of an ordered one.
struct ExpandFloatCompare : OpRewritePattern<arith::CmpFOp> {
  ExpandFloatCompare(MLIRContext *context, bool narrowVectors)
      : OpRewritePattern(context), narrowVectors(narrowVectors) {}

  LogicalResult matchAndRewrite(arith::CmpFOp op,
                                PatternRewriter &rewriter) const override {
    using Predicate = arith::CmpFPredicate;
    Location loc = op.getLoc();
    Value lhs = op.getLhs(), rhs = op.getRhs();
    auto compare = [&](Predicate predicate, Value a, Value b) -> Value {
      return arith::CmpFOp::create(rewriter, loc, predicate, a, b);
    };
    // True if both are equal to themselves (not NaN), or if either is not.
    auto withThemselves = [&](Predicate predicate, auto join) -> Value {
      Value first = compare(predicate, lhs, lhs);
      return lhs == rhs ? first : join(first, compare(predicate, rhs, rhs));
    };
    auto opposite = [&](Predicate predicate) {
      rewriter.replaceOp(
          op, createNot(rewriter, loc, compare(predicate, lhs, rhs)));
      return success();
    };
    switch (op.getPredicate()) {
    case Predicate::ULT:
      return opposite(Predicate::OGE);
    case Predicate::ULE:
      return opposite(Predicate::OGT);
    case Predicate::UGT:
      return opposite(Predicate::OLE);
    case Predicate::UGE:
      return opposite(Predicate::OLT);
    case Predicate::ONE:
    case Predicate::UEQ: {
      // A number with a magnitude differs from zero.
      if (hasMagnitude(lhs.getType()) && matchPattern(rhs, m_AnyZeroFloat())) {
        lhs = math::AbsFOp::create(rewriter, loc, lhs);
        if (op.getPredicate() == Predicate::UEQ)
          return opposite(Predicate::OGT);
        rewriter.replaceOp(op, compare(Predicate::OGT, lhs, rhs));
        return success();
      }
      Value differs =
          arith::OrIOp::create(rewriter, loc, compare(Predicate::OLT, lhs, rhs),
                               compare(Predicate::OGT, lhs, rhs));
      if (op.getPredicate() == Predicate::UEQ)
        differs = createNot(rewriter, loc, differs);
      rewriter.replaceOp(op, differs);
      return success();
    }
    case Predicate::ORD:
      rewriter.replaceOp(
          op, withThemselves(Predicate::OEQ, [&](Value a, Value b) -> Value {
            return arith::AndIOp::create(rewriter, loc, a, b);
          }));
      return success();
    case Predicate::UNO:
      rewriter.replaceOp(
          op, withThemselves(Predicate::UNE, [&](Value a, Value b) -> Value {
            return arith::OrIOp::create(rewriter, loc, a, b);
          }));
      return success();
    default:
      return failure();
    }
  }

private:
  bool hasMagnitude(Type type) const {
    Type element = getElementTypeOrSelf(type);
    return element.isF32() ||
           (narrowVectors && isa<VectorType>(type) && element.isBF16());
  }

  bool narrowVectors;
};

/// Bools are compared by logic: true is more than false, or less where a bool
/// has a sign.
struct ExpandBoolCompare : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    if (!isa<VectorType>(op.getLhs().getType()) ||
        !getElementTypeOrSelf(op.getLhs()).isInteger(1))
      return failure();
    using Predicate = arith::CmpIPredicate;
    Location loc = op.getLoc();
    Value lhs = op.getLhs(), rhs = op.getRhs();
    auto bothOf = [&](Value a, Value b) -> Value {
      return arith::AndIOp::create(rewriter, loc, a, b);
    };
    auto opposite = [&](Value value) {
      return createNot(rewriter, loc, value);
    };
    auto isFalseTrue = [&] { return bothOf(opposite(lhs), rhs); };
    auto isTrueFalse = [&] { return bothOf(lhs, opposite(rhs)); };
    Value result;
    switch (op.getPredicate()) {
    case Predicate::eq:
    case Predicate::ne:
      result = arith::XOrIOp::create(rewriter, loc, lhs, rhs);
      if (op.getPredicate() == Predicate::eq)
        result = opposite(result);
      break;
    case Predicate::ult:
    case Predicate::sgt:
      result = isFalseTrue();
      break;
    case Predicate::ugt:
    case Predicate::slt:
      result = isTrueFalse();
      break;
    case Predicate::uge:
    case Predicate::sle:
      result = opposite(isFalseTrue());
      break;
    case Predicate::ule:
    case Predicate::sge:
      result = opposite(isTrueFalse());
      break;
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// The magnitude of one float with the sign of another, by their bits.
struct ExpandCopySign : OpRewritePattern<math::CopySignOp> {
  ExpandCopySign(MLIRContext *context, bool narrowVectors)
      : OpRewritePattern(context), narrowVectors(narrowVectors) {}

  LogicalResult matchAndRewrite(math::CopySignOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getType();
    Type element = getElementTypeOrSelf(type);
    bool isNarrow = narrowVectors && isa<VectorType>(type) && element.isBF16();
    bool isWidened = element.getIntOrFloatBitWidth() < 32 && !isNarrow;
    Type wideFloat =
        isWidened ? withElementType(type, rewriter.getF32Type()) : type;
    unsigned width = isNarrow ? 16 : 32;
    Type bits = withElementType(type, rewriter.getIntegerType(width));
    auto toBits = [&](Value value) -> Value {
      if (isWidened)
        value = arith::ExtFOp::create(rewriter, loc, wideFloat, value);
      if (isa<VectorType>(type))
        return BitcastOp::create(rewriter, loc, bits, value);
      return arith::BitcastOp::create(rewriter, loc, bits, value);
    };
    Value sign = arith::AndIOp::create(
        rewriter, loc, toBits(op.getRhs()),
        createInteger(rewriter, loc, bits, llvm::minIntN(width)));
    Value magnitude = arith::AndIOp::create(
        rewriter, loc, toBits(op.getLhs()),
        createInteger(rewriter, loc, bits, llvm::maxIntN(width)));
    Value joined = arith::OrIOp::create(rewriter, loc, magnitude, sign);
    Value result =
        isa<VectorType>(type)
            ? BitcastOp::create(rewriter, loc, wideFloat, joined).getResult()
            : arith::BitcastOp::create(rewriter, loc, wideFloat, joined)
                  .getResult();
    if (isWidened)
      result = arith::TruncFOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  bool narrowVectors;
};

/// A function of bf16 that Mosaic has for f32 only.
template <typename OpT> struct WidenFloats : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isBF16())
      return failure();
    Type wide = withElementType(type, rewriter.getF32Type());
    auto operands =
        llvm::map_to_vector(op->getOperands(), [&](Value value) -> Value {
          return arith::ExtFOp::create(rewriter, op.getLoc(), wide, value);
        });
    Value result = OpT::create(rewriter, op.getLoc(), operands);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, result);
    return success();
  }
};

/// A true bool with a sign is -1: zero minus the bool without one.
struct ExpandSignedBools : OpRewritePattern<arith::ExtSIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtSIOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getIn()).isInteger(1))
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

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet patterns(context);
    patterns.add<ExpandLog2, ExpandExpM1, ExpandFma, ExpandSignedBools,
                 ExpandBoolCompare, WidenFloats<math::LogOp>,
                 WidenFloats<math::RoundOp>, WidenFloats<math::RoundEvenOp>,
                 WidenFloats<math::TruncOp>, WidenFloats<math::Atan2Op>,
                 WidenFloats<arith::RemFOp>>(context);
    patterns.add<ExpandFloatCompare, ExpandCopySign>(context, narrowVectors);
    populateNarrowIntegerPatterns(patterns, narrowIntegers);
    populateNarrowVectorPatterns(patterns, narrowIntegers, narrowVectors);
    populateFoldComparisonPatterns(patterns);
    frozen = std::move(patterns);
    return success();
  }

  void runOnOperation() override {
    // Each op is rewritten once; the rest of the kernel is not folded.
    GreedyRewriteConfig config;
    config.enableFolding(false);
    config.enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), frozen, config)))
      return signalPassFailure();
    // Mosaic has one comparison for inequality, which is called `one` and is
    // true for NaN: JAX's lowering writes every `!=` so.
    getOperation().walk([](arith::CmpFOp op) {
      if (op.getPredicate() == arith::CmpFPredicate::UNE)
        op.setPredicate(arith::CmpFPredicate::ONE);
    });
  }

private:
  FrozenRewritePatternSet frozen;
};

} // namespace
