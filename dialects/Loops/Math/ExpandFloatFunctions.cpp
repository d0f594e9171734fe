//===- ExpandFloatFunctions.cpp - functions of f32 by a few others --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Math/MathExpansions.h"

using namespace mlir;
using arith::CmpFPredicate;

namespace gridir::loops {

constexpr double kLogOf2 = 0.6931471805599453;

/// From here on, a hyperbolic inverse is the logarithm of twice its operand.
constexpr double kOnlyLogarithm = 4096;

/// The other leg of a triangle with a leg `x` and the hypotenuse 1; NaN where
/// there is none.
static Real getOtherLeg(Real x) { return sqrt((1.0 - x) * (x + 1.0)); }

Real expandAtanAsFloat(Real x) {
  return x.apply<math::Atan2Op>(x.constant(1.0));
}

Real expandAsinAsFloat(Real x) {
  return x.apply<math::Atan2Op>(getOtherLeg(x));
}

Real expandAcosAsFloat(Real x) {
  return getOtherLeg(x).apply<math::Atan2Op>(x);
}

/// Half of e^x, which is finite where e^x is no more.
static Real getHalfOfExp(Real x) {
  Real root = (x * 0.5).apply<math::ExpOp>();
  return root * 0.5 * root;
}

Real expandSinhAsFloat(Real x) {
  Real size = abs(x);
  Real less = size.apply<math::ExpM1Op>();
  Real small = (less + less / (less + 1.0)) * 0.5;
  // e^-x has no bit in common with e^x.
  Value isLarge = size.is(CmpFPredicate::OGT, 9.0);
  return copySign(select(isLarge, getHalfOfExp(size), small), x);
}

Real expandCoshAsFloat(Real x) {
  Real half = getHalfOfExp(abs(x));
  return half + 0.25 / half;
}

Real expandAsinhAsFloat(Real x) {
  Real size = abs(x);
  Real square = size * size;
  Real small =
      (size + square / (sqrt(square + 1.0) + 1.0)).apply<math::Log1pOp>();
  Value isLarge = size.is(CmpFPredicate::OGT, kOnlyLogarithm);
  Real large = size.apply<math::LogOp>() + kLogOf2;
  return copySign(select(isLarge, large, small), x);
}

Real expandAcoshAsFloat(Real x) {
  Real less = x - 1.0;
  Real small = (less + sqrt(less * (x + 1.0))).apply<math::Log1pOp>();
  Value isLarge = x.is(CmpFPredicate::OGT, kOnlyLogarithm);
  Real result = select(isLarge, x.apply<math::LogOp>() + kLogOf2, small);
  return select(x.is(CmpFPredicate::OLT, 1.0), kNaN, result);
}

Real expandAtanhAsFloat(Real x) {
  Real size = abs(x);
  Real ratio = (size * 2.0) / (1.0 - size);
  return copySign(ratio.apply<math::Log1pOp>() * 0.5, x);
}

Real expandCbrtAsFloat(Real x) {
  Real size = abs(x);
  Real root = (size.apply<math::LogOp>() * (1.0 / 3)).apply<math::ExpOp>();
  // A step of Newton's gives the digits that the logarithm has lost.
  root = root - (root - size / (root * root)) * (1.0 / 3);
  // Zeros, infinities and NaN are their own roots.
  Value plain = both(*x.b, size.is(CmpFPredicate::OGT, 0.0),
                     size.is(CmpFPredicate::OLT, kInfinity));
  return select(plain, copySign(root, x), x);
}

/// x and x^3 times a polynomial of x^2, which minimizes the largest relative
/// error up to 1: 2.6e-9. Above, pi / 2 less the atan of 1 / x.
Real expandAtanByPolynomial(Real x) {
  static constexpr double factor[] = {
      -0.33333299086442847,  0.19998548202167335,  -0.14264240798887956,
      0.10952181145377698,   -0.08403436785903498, 0.05795736185283794,
      -0.031177615318870817, 0.010914482244650315, -0.0017935941658956958,
  };
  // The float nearest to pi / 2, and the rest.
  constexpr double high = 1.5707963705062866, low = -4.371139000186241e-08;
  Real size = abs(x);
  Value isLarge = size.is(CmpFPredicate::OGT, 1.0);
  Real inside = select(isLarge, 1.0 / size, size);
  Real square = inside * inside;
  Real small = fma(inside * square, polynomial(square, factor), inside);
  return copySign(select(isLarge, (high - small) + low, small), x);
}

/// Two polynomials, without a quotient: below 1.3, x and x times one of x^2;
/// above, 1 less the eighth power of one, which follows the tail of erfc with
/// few coefficients. erf is 1 from 3.93 on.
Real expandErfAsFloat(Real x) {
  static constexpr double small[] = {
      0.12837912331294876,    -0.3761239482612858,  0.11281524057362574,
      -0.026785758682132968,  0.005085361544057519, -0.0007280808252982593,
      5.8825247286546614e-05,
  };
  static constexpr double large[] = {
      0.9946564569041523,   -0.12436379706510667, -0.08991581166464283,
      0.009238462281844932, 0.004664664491232599, -0.000731744932363739,
  };
  Real size = abs(x);
  Real series = fma(x, polynomial(x * x, small), x);
  // A NaN stays one.
  Real inside = select(size.is(CmpFPredicate::OGT, 3.93), 3.93, size);
  Real root = polynomial(inside, large);
  Real square = root * root;
  Real fourth = square * square;
  Real tail = copySign(fma(-fourth, fourth, x.constant(1.0)), x);
  return select(size.is(CmpFPredicate::OLT, 1.3), series, tail);
}

/// erfc x for x >= 1/2, as e^(-x^2) / (1 + 2 x) and a factor near 1: a
/// polynomial of (x - 2.5) / (x + 2.5), which interpolates it where Chebyshev
/// says, from 1/2 to 10.5, to 2e-9. Beyond, erfc is 0.
static Real getErfcOfLarge(Real x) {
  static constexpr double factor[] = {
      1.2648381831523237,    -0.12235675705216699,  -0.09902437809426964,
      0.1576298485019785,    -0.10297049629443386,  0.03275930830542988,
      0.0009576368301338598, -0.004360265045550933, 0.0004125250264136417,
      0.0005467280100957635,
  };
  x = clamp(x, 0.5, 10.5);
  // One division for both quotients.
  Real inverse = 1.0 / ((x + 2.5) * (x * 2.0 + 1.0));
  Real t = (x - 2.5) * (x * 2.0 + 1.0) * inverse;
  // The square of the leading 12 bits is exact.
  Real high = fromBits(x.bits() & 0xfffff000);
  Real exponential = (-(high * high)).apply<math::ExpOp>() *
                     ((high - x) * (high + x)).apply<math::ExpOp>();
  return exponential * polynomial(t, factor) * ((x + 2.5) * inverse);
}

Real expandErfcAsFloat(Real x) {
  Real size = abs(x);
  Real large = getErfcOfLarge(size);
  large = select(x.is(CmpFPredicate::OLT, 0.0), 2.0 - large, large);
  Real small = 1.0 - x.apply<math::ErfOp>();
  // Both comparisons are false for NaN.
  return select(size.is(CmpFPredicate::OGE, 0.5), large, small);
}

} // namespace gridir::loops
