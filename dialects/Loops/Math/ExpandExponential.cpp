//===- ExpandExponential.cpp - exponentials and logarithms of doubles -----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Math/MathExpansions.h"

using namespace mlir;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace gridir::loops {
namespace {

constexpr double kLog2E = 0x1.71547652b82fep+0;
constexpr double kLog2ELow = 0x1.777d0ffda0d24p-56;
constexpr double kLog10E = 0x1.bcb7b1526e50ep-2;
constexpr double kLog10ELow = 0x1.95355baaafad3p-57;
constexpr double kLn2 = 0x1.62e42fefa39efp-1;
constexpr double kLn2Low = 0x1.abc9e3b39803fp-56;
/// The first 42 bits of ln 2, whose product with an exponent is exact, and the
/// rest.
constexpr double kLn2Short = 0x1.62e42fefa3800p-1;
constexpr double kLn2Rest = 0x1.ef35793c76730p-45;

/// Coefficients 1/k! from k = `first` to 13: enough for |x| <= ln 2 / 2.
SmallVector<double> getExpCoefficients(unsigned first) {
  SmallVector<double> result;
  double factorial = 1;
  for (unsigned k = 0; k <= 13; ++k) {
    factorial *= std::max(k, 1u);
    if (k >= first)
      result.push_back(1 / factorial);
  }
  return result;
}

/// 2^n for an exponent of a normal number.
Real powerOfTwo(Int n) { return fromBits((n + 1023) << 52); }

/// x * 2^n in two steps, so that neither power leaves the range of a double.
Real scale(Real x, Int n) {
  Int half = shiftArithmetic(n, 1);
  return x * powerOfTwo(half) * powerOfTwo(n - half);
}

/// A positive number as m * 2^k with m between sqrt(1/2) and sqrt(2).
struct Split {
  Real m, k;
};

Split split(Real x) {
  Value denormal = x.is(CmpFPredicate::OLT, 0x1p-1022);
  Int bits = select(denormal, x * 0x1p54, x).bits();
  Int k = shiftArithmetic(bits - 0x3fe6a09e667f3bcd, 52);
  Int m = bits - (k << 52);
  return {fromBits(m), fromSigned(k) + select(denormal, -54.0, x.constant(0))};
}

/// log(1 + f) = f - (f^2/2 - s (f^2/2 + R)) with s = f / (2 + f) and R the rest
/// of the series of 2 atanh s. Returns the part that is subtracted from f.
Real logOfFraction(Real f) {
  Real s = f / (f + 2.0);
  Real z = s * s;
  SmallVector<double> series;
  for (unsigned k = 3; k <= 23; k += 2)
    series.push_back(2.0 / k);
  Real rest = z * polynomial(z, series);
  Real half = 0.5 * f * f;
  return half - s * (half + rest);
}

/// Returns the logarithm for numbers outside of its domain, and for infinity.
Real fixLog(Real x, Real result) {
  result = select(x.is(CmpFPredicate::OEQ, 0.0), -kInfinity, result);
  result = select(x.is(CmpFPredicate::ULT, 0.0), kNaN, result);
  return select(x.is(CmpFPredicate::OEQ, kInfinity), kInfinity, result);
}

/// log x as the sum of two doubles, for a positive number: to 64 bits, so that
/// a power, whose exponent multiplies the error, keeps 53.
Pair logToPair(Real x) {
  Split parts = split(x);
  Real f = parts.m - 1.0;
  Pair sum = addSmaller(f.constant(2.0), f);
  Real quotient = f / sum.hi;
  Real rest = fma(-quotient, sum.hi, f) - quotient * sum.lo;
  Pair s{quotient, rest / sum.hi};
  Pair square = s * s;
  // 2 atanh s = s (2 + s^2 (2/3 + s^2 (2/5 + ...))): the sum in the inner
  // parentheses is the first that needs no more than a double.
  SmallVector<double> series;
  for (unsigned k = 5; k <= 23; k += 2)
    series.push_back(2.0 / k);
  Real tail = square.hi * polynomial(square.hi, series);
  constexpr double third = 2.0 / 3.0;
  Pair inner = addSmaller(f.constant(third), tail);
  // 2/3 is a double and a third of a unit of its last place.
  inner.lo = inner.lo + 0x1.5555555555555p-55;
  Pair product = square * inner;
  Pair outer = addSmaller(f.constant(2.0), product.hi);
  outer.lo = outer.lo + product.lo;
  Pair ofM = s * outer;
  Pair result = addExactly(parts.k * kLn2Short, ofM.hi);
  return addSmaller(result.hi, result.lo + (ofM.lo + parts.k * kLn2Rest));
}

} // namespace

Real expandExp(Pair x) {
  // Beyond these bounds the result is 0 or infinity.
  Real hi = clamp(x.hi, -800, 800);
  Value inside = abs(x.hi).is(CmpFPredicate::OLT, 800.0);
  Real lo = select(inside, x.lo, hi.constant(0));
  Real n = round(hi * kLog2E);
  Real r = fma(n, -kLn2Low, fma(n, -kLn2, hi)) + lo;
  return scale(polynomial(r, getExpCoefficients(0)), toInt(n));
}

Real expandExp(Real x) { return expandExp(Pair{x, x.constant(0)}); }

Real expandExp2(Real x) {
  Real inside = clamp(x, -1100, 1100);
  Real n = round(inside);
  Real r = (inside - n) * kLn2;
  return scale(polynomial(r, getExpCoefficients(0)), toInt(n));
}

Real expandExpM1(Real x) {
  // 2^k (e^r - 1) + (2^k - 1), in halves since 2^k may be too large.
  Real inside = clamp(x, -50, 709.9);
  Real n = round(inside * kLog2E);
  Real r = fma(n, -kLn2Low, fma(n, -kLn2, inside));
  Real fraction = fma(r * r, polynomial(r, getExpCoefficients(2)), r);
  Real half = powerOfTwo(toInt(n) - 1);
  Real result = 2.0 * fma(half, fraction, half - 0.5);
  return select(abs(x).is(CmpFPredicate::OLT, 0x1p-54), x, result);
}

Real expandLog(Real x) {
  Split parts = split(x);
  Real f = parts.m - 1.0;
  Real less = logOfFraction(f) - parts.k * kLn2Rest;
  return fixLog(x, parts.k * kLn2Short - (less - f));
}

Real expandLog2(Real x) {
  Split parts = split(x);
  Real f = parts.m - 1.0;
  Real log = f - logOfFraction(f);
  return fixLog(x, fma(log, kLog2E, parts.k) + log * kLog2ELow);
}

Real expandLog10(Real x) {
  Real log = expandLog(x);
  return select(abs(log).is(CmpFPredicate::OLT, kInfinity),
                fma(log, kLog10E, log * kLog10ELow), log);
}

Real expandLog1p(Real x) {
  // log(1 + x) = log u + (1 + x - u) / u, where u is 1 + x rounded.
  Pair u = addExactly(x.constant(1.0), x);
  Real result = expandLog(u.hi);
  // No correction for 0 and infinity.
  Value plain = both(*x.b, u.hi.is(CmpFPredicate::OGT, 0.0),
                     x.is(CmpFPredicate::OLT, kInfinity));
  result = select(plain, result + u.lo / u.hi, result);
  return select(abs(x).is(CmpFPredicate::OLT, 0x1p-54), x, result);
}

Real expandPow(Real x, Real y) {
  MathBuilder &b = *x.b;
  Real base = abs(x);
  Pair log = logToPair(base);
  Pair product = multiplyExactly(log.hi, y);
  product.lo = product.lo + log.lo * y;
  Real result = expandExp(product);

  // Where something is zero or infinite, so is the result.
  Real size = abs(y);
  Value grows =
      negate(b, arith::XOrIOp::create(b, base.is(CmpFPredicate::OGT, 1.0),
                                      y.is(CmpFPredicate::OGT, 0.0)));
  Value extreme = either(b, base.is(CmpFPredicate::OEQ, 0.0),
                         base.is(CmpFPredicate::OEQ, kInfinity));
  extreme = either(b, extreme, size.is(CmpFPredicate::OEQ, kInfinity));
  Real limit = select(grows, kInfinity, x.constant(0));
  result = select(extreme, limit, result);

  // A negative number has integral powers only.
  Value integral = floor(y).is(CmpFPredicate::OEQ, y);
  Real half = 0.5 * y;
  Value odd = both(b, integral, floor(half).is(CmpFPredicate::ONE, half));
  odd = both(b, odd, size.is(CmpFPredicate::OLT, kInfinity));
  Real sign = select(odd, x, x.constant(1.0));
  result = copySign(result, sign);
  Value hasNone = both(b, x.is(CmpFPredicate::OLT, 0.0), negate(b, integral));
  hasNone = both(b, hasNone, negate(b, extreme));
  result = select(hasNone, kNaN, result);

  result = select(either(b, x.isNaN(), y.isNaN()), x + y, result);
  Value one =
      either(b, x.is(CmpFPredicate::OEQ, 1.0), y.is(CmpFPredicate::OEQ, 0.0));
  Value unit = both(b, base.is(CmpFPredicate::OEQ, 1.0),
                    size.is(CmpFPredicate::OEQ, kInfinity));
  return select(either(b, one, unit), 1.0, result);
}

Real expandSinh(Real x) {
  Real size = abs(x);
  Real less = expandExpM1(size);
  Real result = 0.5 * (less + less / (less + 1.0));
  // e^x is too large where e^x / 2 may not be.
  Real root = expandExp(0.5 * size);
  result =
      select(size.is(CmpFPredicate::OGT, 709.0), 0.5 * root * root, result);
  return copySign(result, x);
}

Real expandCosh(Real x) {
  Real size = abs(x);
  Real power = expandExp(size);
  Real root = expandExp(0.5 * size);
  return select(size.is(CmpFPredicate::OGT, 709.0), 0.5 * root * root,
                0.5 * power + 0.5 / power);
}

Real expandTanh(Real x) {
  Real less = expandExpM1(-2.0 * abs(x));
  return copySign(-less / (less + 2.0), x);
}

/// Numbers whose square may be too large; log(2 x) is as good for them.
static constexpr double kHuge = 0x1p500;

Real expandAsinh(Real x) {
  Real size = abs(x);
  Value huge = size.is(CmpFPredicate::OGT, kHuge);
  Real square = size * size;
  Real more = size + square / (1.0 + sqrt(square + 1.0));
  Real log = expandLog1p(select(huge, size, more));
  return copySign(select(huge, log + kLn2, log), x);
}

Real expandAcosh(Real x) {
  Value huge = x.is(CmpFPredicate::OGT, kHuge);
  Real t = x - 1.0;
  Real more = t + sqrt(2.0 * t + t * t);
  Real log = expandLog1p(select(huge, x, more));
  Real result = select(huge, log + kLn2, log);
  return select(x.is(CmpFPredicate::OLT, 1.0), kNaN, result);
}

Real expandAtanh(Real x) {
  Real size = abs(x);
  return copySign(0.5 * expandLog1p(2.0 * size / (1.0 - size)), x);
}

} // namespace gridir::loops
