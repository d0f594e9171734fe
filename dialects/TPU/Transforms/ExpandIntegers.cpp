//===- ExpandIntegers.cpp - Narrow and unsigned integers for Mosaic -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/Transforms/ExpandIntegers.h"
#include "dialects/Support/Builders.h"
#include "dialects/TPU/IR/TPU.h"
#include "dialects/TPU/Transforms/NarrowVectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

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

/// Returns the operands of an op on narrow integers, in 32 bits.
std::pair<Value, Value> widenOperands(OpBuilder &builder, Operation *op,
                                      bool isUnsigned) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  Type wide =
      withElementType(cast<VectorType>(lhs.getType()), builder.getI32Type());
  lhs = widenIntegers(builder, op->getLoc(), lhs, wide, isUnsigned);
  rhs = widenIntegers(builder, op->getLoc(), rhs, wide, isUnsigned);
  return {lhs, rhs};
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
    auto [lhs, rhs] = widenOperands(rewriter, op, isUnsigned);
    Value result = OpT::create(rewriter, op.getLoc(), lhs, rhs);
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, type, result);
    return success();
  }
};

/// The same for shifts by other than one constant: libtpu widens narrow numbers
/// with their sign, also those that have none. Other shifts on a TensorCore may
/// have that sign.
template <typename OpT, bool isUnsigned>
struct WidenVariableShift : WidenIntegers<OpT, isUnsigned, 16> {
  using WidenIntegers<OpT, isUnsigned, 16>::WidenIntegers;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    APInt number;
    bool isWidenedRight =
        !std::is_same_v<OpT, arith::ShRUIOp> &&
        getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() >= 8 &&
        isOnTensorCore(op);
    if (matchPattern(op.getRhs(), m_ConstantInt(&number)) || isWidenedRight)
      return failure();
    return WidenIntegers<OpT, isUnsigned, 16>::matchAndRewrite(op, rewriter);
  }
};

/// A shift in 32 bits of narrow numbers and amounts with their signs is the one
/// that libtpu makes of a narrow shift, in fewer bundles.
template <typename OpT> struct NarrowShift : OpRewritePattern<arith::TruncIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncIOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    auto shift = op.getIn().getDefiningOp<OpT>();
    if (!type || type.getElementTypeBitWidth() < 8 || !shift ||
        !shift->hasOneUse() || !isOnTensorCore(op))
      return failure();
    auto input = shift.getLhs().template getDefiningOp<arith::ExtSIOp>();
    auto amount = shift.getRhs().template getDefiningOp<arith::ExtSIOp>();
    if (!input || !amount || input.getIn().getType() != type ||
        amount.getIn().getType() != type)
      return failure();
    rewriter.replaceOpWithNewOp<OpT>(op, input.getIn(), amount.getIn());
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
    auto [lhs, rhs] = widenOperands(rewriter, op, isUnsigned);
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
/// 32 bits hold, nor for a comparison with the number beside a constant.
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
    auto [lhs, rhs] = widenOperands(rewriter, op, isUnsigned);
    Value isFirst = createComparison(rewriter, loc, lhs, rhs);
    Value result = arith::SelectOp::create(rewriter, loc, isFirst, lhs, rhs);
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, type, result);
    return success();
  }

private:
  static Value createComparison(OpBuilder &builder, Location loc, Value lhs,
                                Value rhs) {
    constexpr bool isMore = predicate == arith::CmpIPredicate::sgt;
    APInt number;
    if (matchPattern(rhs, m_ConstantInt(&number))) {
      Value next = createInteger(builder, loc, rhs.getType(),
                                 number.getSExtValue() + (isMore ? 1 : -1));
      return arith::CmpIOp::create(builder, loc,
                                   isMore ? arith::CmpIPredicate::sge
                                          : arith::CmpIPredicate::sle,
                                   lhs, next);
    }
    Value difference = arith::SubIOp::create(builder, loc, lhs, rhs);
    return arith::CmpIOp::create(builder, loc, predicate, difference,
                                 createInteger(builder, loc, rhs.getType(), 0));
  }
};

