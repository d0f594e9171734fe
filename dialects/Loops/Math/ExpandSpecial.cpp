//===- ExpandSpecial.cpp - roots, error functions and remainders ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Math/MathExpansions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace gridir::loops {

Real expandCbrt(Real x) {
  Real size = abs(x);
  // Away from denormals, and from where a cube may be too large.
  Value small = size.is(CmpFPredicate::OLT, 0x1p-1000);
  Value large = size.is(CmpFPredicate::OGT, 0x1p1000);
  Real a = select(small, size * 0x1p54, size);
  a = select(large, size * 0x1p-54, a);
  // A third of the bits is a third of the logarithm, to a few percent; the
  // constant gives back two thirds of the exponent's bias.
  Real y = fromBits(a.bits() / 3 + 0x2a9f800000000000);
  // Each step of Halley's has the third power of the error before.
  for (unsigned step = 0; step < 2; ++step) {
    Real cube = y * y * y;
    y = y * ((cube + 2.0 * a) / (2.0 * cube + a));
  }
  // One Newton step, whose small term is computed with twice the precision.
  Pair square = multiplyExactly(y, y);
  Pair cube = multiplyExactly(square.hi, y);
  Real residual = (cube.hi - a) + (cube.lo + square.lo * y);
  y = y - residual / (3.0 * square.hi);
  y = select(small, y * 0x1p-18, y);
  y = select(large, y * 0x1p18, y);
  // Zeros, infinities and NaN are their own roots.
  Value plain = both(*x.b, size.is(CmpFPredicate::OGT, 0.0),
                     size.is(CmpFPredicate::OLT, kInfinity));
  return select(plain, copySign(y, x), x);
}

//===----------------------------------------------------------------------===//
// Error functions
//===----------------------------------------------------------------------===//

/// erf x for |x| < 1/2, by its series.
static Real erfOfSmall(Real x) {
  constexpr double twoOverRootPi = 0x1.20dd750429b6dp+0;
  SmallVector<double> series;
  double factorial = 1;
  for (unsigned k = 0; k < 14; ++k) {
    factorial *= std::max(k, 1u);
    series.push_back((k % 2 ? -1.0 : 1.0) * twoOverRootPi /
                     (factorial * (2 * k + 1)));
  }
  return x * polynomial(x * x, series);
}

/// erfc x for x >= 1/2, as e^(-x^2) / (1 + 2 x) and a factor near 1: a
/// polynomial of (x - 3.75) / (x + 3.75), which interpolates it where Chebyshev
/// says, from 1/2 to 28, to 4e-19. Beyond, erfc is 0.
static Real erfcOfLarge(Real x) {
  static constexpr double factor[] = {
      1.2375775878742366,      -0.1071803522357911,    0.002027266560559064,
      0.03681584375577845,     -0.03718972455070293,   0.02410715250408014,
      -0.01171271015165235,    0.004324272751853535,   -0.0011350853023266068,
      0.0001560185270369606,   2.0064048409368724e-05, -1.5086964295271064e-05,
      2.0450484746127955e-06,  6.813744892981381e-07,  -2.652051464620538e-07,
      -1.7485338310944815e-08, 2.3734499299592244e-08, -5.623340754204433e-10,
      -2.0462296309843425e-09, 1.3144347998767065e-10, 1.7376382838632841e-10,
      -9.742093124162012e-12,  -1.085201639703848e-11,
  };
  x = clamp(x, 0.5, 28);
  Real t = (x - 3.75) / (x + 3.75);
  // From the interval of t to that between -1 and 1.
  Real u = (t + 0.0004631773969430292) * 1.3084848484848486;
  Pair square = multiplyExactly(x, x);
  Real power = expandExp(Pair{-square.hi, -square.lo});
  return power * (polynomial(u, factor) / (1.0 + 2.0 * x));
}

Real expandErf(Real x) {
  Real size = abs(x);
  Real large = copySign(1.0 - erfcOfLarge(size), x);
  return select(size.is(CmpFPredicate::OLT, 0.5), erfOfSmall(x), large);
}

Real expandErfc(Real x) {
  Real size = abs(x);
  Real large = erfcOfLarge(size);
  large = select(x.is(CmpFPredicate::OLT, 0.0), 2.0 - large, large);
  return select(size.is(CmpFPredicate::OLT, 0.5), 1.0 - erfOfSmall(x), large);
}

