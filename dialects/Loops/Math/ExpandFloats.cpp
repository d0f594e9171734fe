//===- ExpandFloats.cpp - functions of f32 as arithmetic of f32 -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Math/MathExpansions.h"

#include "mlir/Dialect/Math/Transforms/Passes.h"

using namespace mlir;

namespace gridir::loops {

/// Computes 2^x as 2^n * exp(r * ln 2) with n the nearest integer to x, so that
/// the rounding of x * ln 2 stays below the last bit of the result. Two factors
/// of 2^(n/2) keep the exponent in range down to the denormals.
Real expandExp2AsFloat(Real x) {
  // Outside of these bounds the result is 0 or infinity. A NaN stays one.
  x = clamp(x, -160.0, 160.0);
  Real n = round(x);
  Real fraction = ((x - n) * 0.6931471805599453).apply<math::ExpOp>();
  Int exponent = toInt(n);
  Int half = shiftArithmetic(exponent, 1), rest = exponent - half;
  auto powerOfTwo = [](Int e) { return fromBits((e + 127) << 23); };
  return fraction * powerOfTwo(half) * powerOfTwo(rest);
}

namespace {

struct ExpandErf : OpRewritePattern<math::ErfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ErfOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "only f32 has a polynomial");
    MathBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, expandErfAsFloat({&b, op.getOperand()}).value);
    return success();
  }
};

} // namespace

void populateExpansionsToFunctions(RewritePatternSet &patterns) {
  populateMathF32ExpansionPatterns(patterns, [](StringRef) { return true; });
}

void populateFloatPolynomials(RewritePatternSet &patterns) {
  populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
    return llvm::is_contained({"exp", "log", "log2", "log1p", "expm1", "tanh"},
                              name.substr(name.rfind('.') + 1));
  });
  patterns.add<ExpandErf>(patterns.getContext());
}

} // namespace gridir::loops
