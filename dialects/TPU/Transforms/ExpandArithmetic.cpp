//===- ExpandArithmetic.cpp - Arithmetic in the ops that Mosaic has -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/Builders.h"
#include "dialects/TPU/IR/TPU.h"
#include "dialects/TPU/Transforms/FoldComparisons.h"
#include "dialects/TPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
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

/// Returns integers with the first bit flipped.
Value createFlipped(OpBuilder &builder, Location loc, Value value) {
  APInt number;
  unsigned width = getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  APInt sign = APInt::getSignMask(width);
  if (matchPattern(value, m_ConstantInt(&number)))
    return createInteger(builder, loc, value.getType(),
                         (number ^ sign).getSExtValue());
  return arith::XOrIOp::create(
      builder, loc, value,
      createInteger(builder, loc, value.getType(), sign.getSExtValue()));
}

/// Returns narrow integers in the wider type; constants stay constants.
Value widenIntegers(OpBuilder &builder, Location loc, Value value, Type wide,
                    bool isUnsigned) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return createInteger(builder, loc, wide,
                         isUnsigned ? int64_t(number.getZExtValue())
                                    : number.getSExtValue());
  if (isUnsigned)
    return arith::ExtUIOp::create(builder, loc, wide, value);
  return arith::ExtSIOp::create(builder, loc, wide, value);
}

Value createNot(OpBuilder &builder, Location loc, Value value) {
  Value ones = createInteger(builder, loc, value.getType(), 1);
  return arith::XOrIOp::create(builder, loc, value, ones);
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
    if (!element || element.getWidth() > maxWidth || element.getWidth() < 2)
      return failure();
    Type wide = withElementType(type, rewriter.getI32Type());
    auto widen = [&](Value value) {
      return widenIntegers(rewriter, op.getLoc(), value, wide, isUnsigned);
    };
    Value lhs = widen(op.getLhs()), rhs = widen(op.getRhs());
    Value result = OpT::create(rewriter, op.getLoc(), lhs, rhs);
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, type, result);
    return success();
  }
};

/// The same for shifts by other than one constant: libtpu widens narrow numbers
/// with their sign, also those that have none.
template <typename OpT, bool isUnsigned>
struct WidenVariableShift : WidenIntegers<OpT, isUnsigned, 16> {
  using WidenIntegers<OpT, isUnsigned, 16>::WidenIntegers;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    APInt number;
    if (matchPattern(op.getRhs(), m_ConstantInt(&number)))
      return failure();
    return WidenIntegers<OpT, isUnsigned, 16>::matchAndRewrite(op, rewriter);
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
  using OpRewritePattern::OpRewritePattern;

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
      if (isa<VectorType>(lhs.getType()) && getElementTypeOrSelf(lhs).isF32() &&
          matchPattern(rhs, m_AnyZeroFloat())) {
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

/// Unsigned narrow numbers are ordered as signed ones with the first bit
/// flipped, while several are in one word. Those of 16 bits stay if Mosaic
/// compares them.
struct FlipNarrowCompare : OpRewritePattern<arith::CmpIOp> {
  FlipNarrowCompare(MLIRContext *context, bool narrowIntegers)
      : OpRewritePattern(context), narrowIntegers(narrowIntegers) {}

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    using Predicate = arith::CmpIPredicate;
    auto type = dyn_cast<VectorType>(op.getLhs().getType());
    std::optional<Predicate> predicate = getSigned(op.getPredicate());
    if (!predicate || !type || !type.getElementType().isInteger())
      return failure();
    unsigned width = type.getElementTypeBitWidth();
    if (width < 8 || width > 16 || (width == 16 && narrowIntegers))
      return failure();
    Value lhs = createFlipped(rewriter, op.getLoc(), op.getLhs());
    Value rhs = createFlipped(rewriter, op.getLoc(), op.getRhs());
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, *predicate, lhs, rhs);
    return success();
  }

private:
  static std::optional<arith::CmpIPredicate>
  getSigned(arith::CmpIPredicate predicate) {
    using Predicate = arith::CmpIPredicate;
    switch (predicate) {
    case Predicate::ult:
      return Predicate::slt;
    case Predicate::ule:
      return Predicate::sle;
    case Predicate::ugt:
      return Predicate::sgt;
    case Predicate::uge:
      return Predicate::sge;
    default:
      return std::nullopt;
    }
  }

  bool narrowIntegers;
};

/// Numbers of at most 8 bits are ordered in 32.
struct WidenCompare : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op,
                                PatternRewriter &rewriter) const override {
    using Predicate = arith::CmpIPredicate;
    Predicate predicate = op.getPredicate();
    auto type = dyn_cast<VectorType>(op.getLhs().getType());
    if (!type || !type.getElementType().isInteger())
      return failure();
    unsigned width = type.getElementTypeBitWidth();
    bool isUnsigned = predicate >= Predicate::ult;
    if (width < 2 || width >= 16 || predicate == Predicate::eq ||
        predicate == Predicate::ne || (isUnsigned && width == 8))
      return failure();
    Type wide = withElementType(type, rewriter.getI32Type());
    auto widen = [&](Value value) {
      return widenIntegers(rewriter, op.getLoc(), value, wide, isUnsigned);
    };
    Value lhs = widen(op.getLhs()), rhs = widen(op.getRhs());
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, predicate, lhs, rhs);
    return success();
  }
};

