//===- ExpandTrigonometric.cpp - circular functions of doubles ------------===//
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
namespace {

constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
/// Pi / 2 as the sum of three doubles.
constexpr double kHalfPi = 0x1.921fb54442d18p+0;
constexpr double kHalfPiMiddle = 0x1.1a62633145c07p-54;
constexpr double kHalfPiLow = -0x1.f1976b7ed8fbcp-110;

/// The bits of 2 / pi after the binary point; the first word is the 64 bits
/// before it.
constexpr uint64_t kTwoOverPiBits[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0,
    0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
};
/// How many consecutive words of the table a product reads.
constexpr unsigned kWindow = 4;

/// An angle between -pi/4 and pi/4, and how many quarter turns were taken off.
struct Angle {
  Int quarters;
  Pair rest;
};

/// Angles up to 2^25: the product of the quarter turns and pi/2 is subtracted
/// with three times the precision of a double.
Angle reduceSmall(Real x) {
  Real n = round(x * kTwoOverPi);
  // The first difference is exact: both are multiples of 2^-53.
  Real first = fma(n, -kHalfPi, x);
  Pair product = multiplyExactly(n, n.constant(kHalfPiMiddle));
  Pair rest = addExactly(first, -product.hi);
  Real low = rest.lo - product.lo - n * kHalfPiLow;
  return {toInt(n), addSmaller(rest.hi, low)};
}

/// The 64 bits of 2 / pi from bit `shift` of the first of two words.
Int shiftTogether(Int first, Int second, Int shift) {
  return first << shift | second >> 1 >> (shift.constant(63) - shift);
}

/// Four words of 2 / pi from the one that `index` names.
SmallVector<Int> selectWords(MathBuilder &b, Int index) {
  SmallVector<int64_t> cases;
  unsigned last = std::size(kTwoOverPiBits) - kWindow;
  for (unsigned i = 0; i < last; ++i)
    cases.push_back(i);
  Value flag = arith::IndexCastOp::create(b, b.getIndexType(), index.value);
  SmallVector<Type> types(kWindow, b.getI64Type());
  auto choice = scf::IndexSwitchOp::create(b, types, flag, cases, cases.size());
  auto fill = [&](Region &region, unsigned first) {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&region);
    SmallVector<Value> words;
    for (unsigned i = 0; i < kWindow; ++i)
      words.push_back(index.constant(kTwoOverPiBits[first + i]).value);
    scf::YieldOp::create(b, words);
  };
  for (auto [i, region] : llvm::enumerate(choice.getCaseRegions()))
    fill(region, i);
  fill(choice.getDefaultRegion(), last);
  return llvm::map_to_vector(choice.getResults(),
                             [&](Value word) { return Int{&b, word}; });
}

/// Any angle: the product of the 53 bits of `x` and those bits of 2 / pi that
/// matter to the last two bits before the binary point and the 126 after it.
Angle reduceLarge(Real x) {
  MathBuilder &b = *x.b;
  Int bits = x.bits();
  Int exponent = bits >> 52;
  Int mantissa = (bits & 0xfffffffffffff) | 0x10000000000000;
  // x = mantissa * 2^e with e = exponent - 1075. Bits of 2 / pi with a weight
  // of 2^(2 - e) and more give whole turns; the first below that is bit
  // e + 62 of the table.
  Int firstBit = exponent - (1075 - 62);
  SmallVector<Int> words = selectWords(b, firstBit >> 6);
  Int shift = firstBit & 63;
  Int first = shiftTogether(words[0], words[1], shift);
  Int second = shiftTogether(words[1], words[2], shift);
  Int third = shiftTogether(words[2], words[3], shift);

  auto multiply = [&](Int x, Int y) -> std::pair<Int, Int> {
    auto product = arith::MulUIExtendedOp::create(b, x.value, y.value);
    return {{&b, product.getLow()}, {&b, product.getHigh()}};
  };
  auto [secondLow, secondHigh] = multiply(mantissa, second);
  auto [thirdLow, thirdHigh] = multiply(mantissa, third);
  Int low = secondLow + thirdHigh;
  Value carries = low.is(CmpIPredicate::ult, secondLow);
  Int carry{&b, arith::ExtUIOp::create(b, b.getI64Type(), carries)};
  Int high = mantissa * first + secondHigh + carry;

  // The first two bits count quarter turns, the others are a fraction; one of
  // a half and more is a negative one of the next quarter.
  Int fraction = high << 2 | low >> 62;
  Int sign = fraction >> 63;
  Int quarters = (high >> 62) + sign;
  Real top = 0x1p-32 * fromSigned(shiftArithmetic(fraction, 32));
  Real middle = 0x1p-64 * fromUnsigned(fraction & 0xffffffff);
  Real bottom = 0x1p-128 * fromUnsigned(low << 2);
  Pair sum = addSmaller(top, middle);
  sum = addSmaller(sum.hi, sum.lo + bottom);
  Pair turned = sum * Pair{x.constant(kHalfPi), x.constant(kHalfPiMiddle)};
  return {quarters, addSmaller(turned.hi, turned.lo)};
}

/// Takes quarter turns off a positive angle.
Angle reduce(Real x) {
  MathBuilder &b = *x.b;
  Value isSmall = x.is(CmpFPredicate::OLT, 0x1p25);
  auto yield = [](MathBuilder &b, Angle angle) {
    scf::YieldOp::create(b,
                         ValueRange{angle.quarters.value, angle.rest.hi.value,
                                    angle.rest.lo.value});
  };
  Type f64 = b.getF64Type();
  auto choice = scf::IfOp::create(b, TypeRange{b.getI64Type(), f64, f64},
                                  isSmall, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    yield(b, reduceSmall(x));
    b.setInsertionPointToStart(choice.elseBlock());
    yield(b, reduceLarge(x));
  }
  return {{&b, choice.getResult(0)},
          {{&b, choice.getResult(1)}, {&b, choice.getResult(2)}}};
}

