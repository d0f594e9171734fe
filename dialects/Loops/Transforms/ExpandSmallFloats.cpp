//===- ExpandSmallFloats.cpp - floats that no CPU computes with -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SetVector.h"

namespace gridir::loops {
#define GEN_PASS_DEF_LOOPSEXPANDSMALLFLOATSPASS
#include "dialects/Loops/Transforms/Passes.h.inc"
} // namespace gridir::loops

using namespace mlir;
using llvm::APFloatBase;
using llvm::fltSemantics;

namespace {

/// Only scalars and vectors occur at this point.
bool isArray(Type type) {
  return isa<ShapedType>(type) && !isa<VectorType>(type);
}

/// The format of a float whose encoding is a sign, an exponent and a mantissa.
/// A format of powers of two only has another expansion, upstream.
bool isSmall(Type type) {
  if (isArray(type))
    return false;
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() <= 8 && !isa<Float8E8M0FNUType>(element);
}

/// Builds integer and float arithmetic on scalars or vectors of one shape.
struct Builder {
  OpBuilder &b;
  Location loc;
  /// The value whose shape all values have.
  Type like;

  Type shaped(Type element) const {
    if (auto type = dyn_cast<ShapedType>(like))
      return type.clone(element);
    return element;
  }
  Value constant(TypedAttr attr) const {
    if (auto type = dyn_cast<ShapedType>(shaped(attr.getType())))
      attr = DenseElementsAttr::get(type, attr);
    return arith::ConstantOp::create(b, loc, attr);
  }
  Value integer(Value x, const APInt &value) const {
    return constant(b.getIntegerAttr(getElementTypeOrSelf(x.getType()), value));
  }
  Value integer(Value x, uint64_t value) const {
    unsigned width = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth();
    return integer(x, APInt(width, value, false, /*implicitTrunc=*/true));
  }
  Value bits(Value x) const {
    Type element = getElementTypeOrSelf(x.getType());
    return arith::BitcastOp::create(
        b, loc, shaped(b.getIntegerType(element.getIntOrFloatBitWidth())), x);
  }
  Value number(Value x, FloatType type) const {
    return arith::BitcastOp::create(b, loc, shaped(type), x);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, uint64_t y) const {
    return arith::CmpIOp::create(b, loc, predicate, x, integer(x, y));
  }
  template <typename OpT> Value apply(Value x, Value y) const {
    return OpT::create(b, loc, x, y);
  }
  template <typename OpT> Value apply(Value x, uint64_t y) const {
    return OpT::create(b, loc, x, integer(x, y));
  }
  Value select(Value condition, Value x, Value y) const {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
};

/// The encodings of a small format as unsigned magnitudes: the bits below the
/// sign.
struct Format {
  explicit Format(FloatType type)
      : semantics(type.getFloatSemantics()), width(type.getWidth()),
        mantissa(APFloatBase::semanticsPrecision(semantics) - 1),
        minExponent(APFloatBase::semanticsMinExponent(semantics)) {
    largest = APFloat::getLargest(semantics).bitcastToAPInt().getZExtValue();
    hasInf = APFloatBase::semanticsHasInf(semantics);
    hasNaN = APFloatBase::semanticsHasNaN(semantics);
    if (hasNaN)
      nan = APFloat::getNaN(semantics).bitcastToAPInt().getZExtValue();
    // The encoding of -0 is the only NaN there is.
    nanIsNegativeZero = hasNaN && nan == uint64_t(1) << (width - 1);
  }

  const fltSemantics &semantics;
  unsigned width, mantissa;
  int minExponent;
  uint64_t largest, nan = 0;
  bool hasInf, hasNaN, nanIsNegativeZero;
};

/// Widens exactly: the mantissa moves to the top, the exponent gets the bias of
/// the wide format. A number below the smallest exponent is counted instead.
struct ExpandExtF : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isSmall(op.getIn().getType()))
      return rewriter.notifyMatchFailure(op, "not from a small float");
    Format format(cast<FloatType>(getElementTypeOrSelf(op.getIn().getType())));
    Builder b{rewriter, op.getLoc(), op.getIn().getType()};
    FloatType f32 = rewriter.getF32Type();
    Value raw = arith::ExtUIOp::create(rewriter, op.getLoc(),
                                       b.shaped(rewriter.getI32Type()),
                                       b.bits(op.getIn()));
    uint64_t signBit = uint64_t(1) << (format.width - 1);
    Value magnitude = b.apply<arith::AndIOp>(raw, signBit - 1);
    Value sign = b.apply<arith::AndIOp>(raw, signBit);
    sign = b.apply<arith::ShLIOp>(sign, 32 - format.width);

