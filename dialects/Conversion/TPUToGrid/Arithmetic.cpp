//===- Arithmetic.cpp - What Mosaic's instructions compute ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/TPUToGrid/Raising.h"
#include "dialects/Support/Builders.h"
#include "dialects/TPU/Transforms/Guards.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace gridir::tpu_to_grid {
namespace {

LogicalResult raiseReciprocal(tpu::ReciprocalOp op,
                              tpu::ReciprocalOp::Adaptor adaptor,
                              Rewriter &rewriter) {
  Value input = adaptor.getInput();
  Value one = createFloat(rewriter, op.getLoc(), input.getType(), 1);
  rewriter.replaceOp(op,
                     arith::DivFOp::create(rewriter, op.getLoc(), one, input));
  return success();
}

LogicalResult raiseLogistic(tpu::LogisticOp op,
                            tpu::LogisticOp::Adaptor adaptor,
                            Rewriter &rewriter) {
  Location loc = op.getLoc();
  Value input = adaptor.getInput();
  Value one = createFloat(rewriter, loc, input.getType(), 1);
  Value value = arith::NegFOp::create(rewriter, loc, input);
  value = math::ExpOp::create(rewriter, loc, value);
  value = arith::AddFOp::create(rewriter, loc, one, value);
  rewriter.replaceOp(op, arith::DivFOp::create(rewriter, loc, one, value));
  return success();
}

/// True for the infinities and for NaN.
LogicalResult raiseWeird(tpu::WeirdOp op, tpu::WeirdOp::Adaptor adaptor,
                         Rewriter &rewriter) {
  Location loc = op.getLoc();
  Value input = adaptor.getInput();
  Value infinity = createFloat(rewriter, loc, input.getType(),
                               std::numeric_limits<double>::infinity());
  Value magnitude = math::AbsFOp::create(rewriter, loc, input);
  rewriter.replaceOp(op, arith::CmpFOp::create(rewriter, loc,
                                               arith::CmpFPredicate::UGE,
                                               magnitude, infinity));
  return success();
}

/// The unit saturates and converts NaN to 0. Values out of range are undefined
/// in `arith`, and depend on the instruction on a CPU.
template <typename OpT> class SaturatePattern : public OpRewritePattern<OpT> {
public:
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    using Predicate = arith::CmpFPredicate;
    constexpr bool isUnsigned = std::is_same_v<OpT, arith::FPToUIOp>;
    Location loc = op.getLoc();
    Value input = op.getIn();
    // The bounds of the integers are exact in f32, but not in narrower types.
    if (getElementTypeOrSelf(input).getIntOrFloatBitWidth() < 32)
      input = arith::ExtFOp::create(
          rewriter, loc,
          withElementType(input.getType(), rewriter.getF32Type()), input);
    Type floats = input.getType(), integers = op.getType();
    unsigned width = getElementTypeOrSelf(integers).getIntOrFloatBitWidth();
    auto integer = [&](const APInt &number) {
      return createScalarOrSplatConstant(rewriter, loc, integers, number);
    };
    auto compare = [&](Predicate predicate, double bound) -> Value {
      return arith::CmpFOp::create(rewriter, loc, predicate, input,
                                   createFloat(rewriter, loc, floats, bound));
    };
    double end = std::ldexp(1.0, isUnsigned ? width : width - 1);
    double start = isUnsigned ? 0.0 : -end;
    Value isUnderEnd = compare(Predicate::OLT, end);
    Value isFromStart = compare(Predicate::OGE, start);
    Value isInside =
        arith::AndIOp::create(rewriter, loc, isUnderEnd, isFromStart);
    Value zero = createFloat(rewriter, loc, floats, 0);
    Value safe = arith::SelectOp::create(rewriter, loc, isInside, input, zero);
    Value result = OpT::create(rewriter, loc, integers, safe);
    if (!isUnsigned)
      result = arith::SelectOp::create(
          rewriter, loc, compare(Predicate::OLT, start),
          integer(APInt::getSignedMinValue(width)), result);
    APInt largest = isUnsigned ? APInt::getMaxValue(width)
                               : APInt::getSignedMaxValue(width);
    rewriter.replaceOpWithNewOp<arith::SelectOp>(
        op, compare(Predicate::OGE, end), integer(largest), result);
    return success();
  }
};