//===----------------------------------------------------------------------===//
// Remainders
//===----------------------------------------------------------------------===//

namespace {

/// Long division, with as many binary digits per step as fit in 64 bits.
class Remainder {
public:
  Remainder(MathBuilder &b, FloatType type)
      : b(b), type(type), width(type.getWidth()),
        mantissa(type.getFPMantissaWidth() - 1) {}

  Value create(Value x, Value y) {
    Int bitsOfX = getBits(x), bitsOfY = getBits(y);
    uint64_t signBit = uint64_t(1) << (width - 1);
    Int sizeOfX = bitsOfX & (signBit - 1), sizeOfY = bitsOfY & (signBit - 1);
    Number a = split(sizeOfX), c = split(sizeOfY);
    Int rest = divide(a, c);

    // The rest counts units in the last place of the divisor.
    Int zeros{&b, math::CountLeadingZerosOp::create(b, rest.value)};
    zeros = zeros - (63 - mantissa);
    Int room = c.exponent - 1;
    Int shift = select(zeros.is(CmpIPredicate::ult, room), zeros, room);
    Int result = (rest << shift) + ((c.exponent - shift - 1) << mantissa);
    result = select(rest.is(CmpIPredicate::eq, 0), rest, result);

    result = select(sizeOfX.is(CmpIPredicate::ult, sizeOfY), sizeOfX, result);
    // Nothing remains of infinity or a NaN, nor when zero or a NaN divides.
    uint64_t infinity = (signBit - 1) >> mantissa << mantissa;
    Int nan = result.constant(infinity | uint64_t(1) << (mantissa - 1));
    Value none = either(b, sizeOfX.is(CmpIPredicate::uge, infinity),
                        sizeOfY.is(CmpIPredicate::ugt, infinity));
    none = either(b, none, sizeOfY.is(CmpIPredicate::eq, 0));
    result = select(none, nan, result | (bitsOfX & signBit));
    return toNumber(result);
  }

private:
  /// mantissa * 2^(exponent + a constant).
  struct Number {
    Int mantissa, exponent;
  };

  Int getBits(Value x) {
    Value bits = arith::BitcastOp::create(b, b.getIntegerType(width), x);
    if (width < 64)
      bits = arith::ExtUIOp::create(b, b.getI64Type(), bits);
    return {&b, bits};
  }

  Value toNumber(Int bits) {
    Value value = bits.value;
    if (width < 64)
      value = arith::TruncIOp::create(b, b.getIntegerType(width), value);
    return arith::BitcastOp::create(b, type, value);
  }

  Number split(Int size) {
    Int exponent = size >> mantissa;
    uint64_t first = uint64_t(1) << mantissa;
    Int digits = size & (first - 1);
    Value denormal = exponent.is(CmpIPredicate::eq, 0);
    return {select(denormal, digits, digits | first),
            select(denormal, digits.constant(1), exponent)};
  }

  Int divide(Number a, Number c) {
    // A zero divisor is replaced, so that it does not reach the division.
    Value zero = c.mantissa.is(CmpIPredicate::eq, 0);
    Int divisor = select(zero, c.mantissa.constant(1), c.mantissa);
    Int first = a.mantissa % divisor;
    Int shifts = a.exponent - c.exponent;
    unsigned step = 63 - mantissa;
    SmallVector<Type> types(2, b.getI64Type());
    auto loop = scf::WhileOp::create(
        b, types, ValueRange{first.value, shifts.value},
        [&](OpBuilder &inner, Location loc, ValueRange args) {
          MathBuilder b(loc, inner);
          Value more = Int{&b, args[1]}.is(CmpIPredicate::sgt, 0);
          scf::ConditionOp::create(b, more, args);
        },
        [&](OpBuilder &inner, Location loc, ValueRange args) {
          MathBuilder b(loc, inner);
          Int rest{&b, args[0]}, left{&b, args[1]};
          Int now = select(left.is(CmpIPredicate::ult, step), left,
                           left.constant(step));
          rest = (rest << now) % Int{&b, divisor.value};
          scf::YieldOp::create(b, ValueRange{rest.value, (left - now).value});
        });
    return {&b, loop.getResult(0)};
  }

  MathBuilder &b;
  FloatType type;
  unsigned width, mantissa;
};

} // namespace

Value expandRemainder(MathBuilder &b, Value x, Value y) {
  return Remainder(b, cast<FloatType>(x.getType())).create(x, y);
}

} // namespace gridir::loops
