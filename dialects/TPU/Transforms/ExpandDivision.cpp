//===- ExpandDivision.cpp - Integer division by a float reciprocal --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/Builders.h"
#include "dialects/TPU/IR/TPU.h"
#include "dialects/TPU/Transforms/Guards.h"
#include "dialects/TPU/Transforms/Numbers.h"
#include "dialects/TPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace gridir::tpu {
#define GEN_PASS_DEF_TPUEXPANDDIVISIONPASS
#include "dialects/TPU/Transforms/Passes.h.inc"
} // namespace gridir::tpu

using namespace mlir;
using namespace gridir;
using namespace gridir::tpu;

namespace {

/// The relative error that an estimate of a quotient may have: 64 times that of
/// a rounding to f32, for two conversions, a reciprocal and two products.
constexpr double kTolerance = 1.0 / (1 << 18);

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

/// Returns the only user of a value if it selects another value where
/// `divisor == number`, and this one elsewhere.
arith::SelectOp getReplacement(Value value, Value divisor, int64_t number) {
  if (!value.hasOneUse())
    return {};
  auto choice = dyn_cast<arith::SelectOp>(*value.user_begin());
  if (!choice || choice.getFalseValue() != value ||
      !isTestFor(choice.getCondition(), divisor, number))
    return {};
  return choice;
}

/// A division, and the value that its expansion replaces: the result of the op,
/// or of a guard that the expansion makes unnecessary.
struct Division {
  Operation *op;
  Value dividend, divisor, replaced;
  bool isSigned, isRemainder;
  /// The quotient by 0 of a guard that is replaced, a constant.
  Value quotientByZero;
};

/// The expansion of a quotient by -1 is the negative, and that of a quotient by
/// 0 needs no other divisor.
void dropQuotientGuards(Division &division) {
  Divisor found = getDivisor(division.divisor);
  Value replaced = division.replaced;
  if (found.isGuardedFromMinusOne) {
    arith::SelectOp choice = getReplacement(replaced, found.value, -1);
    auto negative = choice
                        ? choice.getTrueValue().getDefiningOp<arith::SubIOp>()
                        : arith::SubIOp();
    if (!negative || !matchPattern(negative.getLhs(), m_Zero()) ||
        negative.getRhs() != division.dividend)
      return;
    replaced = choice;
  }
  if (found.isGuardedFromZero) {
    arith::SelectOp choice = getReplacement(replaced, found.value, 0);
    if (!choice || !matchPattern(choice.getTrueValue(), m_Constant()))
      return;
    // The unit for numbers gives the quotient of JAX.
    if (!isa<VectorType>(choice.getType()) &&
        !isNumber(choice.getTrueValue(), -1))
      return;
    replaced = choice;
    division.quotientByZero = choice.getTrueValue();
  }
  division.divisor = found.value;
  division.replaced = replaced;
}

/// The expansion of a remainder by -1 is 0, as by 1, and that of a remainder by
/// 0 is the dividend.
void dropRemainderGuards(Division &division) {
  Divisor found = getDivisor(division.divisor);
  if (found.isGuardedFromZero) {
    arith::SelectOp choice = getReplacement(division.replaced, found.value, 0);
    if (!choice || choice.getTrueValue() != division.dividend)
      return;
    division.replaced = choice;
  }
  division.divisor = found.value;
}

/// Returns a division of integer vectors, or of numbers of 32 bits.
std::optional<Division> getDivision(Operation *op) {
  if (!isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return std::nullopt;
  Type result = op->getResult(0).getType();
  auto type = dyn_cast<VectorType>(result);
  if (type ? type.getElementTypeBitWidth() > 32 : !result.isInteger(32))
    return std::nullopt;
  return Division{op,
                  op->getOperand(0),
                  op->getOperand(1),
                  op->getResult(0),
                  isa<arith::DivSIOp, arith::RemSIOp>(op),
                  isa<arith::RemSIOp, arith::RemUIOp>(op),
                  /*quotientByZero=*/Value()};
}

/// The unit for numbers divides. libtpu multiplies vectors by the inverse of a
/// constant of 32 bits, and shifts for a power of two.
bool isLeftToLibtpu(Value divisor) {
  if (!isa<VectorType>(divisor.getType()))
    return true;
  APInt number;
  return matchPattern(divisor, m_ConstantInt(&number)) && !number.isZero() &&
         !number.isAllOnes() &&
         (number.getBitWidth() > 16 || number.isPowerOf2());
}

//===----------------------------------------------------------------------===//
// Expansion
//===----------------------------------------------------------------------===//

/// Arithmetic in 32 bits on vectors of one shape.
class Arithmetic {
public:
  Arithmetic(OpBuilder &builder, Location loc, VectorType type)
      : builder(builder), loc(loc), integers(type.clone(builder.getI32Type())),
        floats(type.clone(builder.getF32Type())) {}

  template <typename OpT, typename... Args> Value create(Args... args) const {
    return OpT::create(builder, loc, args...).getResult();
  }
  Value integer(int64_t number) const {
    return createInteger(builder, loc, integers, number);
  }
  Value isNegative(Value x) const {
    return create<arith::CmpIOp>(arith::CmpIPredicate::slt, x, integer(0));
  }
  Value negate(Value x) const { return create<arith::SubIOp>(integer(0), x); }

  /// Returns narrow integers in 32 bits; constants stay constants.
  Value widen(Value x, bool isSigned) const {
    APInt number;
    if (matchPattern(x, m_ConstantInt(&number)))
      return integer(isSigned ? number.getSExtValue()
                              : int64_t(number.getZExtValue()));
    if (isSigned)
      return create<arith::ExtSIOp>(integers, x);
    return create<arith::ExtUIOp>(integers, x);
  }

  /// Mosaic converts only integers with a sign.
  Value toFloat(Value x, bool isSigned) const {
    Value value = create<arith::SIToFPOp>(floats, x);
    if (isSigned)
      return value;
    Value offset = createFloat(builder, loc, floats, 0x1p32);
    Value sum = create<arith::AddFOp>(value, offset);
    return create<arith::SelectOp>(isNegative(x), sum, value);
  }

  /// Returns `scale / y`; the result for 0 is undefined.
  Value reciprocal(Value y, double scale, bool isSigned) const {
    APInt number;
    if (matchPattern(y, m_ConstantInt(&number)))
      return createFloat(builder, loc, floats,
                         scale / double(number.getSExtValue()));
    Value value = create<ReciprocalOp>(floats, toFloat(y, isSigned),
                                       /*approx=*/false, /*full_range=*/false);
    return create<arith::MulFOp>(value,
                                 createFloat(builder, loc, floats, scale));
  }

  /// Returns `x * factor`, rounded towards zero. The conversion saturates, and
  /// gives some integer for what is no number.
  Value scale(Value x, Value factor, bool isSigned) const {
    Value product = create<arith::MulFOp>(toFloat(x, isSigned), factor);
    return create<arith::FPToSIOp>(integers, product);
  }

  /// Returns `x - quotient * y`.
  Value subtract(Value x, Value quotient, Value y) const {
    return create<arith::SubIOp>(x, create<arith::MulIOp>(quotient, y));
  }

  /// Returns the quotient that the guard gives: another one by 0.
  Value selectQuotient(const Division &division, Value y,
                       Value quotient) const {
    if (!division.quotientByZero)
      return quotient;
    Value isZero =
        create<arith::CmpIOp>(arith::CmpIPredicate::eq, y, integer(0));
    return create<arith::SelectOp>(
        isZero, widen(division.quotientByZero, /*isSigned=*/true), quotient);
  }

private:
  OpBuilder &builder;
  Location loc;
  VectorType integers, floats;
};

/// Operands of at most 16 bits. The estimate is above an exact quotient, and
/// above others by less than the 1 / y that the next one is away.
Value expandNarrow(const Arithmetic &a, const Division &division) {
  Value x = a.widen(division.dividend, division.isSigned);
  Value y = a.widen(division.divisor, division.isSigned);
  Value factor = a.reciprocal(y, 1 + kTolerance, /*isSigned=*/true);
  Value result = a.scale(x, factor, /*isSigned=*/true);
  if (division.isRemainder)
    result = a.subtract(x, result, y);
  else
    result = a.selectQuotient(division, y, result);
  return a.create<arith::TruncIOp>(division.replaced.getType(), result);
}

/// Operands of 32 bits with a sign. The first estimate, which is not beyond the
/// quotient, leaves at most 2^14 and one divisor. That is divided in the same
/// way, and leaves less than two divisors.
Value expandSigned(const Arithmetic &a, const Division &division) {
  Value x = division.dividend, y = division.divisor;
  Value factor = a.reciprocal(y, 1 - kTolerance, /*isSigned=*/true);
  Value first = a.scale(x, factor, /*isSigned=*/true);
  Value rest = a.subtract(x, first, y);
  Value second = a.scale(rest, factor, /*isSigned=*/true);
  rest = a.subtract(rest, second, y);
  // The difference of two magnitudes has a sign, even if one is 2^31.
  Value excess = a.create<math::AbsIOp>(rest);
  excess = a.create<arith::SubIOp>(excess, a.create<math::AbsIOp>(y));
  Value isTooSmall = a.isNegative(excess);
  if (division.isRemainder) {
    Value negative = a.negate(excess);
    Value signedExcess =
        a.create<arith::SelectOp>(a.isNegative(rest), negative, excess);
    return a.create<arith::SelectOp>(isTooSmall, rest, signedExcess);
  }
  Value sum = a.create<arith::AddIOp>(first, second);
  // 1 with the sign of the quotient.
  Value sign = a.create<arith::XOrIOp>(x, y);
  sign = a.create<arith::ShRSIOp>(sign, a.integer(31));
  Value one = a.create<arith::OrIOp>(sign, a.integer(1));
  Value next = a.create<arith::AddIOp>(sum, one);
  return a.selectQuotient(division, y,
                          a.create<arith::SelectOp>(isTooSmall, sum, next));
}

/// The same without a sign. The first estimate is twice that of half the
/// dividend, which has a sign bit left, and leaves one divisor more.
Value expandUnsigned(const Arithmetic &a, const Division &division) {
  Value x = division.dividend, y = division.divisor;
  Value one = a.integer(1);
  Value factor = a.reciprocal(y, 1 - kTolerance, /*isSigned=*/false);
  Value half = a.create<arith::ShRUIOp>(x, one);
  Value first =
      a.create<arith::ShLIOp>(a.scale(half, factor, /*isSigned=*/true), one);
  Value rest = a.subtract(x, first, y);
  Value second = a.scale(rest, factor, /*isSigned=*/false);
  rest = a.subtract(rest, second, y);
  Value isLarge = a.create<arith::CmpIOp>(arith::CmpIPredicate::uge, rest, y);
  if (division.isRemainder)
    return a.create<arith::SelectOp>(isLarge, a.create<arith::SubIOp>(rest, y),
                                     rest);
  Value sum = a.create<arith::AddIOp>(first, second);
  Value next = a.create<arith::AddIOp>(sum, one);
  return a.selectQuotient(division, y,
                          a.create<arith::SelectOp>(isLarge, next, sum));
}

class TPUExpandDivisionPass
    : public gridir::tpu::impl::TPUExpandDivisionPassBase<
          TPUExpandDivisionPass> {
public:
  using TPUExpandDivisionPassBase::TPUExpandDivisionPassBase;

  void runOnOperation() override {
    // The compiler for SparseCores has its own expansion.
    auto core = getOperation()->getAttrOfType<CoreTypeAttr>(kCoreTypeName);
    if (core && core.getValue() != CoreType::Tc)
      return;
    SmallVector<Operation *> divisions;
    // A transform of a window keeps its guards, as libtpu analyzes it.
    getOperation().walk([&](Operation *op) {
      if (getDivision(op) && (core || isa<VectorType>(op->getResultTypes()[0])))
        divisions.push_back(op);
    });
    // Operands of one may be results of others.
    for (Operation *op : divisions)
      expand(*getDivision(op));
    IRRewriter rewriter(&getContext());
    if (!divisions.empty())
      (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }

private:
  void expand(Division division) {
    Value safe = division.divisor;
    if (division.isRemainder)
      dropRemainderGuards(division);
    else
      dropQuotientGuards(division);
    numGuards += safe != division.divisor;
    if (isLeftToLibtpu(division.divisor)) {
      division.op->setOperand(1, division.divisor);
      if (division.replaced != division.op->getResult(0))
        division.replaced.replaceAllUsesWith(division.op->getResult(0));
      return;
    }
    ++numDivisions;
    OpBuilder builder(division.replaced.getDefiningOp());
    auto type = cast<VectorType>(division.replaced.getType());
    Arithmetic arithmetic(builder, division.op->getLoc(), type);
    Value result;
    if (type.getElementTypeBitWidth() <= 16)
      result = expandNarrow(arithmetic, division);
    else if (division.isSigned)
      result = expandSigned(arithmetic, division);
    else
      result = expandUnsigned(arithmetic, division);
    division.replaced.replaceAllUsesWith(result);
  }
};

} // namespace
