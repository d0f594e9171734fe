//===- DivideAsFloats.cpp - divide vectors of integers as floats ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/Passes.h"
#include "dialects/Loops/Transforms/BodyRewrites.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPUDIVIDEASFLOATSPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;

namespace {

/// The floats that hold all integers of a vector, and whose quotients, cut to
/// integers, are exact; null if there are none, or if the divisor is constant:
/// LLVM multiplies there. A quotient of x and y that is no integer is at least
/// 1/y below the next one. That is more than its rounding error, since x + y is
/// less than the reciprocal of the relative one.
VectorType getFloats(Operation *op) {
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  if (matchPattern(op->getOperand(1), m_Constant()))
    return {};
  Builder builder(op->getContext());
  switch (type ? type.getElementTypeBitWidth() : 0) {
  case 8:
  case 16:
    return type.clone(builder.getF32Type());
  case 32:
    return type.clone(builder.getF64Type());
  default:
    return {};
  }
}

template <typename ToFloatOp, typename ToIntOp>
Value divide(PatternRewriter &rewriter, Operation *op, VectorType floats) {
  Location loc = op->getLoc();
  Value x = ToFloatOp::create(rewriter, loc, floats, op->getOperand(0));
  Value y = ToFloatOp::create(rewriter, loc, floats, op->getOperand(1));
  Value quotient = arith::DivFOp::create(rewriter, loc, x, y);
  return ToIntOp::create(rewriter, loc, op->getResult(0).getType(), quotient);
}

template <typename DivOp, typename ToFloatOp, typename ToIntOp>
struct DivideAsFloats : OpRewritePattern<DivOp> {
  using OpRewritePattern<DivOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(DivOp op,
                                PatternRewriter &rewriter) const override {
    VectorType floats = getFloats(op);
    if (!floats)
      return failure();
    rewriter.replaceOp(op, divide<ToFloatOp, ToIntOp>(rewriter, op, floats));
    return success();
  }
};

template <typename RemOp, typename ToFloatOp, typename ToIntOp>
struct RemainderByFloats : OpRewritePattern<RemOp> {
  using OpRewritePattern<RemOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(RemOp op,
                                PatternRewriter &rewriter) const override {
    VectorType floats = getFloats(op);
    if (!floats)
      return failure();
    Value quotient = divide<ToFloatOp, ToIntOp>(rewriter, op, floats);
    Value product = arith::MulIOp::create(rewriter, op.getLoc(), quotient,
                                          op->getOperand(1));
    rewriter.replaceOpWithNewOp<arith::SubIOp>(op, op->getOperand(0), product);
    return success();
  }
};

class CPUDivideAsFloatsPass
    : public gridir::cpu::impl::CPUDivideAsFloatsPassBase<
          CPUDivideAsFloatsPass> {
public:
  using CPUDivideAsFloatsPassBase::CPUDivideAsFloatsPassBase;

  void runOnOperation() override {
    using arith::FPToSIOp, arith::FPToUIOp, arith::SIToFPOp, arith::UIToFPOp;
    unsigned found = 0;
    getOperation()->walk([&](Operation *op) {
      if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
              op) &&
          getFloats(op))
        ++found;
    });
    if (found == 0)
      return;
    numDivisions += found;
    RewritePatternSet patterns(&getContext());
    patterns.add<DivideAsFloats<arith::DivSIOp, SIToFPOp, FPToSIOp>,
                 DivideAsFloats<arith::DivUIOp, UIToFPOp, FPToUIOp>,
                 RemainderByFloats<arith::RemSIOp, SIToFPOp, FPToSIOp>,
                 RemainderByFloats<arith::RemUIOp, UIToFPOp, FPToUIOp>>(
        &getContext());
    (void)gridir::loops::applyPatternsInBlocks(getOperation(),
                                               std::move(patterns));
  }
};

} // namespace