    unsigned shift = 23 - format.mantissa;
    // The least normal number has exponent field 1 in either format.
    uint64_t bias = uint64_t(127 + format.minExponent - 1) << 23;
    Value normal = b.apply<arith::ShLIOp>(magnitude, shift);
    normal = b.apply<arith::AddIOp>(normal, bias);
    Value count = arith::SIToFPOp::create(rewriter, op.getLoc(), b.shaped(f32),
                                          magnitude);
    Value unit = b.constant(rewriter.getFloatAttr(
        f32, std::ldexp(1.0, format.minExponent - int(format.mantissa))));
    Value denormal =
        b.bits(arith::MulFOp::create(rewriter, op.getLoc(), count, unit));
    Value isDenormal = b.compare(arith::CmpIPredicate::ult, magnitude,
                                 uint64_t(1) << format.mantissa);
    Value result = b.select(isDenormal, denormal, normal);
    if (format.hasInf || (format.hasNaN && !format.nanIsNegativeZero)) {
      Value special = b.integer(result, 0x7fc00000);
      if (format.hasInf)
        special = b.select(
            b.compare(arith::CmpIPredicate::eq, magnitude, format.largest + 1),
            b.integer(result, 0x7f800000), special);
      Value isSpecial =
          b.compare(arith::CmpIPredicate::ugt, magnitude, format.largest);
      result = b.select(isSpecial, special, result);
    }
    result = arith::OrIOp::create(rewriter, op.getLoc(), result, sign);
    if (format.nanIsNegativeZero)
      result = b.select(b.compare(arith::CmpIPredicate::eq, raw, signBit),
                        b.integer(result, 0x7fc00000), result);
    Value wide = b.number(result, f32);

    auto target = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    if (target.getWidth() > 32)
      wide = arith::ExtFOp::create(rewriter, op.getLoc(), op.getType(), wide);
    else if (target != f32)
      wide = arith::TruncFOp::create(rewriter, op.getLoc(), op.getType(), wide);
    rewriter.replaceOp(op, wide);
    return success();
  }
};

/// Rounds to the nearest, ties to even: a number that is normal in the small
/// format by an addition to its bits; a smaller one by adding a number so large
/// that the unit in the last place is the smallest denormal.
struct ExpandTruncF : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isSmall(op.getType()))
      return rewriter.notifyMatchFailure(op, "not to a small float");
    Location loc = op.getLoc();
    auto target = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    Format format(target);
    Builder b{rewriter, loc, op.getType()};
    Value in = op.getIn();
    auto wide = cast<FloatType>(getElementTypeOrSelf(in.getType()));
    if (wide.getWidth() >= 32 && !wide.isF32() && !wide.isF64())
      return rewriter.notifyMatchFailure(op, "not from f32, f64 or less");
    if (wide.getWidth() < 32) {
      wide = rewriter.getF32Type();
      in = arith::ExtFOp::create(rewriter, loc, b.shaped(wide), in);
    }
    unsigned width = wide.getWidth();
    unsigned mantissa = width == 32 ? 23 : 52;
    int bias = width == 32 ? 127 : 1023;

    Value raw = b.bits(in);
    Value magnitude = b.apply<arith::AndIOp>(
        raw, b.integer(raw, APInt::getSignedMaxValue(width)));
    Value sign =
        b.apply<arith::ShRUIOp>(raw, b.integer(raw, width - format.width));
    uint64_t signBit = uint64_t(1) << (format.width - 1);
    sign = b.apply<arith::AndIOp>(sign, b.integer(raw, signBit));

    unsigned shift = mantissa - format.mantissa;
    Value amount = b.integer(raw, shift);
    Value odd = b.apply<arith::ShRUIOp>(magnitude, amount);
    odd = b.apply<arith::AndIOp>(odd, b.integer(raw, 1));
    Value rounded = b.apply<arith::AddIOp>(
        magnitude, b.integer(raw, (uint64_t(1) << (shift - 1)) - 1));
    rounded = b.apply<arith::AddIOp>(rounded, odd);
    Value normal = b.apply<arith::ShRUIOp>(rounded, amount);
    normal = b.apply<arith::SubIOp>(
        normal, b.integer(raw, uint64_t(bias + format.minExponent - 1)
                                   << format.mantissa));

    int unit = format.minExponent - int(format.mantissa) + int(mantissa);
    Value magic =
        b.constant(rewriter.getFloatAttr(wide, std::ldexp(1.0, unit)));
    Value shifted =
        arith::AddFOp::create(rewriter, loc, b.number(magnitude, wide), magic);
    Value denormal = b.apply<arith::SubIOp>(b.bits(shifted), b.bits(magic));
    Value isDenormal =
        b.compare(arith::CmpIPredicate::ult, magnitude,
                  uint64_t(bias + format.minExponent) << mantissa);
    Value result = b.select(isDenormal, denormal, normal);

    // Infinity, NaN, and values that would round to them.
    uint64_t infinity = uint64_t(2 * bias + 1) << mantissa;
    uint64_t overflow = format.hasInf   ? format.largest + 1
                        : format.hasNaN ? format.nan
                                        : format.largest;
    Value tooLarge =
        b.compare(arith::CmpIPredicate::ugt, result, format.largest);
    result = b.select(tooLarge, b.integer(raw, overflow), result);
    // If there is no NaN, it becomes -0, as in XLA.
    result =
        b.select(b.compare(arith::CmpIPredicate::ugt, magnitude, infinity),
                 b.integer(raw, format.hasNaN ? format.nan : signBit), result);
    Value signedResult = b.apply<arith::OrIOp>(result, sign);
    if (format.nanIsNegativeZero) {
      // Neither NaN nor zero has a sign.
      Value hasSign = b.compare(
          arith::CmpIPredicate::ult,
          b.apply<arith::SubIOp>(result, b.integer(raw, 1)), format.largest);
      signedResult = b.select(hasSign, signedResult, result);
    }
    Value narrow = arith::TruncIOp::create(
        rewriter, loc, b.shaped(rewriter.getIntegerType(format.width)),
        signedResult);
    rewriter.replaceOp(op, b.number(narrow, target));
    return success();
  }
};

