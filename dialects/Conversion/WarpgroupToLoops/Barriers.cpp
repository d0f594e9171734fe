//===- Barriers.cpp - Barriers as calls ---------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each warpgroup is a task of the runtime, which decides at a barrier who goes
// on. A barrier is known by where it is in memory.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToLoops/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gridir;

int64_t gridir::getNumArrivals(Value barrier) {
  auto type = cast<MemRefType>(barrier.getType());
  return cast<warpgroup::BarrierType>(type.getElementType()).getArrivals();
}

FailureOr<Value> gridir::createBarrierAddress(OpBuilder &builder,
                                              KernelLowering &lowering,
                                              Operation *op, Value barrier) {
  auto type = cast<MemRefType>(barrier.getType());
  if (!cast<warpgroup::BarrierType>(type.getElementType()).getCluster().empty())
    return LogicalResult(lowering.fail(
        op, "expected a barrier of one block, got one of a cluster"));
  FailureOr<Value> memref = getCounter(lowering, op, barrier);
  if (failed(memref))
    return failure();
  return createAddress(builder, op->getLoc(), *memref);
}

Value gridir::createSite(OpBuilder &builder, KernelLowering &lowering,
                         Operation *op, const Twine &what) {
  return createI64(builder, op->getLoc(),
                   lowering.addAccess(op->getLoc(), what));
}

namespace {

/// A pattern of an op that waits for one barrier, or arrives there.
template <typename OpT> class BarrierPattern : public LoweringPattern<OpT> {
public:
  using LoweringPattern<OpT>::LoweringPattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    FailureOr<Value> address =
        createBarrierAddress(rewriter, this->lowering, op, op.getBarrier());
    if (failed(address))
      return failure();
    lower(op, *address, rewriter);
    return success();
  }

protected:
  virtual void lower(OpT op, Value address,
                     PatternRewriter &rewriter) const = 0;
};

class ArrivePattern : public BarrierPattern<warpgroup::BarrierArriveOp> {
public:
  using BarrierPattern::BarrierPattern;

protected:
  void lower(warpgroup::BarrierArriveOp op, Value address,
             PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    createRuntimeCall(
        rewriter, loc, lowering, "gridirTaskArrive",
        {address, createI64(rewriter, loc, getNumArrivals(op.getBarrier())),
         createSite(rewriter, lowering, op,
                    "arrival at " + lowering.getName(op.getBarrier()))});
    rewriter.eraseOp(op);
  }
};

class WaitPattern : public BarrierPattern<warpgroup::BarrierWaitOp> {
public:
  using BarrierPattern::BarrierPattern;

protected:
  void lower(warpgroup::BarrierWaitOp op, Value address,
             PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    std::string name = lowering.getName(op.getBarrier());
    int64_t diagnostic = lowering.addDiagnostic(
        loc, "the kernel waits for phase {1} of " + name +
                 ", of which {0} are complete, and nothing can complete it");
    createRuntimeCall(rewriter, loc, lowering, "gridirTaskBarrierWait",
                      {address, createI64(rewriter, loc, diagnostic),
                       createSite(rewriter, lowering, op, "wait for " + name)});
    rewriter.eraseOp(op);
  }
};

class TestPattern : public BarrierPattern<warpgroup::BarrierTestOp> {
public:
  using BarrierPattern::BarrierPattern;

protected:
  void lower(warpgroup::BarrierTestOp op, Value address,
             PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value site = createSite(rewriter, lowering, op,
                            "test of " + lowering.getName(op.getBarrier()));
    Value complete =
        createRuntimeCall(rewriter, loc, lowering, "gridirTaskBarrierTest",
                          {address, site}, rewriter.getI64Type())
            .front();
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, rewriter.getI1Type(),
                                                 complete);
  }
};

} // namespace

void gridir::populateWarpgroupBarrierPatterns(RewritePatternSet &patterns,
                                              KernelLowering &lowering) {
  patterns.add<ArrivePattern, WaitPattern, TestPattern>(patterns.getContext(),
                                                        lowering);
}
