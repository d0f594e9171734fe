//===- ExpandMath.cpp - Functions that Mosaic lacks -----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Math/MathExpansions.h"
#include "dialects/TPU/Transforms/Passes.h"

#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace gridir::tpu {
#define GEN_PASS_DEF_TPUEXPANDMATHPASS
#include "dialects/TPU/Transforms/Passes.h.inc"
} // namespace gridir::tpu

using namespace mlir;
using namespace gridir::loops;

namespace {

template <typename OpT> struct ExpandFunction : OpRewritePattern<OpT> {
  ExpandFunction(MLIRContext *context, Pass::Statistic &count,
                 Real (*expand)(Real))
      : OpRewritePattern<OpT>(context), count(count), expand(expand) {}

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    if (element.getWidth() > 32)
      return rewriter.notifyMatchFailure(op, "no expansion for this type");
    MathBuilder b(op.getLoc(), rewriter);
    Value x = op.getOperand();
    // Narrow floats are computed as f32.
    Type wide = withShape(type, b.getF32Type());
    if (type != wide)
      x = arith::ExtFOp::create(b, wide, x);
    Value result = expand({&b, x}).value;
    if (type != wide)
      result = arith::TruncFOp::create(b, type, result);
    rewriter.replaceOp(op, result);
    ++count;
    return success();
  }

private:
  Pass::Statistic &count;
  Real (*expand)(Real);
};

class TPUExpandMathPass
    : public gridir::tpu::impl::TPUExpandMathPassBase<TPUExpandMathPass> {
public:
  using TPUExpandMathPassBase::TPUExpandMathPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet patterns(context);
    add<math::AcosOp>(patterns, expandAcosAsFloat);
    add<math::AcoshOp>(patterns, expandAcoshAsFloat);
    add<math::AsinOp>(patterns, expandAsinAsFloat);
    add<math::AsinhOp>(patterns, expandAsinhAsFloat);
    add<math::AtanOp>(patterns, expandAtanAsFloat);
    add<math::AtanhOp>(patterns, expandAtanhAsFloat);
    add<math::CbrtOp>(patterns, expandCbrtAsFloat);
    add<math::CoshOp>(patterns, expandCoshAsFloat);
    add<math::ErfcOp>(patterns, expandErfcAsFloat);
    add<math::SinhOp>(patterns, expandSinhAsFloat);
    frozen = std::move(patterns);
    return success();
  }

  void runOnOperation() override {
    walkAndApplyPatterns(getOperation(), frozen);
  }

private:
  FrozenRewritePatternSet frozen;

  template <typename OpT>
  void add(RewritePatternSet &patterns, Real (*expand)(Real)) {
    patterns.add<ExpandFunction<OpT>>(patterns.getContext(), numExpanded,
                                      expand);
  }
};

} // namespace