/// A selection of the larger, or smaller, of two numbers of 16 bits, or of two
/// unsigned ones of 32, is that extreme. libtpu matches it, too, and then lacks
/// the op.
struct MatchExtreme : OpRewritePattern<arith::SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    auto compare = op.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!type || !compare ||
        !(type.getElementType().isInteger(16) ||
          (type.getElementType().isInteger(32) &&
           compare.getPredicate() >= arith::CmpIPredicate::ult)))
      return failure();
    Value lhs = compare.getLhs(), rhs = compare.getRhs();
    bool isFirst = lhs == op.getTrueValue() && rhs == op.getFalseValue();
    bool isSecond = rhs == op.getTrueValue() && lhs == op.getFalseValue();
    if (!isFirst && !isSecond)
      return failure();
    auto replace = [&](auto less, auto more, bool isLess) {
      if (isLess == isFirst)
        rewriter.replaceOpWithNewOp<decltype(less)>(op, lhs, rhs);
      else
        rewriter.replaceOpWithNewOp<decltype(more)>(op, lhs, rhs);
      return success();
    };
    using Predicate = arith::CmpIPredicate;
    Predicate predicate = compare.getPredicate();
    switch (predicate) {
    case Predicate::slt:
    case Predicate::sle:
    case Predicate::sgt:
    case Predicate::sge:
      return replace(arith::MinSIOp(), arith::MaxSIOp(),
                     predicate == Predicate::slt ||
                         predicate == Predicate::sle);
    case Predicate::ult:
    case Predicate::ule:
    case Predicate::ugt:
    case Predicate::uge:
      return replace(arith::MinUIOp(), arith::MaxUIOp(),
                     predicate == Predicate::ult ||
                         predicate == Predicate::ule);
    default:
      return failure();
    }
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

/// Adds the patterns for shifts of at most that width.
template <unsigned width> void addShifts(RewritePatternSet &patterns) {
  patterns.add<WidenIntegers<arith::ShLIOp, true, width>,
               WidenIntegers<arith::ShRSIOp, false, width>,
               WidenIntegers<arith::ShRUIOp, true, width>>(
      patterns.getContext());
}

} // namespace

void gridir::tpu::populateNarrowIntegerPatterns(RewritePatternSet &patterns,
                                                bool narrowIntegers) {
  MLIRContext *context = patterns.getContext();
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  patterns
      .add<WidenIntegers<arith::AddIOp, false, 8>,
           WidenIntegers<arith::SubIOp, false, 8>,
           WidenIntegers<arith::MulIOp, false, 8>,
           WidenIntegers<arith::DivSIOp, false, 16>,
           WidenIntegers<arith::DivUIOp, true, 16>,
           WidenIntegers<arith::RemSIOp, false, 16>,
           WidenIntegers<arith::RemUIOp, true, 16>, WidenCompare,
           WidenCount<math::CountLeadingZerosOp, true>,
           WidenCount<math::CtPopOp, false>, FoldWidenedAgain<arith::ExtSIOp>,
           FoldWidenedAgain<arith::ExtUIOp>>(context);
  if (narrowIntegers) {
    addShifts<7>(patterns);
    patterns.add<WidenVariableShift<arith::ShLIOp, true>,
                 WidenVariableShift<arith::ShRSIOp, false>,
                 WidenVariableShift<arith::ShRUIOp, true>,
                 NarrowShift<arith::ShLIOp>, NarrowShift<arith::ShRSIOp>>(
        context);
  } else {
    addShifts<16>(patterns);
  }
  patterns.add<FlipNarrowCompare>(context, narrowIntegers);
  using Predicate = arith::CmpIPredicate;
  patterns.add<ExpandNarrowExtreme<arith::MaxSIOp, false, Predicate::sgt>,
               ExpandNarrowExtreme<arith::MinSIOp, false, Predicate::slt>,
               ExpandNarrowExtreme<arith::MaxUIOp, true, Predicate::sgt>,
               ExpandNarrowExtreme<arith::MinUIOp, true, Predicate::slt>,
               ExpandUnsignedExtreme<arith::MaxUIOp, Predicate::sgt>,
               ExpandUnsignedExtreme<arith::MinUIOp, Predicate::slt>>(context);
  // Before other patterns for the larger of two numbers, and for comparisons.
  patterns.add<FoldAbs, MatchExtreme>(context, /*benefit=*/2);
}