/// An inequality is true for NaN, regardless of the name of the predicate.
class DifferencePattern : public OpRewritePattern<arith::CmpFOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpFOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getPredicate() != arith::CmpFPredicate::ONE)
      return failure();
    rewriter.modifyOpInPlace(
        op, [&] { op.setPredicate(arith::CmpFPredicate::UNE); });
    return success();
  }
};

/// A shift by the width or more is 0, or the sign in every bit.
template <typename OpT> class ShiftPattern : public OpRewritePattern<OpT> {
public:
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value amount = op.getRhs();
    Type type = amount.getType();
    auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
    APInt number;
    if (!element || tpu::getShiftAmount(amount).isBelowWidth ||
        (matchPattern(amount, m_ConstantInt(&number)) &&
         number.ult(element.getWidth())))
      return failure();
    auto integer = [&](int64_t number) {
      return createInteger(rewriter, loc, type, number);
    };
    Value isBelow =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult, amount,
                              integer(element.getWidth()));
    Value safe = arith::SelectOp::create(rewriter, loc, isBelow, amount,
                                         integer(element.getWidth() - 1));
    Value result = OpT::create(rewriter, loc, op.getLhs(), safe);
    if (!std::is_same_v<OpT, arith::ShRSIOp>)
      result =
          arith::SelectOp::create(rewriter, loc, isBelow, result, integer(0));
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// The unit for numbers of 32 bits divides by 0 and by -1: a quotient by 0 is
/// -1, and a remainder is the dividend.
template <typename OpT> class DivisionPattern : public OpRewritePattern<OpT> {
public:
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    constexpr bool isSigned =
        llvm::is_one_of<OpT, arith::DivSIOp, arith::RemSIOp>::value;
    constexpr bool isQuotient =
        llvm::is_one_of<OpT, arith::DivSIOp, arith::DivUIOp>::value;
    Location loc = op.getLoc();
    Value x = op.getLhs(), y = op.getRhs();
    Type type = op.getType();
    tpu::Divisor guarded = tpu::getDivisor(y);
    APInt number;
    if (!type.isInteger(32) ||
        (guarded.isGuardedFromZero &&
         (!isSigned || guarded.isGuardedFromMinusOne)) ||
        (matchPattern(y, m_ConstantInt(&number)) && !number.isZero() &&
         !number.isAllOnes()))
      return failure();
    auto isNumber = [&](int64_t number) -> Value {
      return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, y,
                                   createInteger(rewriter, loc, type, number));
    };
    Value isZero = isNumber(0), isMinusOne, isSpecial = isZero;
    if (isSigned) {
      isMinusOne = isNumber(-1);
      isSpecial = arith::OrIOp::create(rewriter, loc, isZero, isMinusOne);
    }
    Value one = createInteger(rewriter, loc, type, 1);
    Value safe = arith::SelectOp::create(rewriter, loc, isSpecial, one, y);
    Value result = OpT::create(rewriter, loc, x, safe);
    if (isQuotient && isSigned) {
      Value negative = arith::SubIOp::create(
          rewriter, loc, createInteger(rewriter, loc, type, 0), x);
      result =
          arith::SelectOp::create(rewriter, loc, isMinusOne, negative, result);
    }
    Value byZero = isQuotient ? createInteger(rewriter, loc, type, -1) : x;
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isZero, byZero, result);
    return success();
  }
};

} // namespace

void readInstructions(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  patterns
      .add<SaturatePattern<arith::FPToSIOp>, SaturatePattern<arith::FPToUIOp>,
           DifferencePattern, ShiftPattern<arith::ShLIOp>,
           ShiftPattern<arith::ShRUIOp>, ShiftPattern<arith::ShRSIOp>,
           DivisionPattern<arith::DivSIOp>, DivisionPattern<arith::DivUIOp>,
           DivisionPattern<arith::RemSIOp>, DivisionPattern<arith::RemUIOp>>(
          root->getContext());
  walkAndApplyPatterns(root, std::move(patterns));
}

void populateArithmeticPatterns(ConversionPatterns &patterns) {
  patterns.add(raiseReciprocal);
  patterns.add(raiseLogistic);
  patterns.add(raiseWeird);
}

} // namespace gridir::tpu_to_grid
