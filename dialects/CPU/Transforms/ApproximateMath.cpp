//===- ApproximateMath.cpp - math functions as accurate as XLA's ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/Passes.h"
#include "dialects/Loops/Math/Polynomials.h"
#include "dialects/Support/CountableTypes.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPUAPPROXIMATEMATHPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;

namespace {

/// A constant of `type`, splat where it is a vector.
Value constantLike(OpBuilder &b, Location loc, Type type, double value) {
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  TypedAttr attr = b.getFloatAttr(element, value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(b, loc, attr);
}

Value constantLike(OpBuilder &b, Location loc, Type type, int64_t value) {
  TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(b, loc, attr);
}

/// Computes 2^x as 2^n * exp(r * ln 2) with n the nearest integer to x, so
/// that the rounding of x * ln 2 stays below the last bit of the result. Two
/// factors of 2^(n/2) keep the exponent in range down to the denormals.
struct ExpandExp2 : OpRewritePattern<math::Exp2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Exp2Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return rewriter.notifyMatchFailure(op, "only f32 has a polynomial");
    Location loc = op.getLoc();
    Type intType = rewriter.getI32Type();
    if (auto vector = dyn_cast<VectorType>(type))
      intType = VectorType::get(vector.getShape(), intType);

    // Outside of these bounds the result is 0 or infinity. A NaN passes both
    // comparisons' false side and stays a NaN.
    Value low = constantLike(rewriter, loc, type, -160.0);
    Value high = constantLike(rewriter, loc, type, 160.0);
    Value x = op.getOperand();
    auto clamp = [&](arith::CmpFPredicate predicate, Value bound) {
      Value outside = arith::CmpFOp::create(rewriter, loc, predicate, x, bound);
      x = arith::SelectOp::create(rewriter, loc, outside, bound, x);
    };
    clamp(arith::CmpFPredicate::OLT, low);
    clamp(arith::CmpFPredicate::OGT, high);

    Value n = math::RoundEvenOp::create(rewriter, loc, x);
    Value r = arith::SubFOp::create(rewriter, loc, x, n);
    Value scaled = arith::MulFOp::create(
        rewriter, loc, r,
        constantLike(rewriter, loc, type, 0.6931471805599453));
    Value fraction = math::ExpOp::create(rewriter, loc, scaled);

    // The conversion of a NaN is poison, so the integer is made from a number.
    Value isNumber =
        arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::ORD, n, n);
    Value zero = constantLike(rewriter, loc, type, 0.0);
    Value number = arith::SelectOp::create(rewriter, loc, isNumber, n, zero);
    Value exponent = arith::FPToSIOp::create(rewriter, loc, intType, number);
    Value half = arith::ShRSIOp::create(
        rewriter, loc, exponent,
        constantLike(rewriter, loc, intType, int64_t(1)));
    Value rest = arith::SubIOp::create(rewriter, loc, exponent, half);
    auto powerOfTwo = [&](Value e) -> Value {
      Value biased = arith::AddIOp::create(
          rewriter, loc, e, constantLike(rewriter, loc, intType, int64_t(127)));
      Value bits = arith::ShLIOp::create(
          rewriter, loc, biased,
          constantLike(rewriter, loc, intType, int64_t(23)));
      return arith::BitcastOp::create(rewriter, loc, type, bits);
    };
    Value result =
        arith::MulFOp::create(rewriter, loc, fraction, powerOfTwo(half));
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, result, powerOfTwo(rest));
    return success();
  }
};

/// A call is made of each number of a vector: more than a machine has in all of
/// its registers are not compiled in any time.
constexpr int64_t kMaxCalls = int64_t(1) << 14;

/// True for functions that neither are LLVM intrinsics nor lower to an
/// expression as accurate as the function.
bool needsLibrary(Operation *op) {
  return isa<math::AcosOp, math::AcoshOp, math::AsinOp, math::AsinhOp,
             math::AtanOp, math::Atan2Op, math::AtanhOp, math::CbrtOp,
             math::CoshOp, math::ErfOp, math::ErfcOp, math::ExpM1Op,
             math::Log1pOp, math::SinhOp, math::TanOp, math::TanhOp>(op);
}

class CPUApproximateMathPass
    : public gridir::cpu::impl::CPUApproximateMathPassBase<
          CPUApproximateMathPass> {
public:
  using CPUApproximateMathPassBase::CPUApproximateMathPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    auto always = [](StringRef) { return true; };
    populateMathF32ExpansionPatterns(patterns, always);
    populateMathPolynomialApproximationPatterns(
        patterns, gridir::loops::hasGoodPolynomial);
    patterns.add<ExpandExp2>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();

    SmallVector<Operation *> calls;
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (!needsLibrary(op))
        return WalkResult::advance();
      auto vector = dyn_cast<VectorType>(op->getResult(0).getType());
      if (vector && *gridir::countPoints(vector.getShape()) > kMaxCalls) {
        op->emitError("expected a vector of at most ")
            << kMaxCalls << " numbers to call a function for each, got "
            << vector;
        return WalkResult::interrupt();
      }
      calls.push_back(op);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    if (calls.empty())
      return;
    numLibraryCalls += calls.size();
    RewritePatternSet library(&getContext());
    populateMathToLibmConversionPatterns(library);
    GreedyRewriteConfig config;
    // Unrolling a vector makes new scalar ops, which must be converted too;
    // ops that LLVM has an instruction for must not.
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    config.setScope(&getOperation().getBodyRegion());
    if (failed(applyOpPatternsGreedily(calls, std::move(library), config)))
      return signalPassFailure();
  }
};

} // namespace