/// The larger of a number and its negative is its magnitude, which Mosaic has.
struct FoldAbs : OpRewritePattern<arith::MaxSIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::MaxSIOp op,
                                PatternRewriter &rewriter) const override {
    // In 8 bits Mosaic has neither.
    auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(op.getType()));
    if (!element || element.getWidth() < 16)
      return failure();
    auto isNegative = [](Value negative, Value value) {
      auto difference = negative.getDefiningOp<arith::SubIOp>();
      return difference && difference.getRhs() == value &&
             matchPattern(difference.getLhs(), m_Zero());
    };
    for (auto [value, other] : {std::pair(op.getLhs(), op.getRhs()),
                                std::pair(op.getRhs(), op.getLhs())})
      if (isNegative(other, value)) {
        rewriter.replaceOpWithNewOp<math::AbsIOp>(op, value);
        return success();
      }
    return failure();
  }
};

/// The larger, or smaller, of two narrow numbers, in 32 bits. For an op that it
/// lacks in 16 and 8 bits, libtpu matches an op on widened numbers, and a
/// comparison of a selection. It has no such rule for their difference, which
/// 32 bits hold.
template <typename OpT, bool isUnsigned, arith::CmpIPredicate predicate>
struct ExpandNarrowExtreme : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || !type.getElementType().isInteger() ||
        type.getElementTypeBitWidth() < 2 || type.getElementTypeBitWidth() > 16)
      return failure();
    Location loc = op.getLoc();
    Type wide = withElementType(type, rewriter.getI32Type());
    auto widen = [&](Value value) {
      return widenIntegers(rewriter, loc, value, wide, isUnsigned);
    };
    Value lhs = widen(op.getLhs()), rhs = widen(op.getRhs());
    Value difference = arith::SubIOp::create(rewriter, loc, lhs, rhs);
    Value isFirst =
        arith::CmpIOp::create(rewriter, loc, predicate, difference,
                              createInteger(rewriter, loc, wide, 0));
    Value result = arith::SelectOp::create(rewriter, loc, isFirst, lhs, rhs);
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, type, result);
    return success();
  }
};

/// A widened number that is truncated and widened again is itself. Extremes in
/// sequence, as in `jnp.clip`, are computed in 32 bits together.
template <typename ExtendOp>
struct FoldWidenedAgain : OpRewritePattern<ExtendOp> {
  using OpRewritePattern<ExtendOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ExtendOp op,
                                PatternRewriter &rewriter) const override {
    auto truncate = op.getIn().template getDefiningOp<arith::TruncIOp>();
    if (!truncate || truncate.getIn().getType() != op.getType() ||
        !isWidened(truncate.getIn(), op.getIn().getType(), /*depth=*/4))
      return failure();
    rewriter.replaceOp(op, truncate.getIn());
    return success();
  }

private:
  /// True if a value is an extension of the narrow type, or a selection of such
  /// values.
  static bool isWidened(Value value, Type narrow, int depth) {
    if (auto extend = value.getDefiningOp<ExtendOp>())
      return extend.getIn().getType() == narrow;
    APInt number;
    if (matchPattern(value, m_ConstantInt(&number))) {
      unsigned width = getElementTypeOrSelf(narrow).getIntOrFloatBitWidth();
      return std::is_same_v<ExtendOp, arith::ExtUIOp>
                 ? number.isIntN(width)
                 : number.isSignedIntN(width);
    }
    auto choice = value.getDefiningOp<arith::SelectOp>();
    return choice && depth > 0 &&
           isWidened(choice.getTrueValue(), narrow, depth - 1) &&
           isWidened(choice.getFalseValue(), narrow, depth - 1);
  }
};

/// The larger, or smaller, of two numbers of 32 bits without a sign: with the
/// first bit flipped, they are ordered as those with a sign are. libtpu makes
/// the op that it lacks of a comparison of the numbers themselves.
template <typename OpT, arith::CmpIPredicate predicate>
struct ExpandUnsignedExtreme : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || !type.getElementType().isInteger(32))
      return failure();
    Location loc = op.getLoc();
    Value lhs = createFlipped(rewriter, loc, op.getLhs());
    Value rhs = createFlipped(rewriter, loc, op.getRhs());
    Value isFirst = arith::CmpIOp::create(rewriter, loc, predicate, lhs, rhs);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isFirst, op.getLhs(),
                                                 op.getRhs());
    return success();
  }
};