/// Coefficients (-1)^k / (first + 2 k)!.
SmallVector<double> getAlternating(unsigned first) {
  SmallVector<double> result;
  double factorial = 1;
  for (unsigned k = 2; k < first + 16; ++k) {
    factorial *= k;
    if (k >= first && (k - first) % 2 == 0)
      result.push_back(((k - first) / 2 % 2 ? -1.0 : 1.0) / factorial);
  }
  return result;
}

/// The sine of an angle between -pi/4 and pi/4.
Real sineOfRest(Pair x) {
  Real square = x.hi * x.hi;
  Real cubic = x.hi * square * polynomial(square, getAlternating(3));
  return x.hi - (cubic - x.lo * (1.0 - 0.5 * square));
}

/// Its cosine.
Real cosineOfRest(Pair x) {
  Real square = x.hi * x.hi;
  Real half = 0.5 * square;
  Real most = 1.0 - half;
  Real quartic = square * square * polynomial(square, getAlternating(4));
  return most + (((1.0 - most) - half) + (quartic - x.hi * x.lo));
}

/// An angle that is infinite has no sine.
Real fixInfinite(Real x, Real result) {
  return select(abs(x).is(CmpFPredicate::OLT, kInfinity), result, x - x);
}

/// The sine of a positive angle, and of that with quarter turns added.
Real sineOfPositive(Real x, unsigned turns) {
  Angle angle = reduce(x);
  Int quarters = angle.quarters + turns;
  Value odd = (quarters & 1).is(CmpIPredicate::ne, 0);
  Real result = select(odd, cosineOfRest(angle.rest), sineOfRest(angle.rest));
  Value negative = (quarters & 2).is(CmpIPredicate::ne, 0);
  return select(negative, -result, result);
}

/// atan(k / 4) for k from 0 to 4.
constexpr double kAtan[] = {0, 0x1.f5b75f92c80ddp-3, 0x1.dac670561bb4fp-2,
                            0x1.4978fa3269ee1p-1, 0x1.921fb54442d18p-1};
constexpr double kAtanLow[] = {0, 0x1.8ab6e3cf7afbdp-57, 0x1.a2b7f222f65e2p-56,
                               0x1.2419a87f2a458p-56, 0x1.1a62633145c07p-55};

/// The angle with a tangent that is not negative, as atan(k/4) + atan z.
Real atanOfPositive(Real x) {
  Value steep = x.is(CmpFPredicate::OGT, 1.0);
  Real tangent = select(steep, 1.0 / x, x);
  Real k = round(4.0 * tangent);
  Real c = 0.25 * k;
  Real z = (tangent - c) / fma(c, tangent, x.constant(1.0));
  Real angle = x.constant(0), low = x.constant(0);
  for (unsigned i = 1; i < std::size(kAtan); ++i) {
    Value here = k.is(CmpFPredicate::OEQ, i);
    angle = select(here, kAtan[i], angle);
    low = select(here, kAtanLow[i], low);
  }
  Real square = z * z;
  SmallVector<double> series;
  for (unsigned n = 1; n <= 9; ++n)
    series.push_back((n % 2 ? -1.0 : 1.0) / (2 * n + 1));
  Real result = angle + (z + (z * square * polynomial(square, series) + low));
  return select(steep, kHalfPi - (result - kHalfPiMiddle), result);
}

} // namespace

Real expandSin(Real x) {
  Real result = sineOfPositive(abs(x), 0);
  // The sign of x turns that of its sine.
  Int sign = x.bits() & 0x8000000000000000;
  return fixInfinite(x, fromBits(result.bits() ^ sign));
}

Real expandCos(Real x) { return fixInfinite(x, sineOfPositive(abs(x), 1)); }

Real expandTan(Real x) {
  Angle angle = reduce(abs(x));
  Real sine = sineOfRest(angle.rest), cosine = cosineOfRest(angle.rest);
  Value odd = (angle.quarters & 1).is(CmpIPredicate::ne, 0);
  Real result = select(odd, -cosine, sine) / select(odd, sine, cosine);
  Int sign = x.bits() & 0x8000000000000000;
  return fixInfinite(x, fromBits(result.bits() ^ sign));
}

Real expandAtan(Real x) { return copySign(atanOfPositive(abs(x)), x); }

Real expandAsin(Real x) {
  Real size = abs(x);
  Real cosine = sqrt((1.0 - size) * (1.0 + size));
  return copySign(atanOfPositive(size / cosine), x);
}

Real expandAcos(Real x) {
  return 2.0 * atanOfPositive(sqrt((1.0 - x) / (1.0 + x)));
}

Real expandAtan2(Real y, Real x) {
  MathBuilder &b = *x.b;
  Real rise = abs(y), run = abs(x);
  Real tangent = rise / run;
  // 0 / 0 and infinity / infinity.
  auto are = [&](double value) {
    return both(b, rise.is(CmpFPredicate::OEQ, value),
                run.is(CmpFPredicate::OEQ, value));
  };
  tangent = select(are(0), 0.0, tangent);
  tangent = select(are(kInfinity), 1.0, tangent);
  Real angle = atanOfPositive(tangent);
  Value left = x.bits().is(CmpIPredicate::slt, 0);
  angle = select(left, 2 * kHalfPi - (angle - 2 * kHalfPiMiddle), angle);
  return copySign(angle, y);
}

} // namespace gridir::loops
