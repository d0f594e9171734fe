//===- ExpandMath.cpp - math functions as arithmetic ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Transforms/Passes.h"
#include "dialects/Loops/Math/MathExpansions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace gridir::gpu {
#define GEN_PASS_DEF_GPUEXPANDMATHPASS
#include "dialects/GPU/Transforms/Passes.h.inc"
} // namespace gridir::gpu

using namespace mlir;
using namespace gridir::gpu;
using namespace gridir::loops;

namespace {

/// Which types a function is expanded for. The polynomials of f32 that the CPU
/// path has, too, are left to gpu-approximate-math.
enum class Types { F64, F32AndF64 };

template <typename OpT, typename... Args>
struct ExpandFunction : OpRewritePattern<OpT> {
  using Expansion = Real (*)(Args...);

  ExpandFunction(MLIRContext *context, Pass::Statistic &count, Expansion expand,
                 Types types)
      : OpRewritePattern<OpT>(context), count(count), expand(expand),
        types(types) {}

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!type.isF64() && !(type.isF32() && types == Types::F32AndF64))
      return rewriter.notifyMatchFailure(op, "no expansion for this type");
    MathBuilder b(op.getLoc(), rewriter);
    Real result =
        create(b, op->getOperands(), std::index_sequence_for<Args...>());
    Value value = result.value;
    if (type.isF32())
      value = arith::TruncFOp::create(b, type, value);
    rewriter.replaceOp(op, value);
    ++count;
    return success();
  }

private:
  template <size_t... Is>
  Real create(MathBuilder &b, ValueRange operands,
              std::index_sequence<Is...>) const {
    return expand(widen(b, operands[Is])...);
  }

  static Real widen(MathBuilder &b, Value value) {
    if (!value.getType().isF64())
      value = arith::ExtFOp::create(b, b.getF64Type(), value);
    return {&b, value};
  }

  Pass::Statistic &count;
  Expansion expand;
  Types types;
};

/// The remainder of narrow floats is one of theirs: f32 loses nothing.
struct ExpandRemF : OpRewritePattern<arith::RemFOp> {
  ExpandRemF(MLIRContext *context, Pass::Statistic &count)
      : OpRewritePattern(context), count(count) {}

  LogicalResult matchAndRewrite(arith::RemFOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<FloatType>(op.getType());
    if (!type || type.getWidth() > 64)
      return rewriter.notifyMatchFailure(op, "no expansion for this type");
    MathBuilder b(op.getLoc(), rewriter);
    Value x = op.getLhs(), y = op.getRhs();
    bool isNarrow = type.getWidth() < 32;
    if (isNarrow) {
      x = arith::ExtFOp::create(b, b.getF32Type(), x);
      y = arith::ExtFOp::create(b, b.getF32Type(), y);
    }
    Value result = expandRemainder(b, x, y);
    if (isNarrow)
      result = arith::TruncFOp::create(b, type, result);
    rewriter.replaceOp(op, result);
    ++count;
    return success();
  }

private:
  Pass::Statistic &count;
};

class GPUExpandMathPass
    : public gridir::gpu::impl::GPUExpandMathPassBase<GPUExpandMathPass> {
public:
  using GPUExpandMathPassBase::GPUExpandMathPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populatePatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }

private:
  template <typename OpT>
  void addUnary(RewritePatternSet &patterns, Real (*expand)(Real),
                Types types = Types::F32AndF64) {
    patterns.add<ExpandFunction<OpT, Real>>(patterns.getContext(), numExpanded,
                                            expand, types);
  }

  template <typename OpT>
  void addBinary(RewritePatternSet &patterns, Real (*expand)(Real, Real)) {
    patterns.add<ExpandFunction<OpT, Real, Real>>(
        patterns.getContext(), numExpanded, expand, Types::F32AndF64);
  }

  void populatePatterns(RewritePatternSet &patterns) {
    addUnary<math::ExpOp>(patterns, expandExp, Types::F64);
    addUnary<math::Exp2Op>(patterns, expandExp2, Types::F64);
    addUnary<math::ExpM1Op>(patterns, expandExpM1, Types::F64);
    addUnary<math::LogOp>(patterns, expandLog, Types::F64);
    addUnary<math::Log2Op>(patterns, expandLog2, Types::F64);
    addUnary<math::Log1pOp>(patterns, expandLog1p, Types::F64);
    addUnary<math::TanhOp>(patterns, expandTanh, Types::F64);
    addUnary<math::ErfOp>(patterns, expandErf, Types::F64);
    addUnary<math::Log10Op>(patterns, expandLog10);
    addUnary<math::SinOp>(patterns, expandSin);
    addUnary<math::CosOp>(patterns, expandCos);
    addUnary<math::TanOp>(patterns, expandTan);
    addUnary<math::AsinOp>(patterns, expandAsin);
    addUnary<math::AcosOp>(patterns, expandAcos);
    addUnary<math::AtanOp>(patterns, expandAtan);
    addUnary<math::SinhOp>(patterns, expandSinh);
    addUnary<math::CoshOp>(patterns, expandCosh);
    addUnary<math::AsinhOp>(patterns, expandAsinh);
    addUnary<math::AcoshOp>(patterns, expandAcosh);
    addUnary<math::AtanhOp>(patterns, expandAtanh);
    addUnary<math::CbrtOp>(patterns, expandCbrt);
    addUnary<math::ErfcOp>(patterns, expandErfc);
    addBinary<math::Atan2Op>(patterns, expandAtan2);
    addBinary<math::PowFOp>(patterns, expandPow);
    patterns.add<ExpandRemF>(patterns.getContext(), numExpanded);
  }
};

} // namespace