/// The magnitude of one float with the sign of another, by their bits.
struct ExpandCopySign : OpRewritePattern<math::CopySignOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::CopySignOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getType();
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    Type wideFloat = withElementType(type, rewriter.getF32Type());
    Type bits = withElementType(type, rewriter.getI32Type());
    auto toBits = [&](Value value) -> Value {
      if (width < 32)
        value = arith::ExtFOp::create(rewriter, loc, wideFloat, value);
      if (isa<VectorType>(type))
        return BitcastOp::create(rewriter, loc, bits, value);
      return arith::BitcastOp::create(rewriter, loc, bits, value);
    };
    Value sign =
        arith::AndIOp::create(rewriter, loc, toBits(op.getRhs()),
                              createInteger(rewriter, loc, bits, INT32_MIN));
    Value magnitude =
        arith::AndIOp::create(rewriter, loc, toBits(op.getLhs()),
                              createInteger(rewriter, loc, bits, INT32_MAX));
    Value joined = arith::OrIOp::create(rewriter, loc, magnitude, sign);
    Value result =
        isa<VectorType>(type)
            ? BitcastOp::create(rewriter, loc, wideFloat, joined).getResult()
            : arith::BitcastOp::create(rewriter, loc, wideFloat, joined)
                  .getResult();
    if (width < 32)
      result = arith::TruncFOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
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

/// The bit count of a narrow number in 32 bits; leading zeros include the
/// additional bits.
template <typename OpT, bool countsFront>
struct WidenCount : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || !type.getElementType().isInteger() ||
        type.getElementTypeBitWidth() >= 32)
      return failure();
    Location loc = op.getLoc();
    Type wide = withElementType(type, rewriter.getI32Type());
    Value value = arith::ExtUIOp::create(rewriter, loc, wide, op.getOperand());
    value = OpT::create(rewriter, loc, value);
    if (countsFront)
      value = arith::SubIOp::create(
          rewriter, loc, value,
          createInteger(rewriter, loc, wide,
                        int64_t(32 - type.getElementTypeBitWidth())));
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, type, value);
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
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    patterns.add<WidenIntegers<arith::AddIOp, false, 8>,
                 WidenIntegers<arith::SubIOp, false, 8>,
                 WidenIntegers<arith::MulIOp, false, 8>,
                 WidenIntegers<arith::DivSIOp, false, 16>,
                 WidenIntegers<arith::DivUIOp, true, 16>,
                 WidenIntegers<arith::RemSIOp, false, 16>,
                 WidenIntegers<arith::RemUIOp, true, 16>, ExpandLog2,
                 ExpandExpM1, ExpandFma, ExpandSignedBools, ExpandFloatCompare,
                 ExpandBoolCompare, WidenCompare, ExpandCopySign,
                 WidenCount<math::CountLeadingZerosOp, true>,
                 WidenCount<math::CtPopOp, false>, WidenFloats<math::LogOp>,
                 WidenFloats<math::RoundOp>, WidenFloats<math::RoundEvenOp>,
                 WidenFloats<math::TruncOp>, WidenFloats<math::Atan2Op>,
                 WidenFloats<arith::RemFOp>>(context);
    if (narrowIntegers) {
      addShifts<7>(patterns);
      patterns.add<WidenVariableShift<arith::ShLIOp, true>,
                   WidenVariableShift<arith::ShRSIOp, false>,
                   WidenVariableShift<arith::ShRUIOp, true>>(context);
    } else {
      addShifts<16>(patterns);
    }
    patterns.add<FoldWidenedAgain<arith::ExtSIOp>,
                 FoldWidenedAgain<arith::ExtUIOp>>(context);
    patterns.add<FlipNarrowCompare>(context, narrowIntegers);
    using Predicate = arith::CmpIPredicate;
    patterns.add<ExpandNarrowExtreme<arith::MaxSIOp, false, Predicate::sgt>,
                 ExpandNarrowExtreme<arith::MinSIOp, false, Predicate::slt>,
                 ExpandNarrowExtreme<arith::MaxUIOp, true, Predicate::sgt>,
                 ExpandNarrowExtreme<arith::MinUIOp, true, Predicate::slt>,
                 ExpandUnsignedExtreme<arith::MaxUIOp, Predicate::sgt>,
                 ExpandUnsignedExtreme<arith::MinUIOp, Predicate::slt>>(
        context);
    populateFoldComparisonPatterns(patterns);
    // Before other patterns for the larger of two numbers.
    patterns.add<FoldAbs>(context, /*benefit=*/2);
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
  /// Adds the patterns for shifts of at most that width.
  template <unsigned width> static void addShifts(RewritePatternSet &patterns) {
    patterns.add<WidenIntegers<arith::ShLIOp, true, width>,
                 WidenIntegers<arith::ShRSIOp, false, width>,
                 WidenIntegers<arith::ShRUIOp, true, width>>(
        patterns.getContext());
  }

  FrozenRewritePatternSet frozen;
};

} // namespace