/// A power of two is an exponent: that of the nearest one, and the larger of
/// two as near. Neither zero nor a negative number has one.
struct ExpandTruncFToExponent : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type target = getElementTypeOrSelf(op.getType());
    if (isArray(op.getType()) || !isa<Float8E8M0FNUType>(target))
      return rewriter.notifyMatchFailure(op, "not to powers of two");
    Location loc = op.getLoc();
    Builder b{rewriter, loc, op.getType()};
    Value in = op.getIn();
    Type f32 = b.shaped(rewriter.getF32Type());
    unsigned width = getElementTypeOrSelf(in.getType()).getIntOrFloatBitWidth();
    if (width < 32)
      in = arith::ExtFOp::create(rewriter, loc, f32, in);
    else if (width > 32)
      in = arith::TruncFOp::create(rewriter, loc, f32, in);
    Value raw = b.bits(in);
    Value exponent = b.apply<arith::ShRUIOp>(
        b.apply<arith::AddIOp>(raw, uint64_t(1) << 22), uint64_t(23));
    Value nan = b.integer(raw, 255);
    exponent = b.apply<arith::MinUIOp>(exponent, nan);
    exponent =
        b.select(b.compare(arith::CmpIPredicate::sle, raw, 0), nan, exponent);
    Value narrow = arith::TruncIOp::create(
        rewriter, loc, b.shaped(rewriter.getI8Type()), exponent);
    rewriter.replaceOp(op, b.number(narrow, cast<FloatType>(target)));
    return success();
  }
};

class LoopsExpandSmallFloatsPass
    : public gridir::loops::impl::LoopsExpandSmallFloatsPassBase<
          LoopsExpandSmallFloatsPass> {
public:
  using LoopsExpandSmallFloatsPassBase::LoopsExpandSmallFloatsPassBase;

  void runOnOperation() override {
    SmallVector<Type> used = collectSmallTypes();
    if (used.empty())
      return;
    if (failed(computeInF32(used)))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExtF, ExpandTruncF, ExpandTruncFToExponent>(
        &getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }

private:
  /// The types of values that are computed with in f32.
  SmallVector<Type> collectSmallTypes() {
    llvm::SetVector<Type> types;
    auto consider = [&](Type type) {
      auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
      if (element && (element.getWidth() <= 8 || element.isBF16()))
        types.insert(element);
    };
    getOperation()->walk([&](Operation *op) {
      llvm::for_each(op->getOperandTypes(), consider);
      llvm::for_each(op->getResultTypes(), consider);
    });
    return types.takeVector();
  }

  /// Arithmetic becomes that of f32, and each result is rounded.
  LogicalResult computeInF32(ArrayRef<Type> types) {
    TypeConverter converter;
    arith::populateEmulateUnsupportedFloatsConversions(
        converter, types, Float32Type::get(&getContext()));
    RewritePatternSet patterns(&getContext());
    arith::populateEmulateUnsupportedFloatsPatterns(patterns, converter);
    ConversionTarget target(getContext());
    arith::populateEmulateUnsupportedFloatsLegality(target, converter);
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      return failure();
    // Upstream lets a rounding and the widening after it cancel, as excess
    // precision. JAX rounds every result.
    getOperation()->walk([](Operation *op) {
      if (auto rounding = dyn_cast<arith::TruncFOp>(op))
        rounding.removeFastmathAttr();
      else if (auto widening = dyn_cast<arith::ExtFOp>(op))
        widening.removeFastmathAttr();
    });
    return success();
  }
};

} // namespace
