//===- MathExpansions.h - functions as arithmetic --------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_LOOPS_MATH_MATHEXPANSIONS_H
#define GRIDIR_DIALECTS_LOOPS_MATH_MATHEXPANSIONS_H

#include "dialects/Loops/Math/MathBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace gridir::loops {

// Each function takes and gives a double as the C library's does, with the same
// results for zeros, infinities and NaN. docs/gpu.md says how far each may be
// off; test/Loops/Math checks that.

Real expandExp(Real x);
Real expandExp2(Real x);
Real expandExpM1(Real x);
/// e^(hi + lo), where `lo` is as small as a rounding error of `hi`.
Real expandExp(Pair x);
Real expandLog(Real x);
Real expandLog2(Real x);
Real expandLog10(Real x);
Real expandLog1p(Real x);
Real expandPow(Real x, Real y);

Real expandSinh(Real x);
Real expandCosh(Real x);
Real expandTanh(Real x);
Real expandAsinh(Real x);
Real expandAcosh(Real x);
Real expandAtanh(Real x);

Real expandSin(Real x);
Real expandCos(Real x);
Real expandTan(Real x);
Real expandAsin(Real x);
Real expandAcos(Real x);
Real expandAtan(Real x);
Real expandAtan2(Real y, Real x);

Real expandCbrt(Real x);
Real expandErf(Real x);
Real expandErfc(Real x);

/// The remainder of the exact quotient cut to an integer, with the sign of `x`;
/// it is exact, for f32 and f64.
mlir::Value expandRemainder(MathBuilder &b, mlir::Value x, mlir::Value y);

// Expansions in f32 for every target, with identical results: at least as
// accurate as XLA's CPU backend.

/// 2^x of an f32, or of a vector of them, by an `exp`.
Real expandExp2AsFloat(Real x);

// Functions of f32, or of vectors of them, by others of f32: `exp`, `expm1`,
// `log`, `log1p`, `erf` and `atan2`, and to a few units in the last place of
// them.

Real expandSinhAsFloat(Real x);
Real expandCoshAsFloat(Real x);
Real expandAsinhAsFloat(Real x);
Real expandAcoshAsFloat(Real x);
Real expandAtanhAsFloat(Real x);

Real expandAsinAsFloat(Real x);
Real expandAcosAsFloat(Real x);
Real expandAtanAsFloat(Real x);

Real expandCbrtAsFloat(Real x);
Real expandErfcAsFloat(Real x);

/// erf of an f32, or of a vector of them, to 2.3 units of the last place.
Real expandErfAsFloat(Real x);

/// atan of an f32, or of a vector of them, to 1.4 units of the last place.
Real expandAtanByPolynomial(Real x);

/// Adds patterns for functions of f32 and narrower floats that are other ones,
/// with few operations more.
void populateExpansionsToFunctions(mlir::RewritePatternSet &patterns);

/// Adds patterns for `exp`, `log`, `log2`, `log1p`, `expm1`, `tanh` and `erf`
/// of f32: those of upstream's polynomials that are accurate enough. `sin`,
/// `cos`, `atan`, `asin` and `cbrt` lose many digits there.
void populateFloatPolynomials(mlir::RewritePatternSet &patterns);

} // namespace gridir::loops

#endif // GRIDIR_DIALECTS_LOOPS_MATH_MATHEXPANSIONS_H
