//===- ApproximateMath.cpp - math functions as accurate as XLA's ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/Passes.h"
#include "dialects/Loops/Math/MathExpansions.h"
#include "dialects/Loops/Transforms/BodyRewrites.h"
#include "dialects/Support/CountableTypes.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPUAPPROXIMATEMATHPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;
using namespace gridir::loops;

namespace {

/// Replaces a function of f32 by its expansion.
template <typename OpT, Real expand(Real)>
struct ExpandFloat : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "only f32 has a polynomial");
    MathBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, expand({&b, op.getOperand()}).value);
    return success();
  }
};

/// Limits the number of calls: each element of a vector is a call, and vectors
/// larger than all registers would take too long to compile.
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
    populateExpansionsToFunctions(patterns);
    populateFloatPolynomials(patterns);
    patterns.add<ExpandFloat<math::AcoshOp, expandAcoshAsFloat>,
                 ExpandFloat<math::AsinhOp, expandAsinhAsFloat>,
                 ExpandFloat<math::AtanOp, expandAtanByPolynomial>,
                 ExpandFloat<math::AtanhOp, expandAtanhAsFloat>,
                 ExpandFloat<math::CoshOp, expandCoshAsFloat>,
                 ExpandFloat<math::ErfcOp, expandErfcAsFloat>,
                 ExpandFloat<math::Exp2Op, expandExp2AsFloat>,
                 ExpandFloat<math::SinhOp, expandSinhAsFloat>>(&getContext());
    if (failed(gridir::loops::applyPatternsInBlocks(getOperation(),
                                                    std::move(patterns))))
      return signalPassFailure();

    SmallVector<Operation *> calls;
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (!needsLibrary(op))
        return WalkResult::advance();
      auto vector = dyn_cast<VectorType>(op->getResult(0).getType());
      if (vector && *gridir::countPoints(vector.getShape()) > kMaxCalls) {
        op->emitError("expected a vector of at most ")
            << kMaxCalls << " elements for one call per element, got "
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
