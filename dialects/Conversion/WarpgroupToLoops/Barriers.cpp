//===- Barriers.cpp - Barriers as calls ---------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each warpgroup is a task of the runtime, which selects the next task at a
// barrier. A barrier is identified by its address.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToLoops/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace gridir;

static warpgroup::BarrierType getBarrierType(Value barrier) {
  auto type = cast<MemRefType>(barrier.getType());
  return cast<warpgroup::BarrierType>(type.getElementType());
}

int64_t gridir::getNumArrivals(KernelLowering &lowering, Value barrier) {
  warpgroup::BarrierType type = getBarrierType(barrier);
  // The blocks of a cluster that differ from this one in at most one axis.
  int64_t numBlocks = 1;
  for (ArrayAttr axes : type.getCluster()) {
    int64_t numAlong = 1;
    for (Attribute axis : axes)
      if (std::optional<unsigned> dim = lowering.kernel.findDim(axis))
        numAlong *= lowering.kernel.getDim(*dim).getSize();
    numBlocks += numAlong - 1;
  }
  return type.getArrivals() * numBlocks;
}

FailureOr<Value> gridir::createBarrierAddress(OpBuilder &builder,
                                              KernelLowering &lowering,
                                              Operation *op, Value barrier) {
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

void gridir::createArrival(OpBuilder &builder, KernelLowering &lowering,
                           Operation *op, Value barrier, Value address) {
  Location loc = op->getLoc();
  createRuntimeCall(builder, loc, lowering, "gridirTaskArrive",
                    {address,
                     createI64(builder, loc, getNumArrivals(lowering, barrier)),
                     createSite(builder, lowering, op,
                                "arrival at " + lowering.getName(barrier))});
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
    return failed(address) ? failure() : lower(op, *address, rewriter);
  }

protected:
  virtual LogicalResult lower(OpT op, Value address,
                              PatternRewriter &rewriter) const = 0;
};

class ArrivePattern : public BarrierPattern<warpgroup::BarrierArriveOp> {
public:
  using BarrierPattern::BarrierPattern;

protected:
  LogicalResult lower(warpgroup::BarrierArriveOp op, Value address,
                      PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value barrier = op.getBarrier();
    warpgroup::BarrierType type = getBarrierType(barrier);
    if (!type.getLeaderTracked())
      createArrival(rewriter, lowering, op, barrier, address);
    for (ArrayAttr axes : type.getCluster())
      if (failed(arriveAlong(axes, op, address, rewriter)))
        return failure();
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Arrives at the barriers of the other blocks along axes that count as one,
  /// or at that of the leader.
  LogicalResult arriveAlong(ArrayAttr axes, warpgroup::BarrierArriveOp op,
                            Value address, OpBuilder &builder) const {
    Location loc = op.getLoc();
    SmallVector<unsigned> dims;
    SmallVector<int64_t> sizes;
    for (Attribute axis : axes) {
      FailureOr<unsigned> dim = findClusterDim(lowering, op, axis);
      if (failed(dim))
        return failure();
      dims.push_back(*dim);
      sizes.push_back(lowering.kernel.getDim(*dim).getSize());
    }
    int64_t count = computeProduct(sizes);
    if (count > warpgroup::kMaxClusterBlocks) {
      std::string names;
      llvm::raw_string_ostream stream(names);
      llvm::interleaveComma(axes, stream);
      return lowering.fail(op, "expected at most " +
                                   Twine(warpgroup::kMaxClusterBlocks) +
                                   " blocks of a cluster, got " + Twine(count) +
                                   " along " + names);
    }
    auto arriveAt = [&](auto getCoordinate) {
      SmallVector<ClusterCoordinate> coordinates;
      for (auto [i, dim] : llvm::enumerate(dims))
        coordinates.emplace_back(dim, getCoordinate(i));
      createArrival(
          builder, lowering, op, op.getBarrier(),
          createPeerAddress(builder, loc, lowering, address, coordinates));
    };
    if (getBarrierType(op.getBarrier()).getLeaderTracked()) {
      arriveAt([&](size_t) { return createIndex(builder, loc, 0); });
      return success();
    }
    for (int64_t other = 1; other < count; ++other) {
      SmallVector<int64_t> steps = delinearize(other, computeStrides(sizes));
      arriveAt([&](size_t i) -> Value {
        Value coordinate =
            arith::AddIOp::create(builder, loc, lowering.programIds[dims[i]],
                                  createIndex(builder, loc, steps[i]));
        return arith::RemUIOp::create(builder, loc, coordinate,
                                      createIndex(builder, loc, sizes[i]));
      });
    }
    return success();
  }
};

/// All operations completed when they started.
class Tcgen05CommitPattern : public BarrierPattern<warpgroup::Tcgen05CommitOp> {
public:
  using BarrierPattern::BarrierPattern;

protected:
  LogicalResult lower(warpgroup::Tcgen05CommitOp op, Value address,
                      PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    OpBuilder::InsertionGuard guard(rewriter);
    if (StringAttr axis = op.getCollectiveAttr()) {
      FailureOr<unsigned> dim = findClusterDim(lowering, op, axis);
      if (failed(dim))
        return failure();
      Value isLeader = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::eq, lowering.programIds[*dim],
          createIndex(rewriter, loc, 0));
      auto committed = scf::IfOp::create(rewriter, loc, isLeader);
      rewriter.setInsertionPointToStart(committed.thenBlock());
      ClusterCoordinate other(*dim, createIndex(rewriter, loc, 1));
      createArrival(rewriter, lowering, op, op.getBarrier(),
                    createPeerAddress(rewriter, loc, lowering, address, other));
    }
    createArrival(rewriter, lowering, op, op.getBarrier(), address);
    rewriter.eraseOp(op);
    return success();
  }
};

class WaitPattern : public BarrierPattern<warpgroup::BarrierWaitOp> {
public:
  using BarrierPattern::BarrierPattern;

protected:
  LogicalResult lower(warpgroup::BarrierWaitOp op, Value address,
                      PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    std::string name = lowering.getName(op.getBarrier());
    int64_t diagnostic = lowering.addDiagnostic(
        loc, "the kernel waits for phase {1} of " + name +
                 ", which has completed {0}, and nothing can complete it");
    createRuntimeCall(rewriter, loc, lowering, "gridirTaskBarrierWait",
                      {address, createI64(rewriter, loc, diagnostic),
                       createSite(rewriter, lowering, op, "wait for " + name)});
    rewriter.eraseOp(op);
    return success();
  }
};

class TestPattern : public BarrierPattern<warpgroup::BarrierTestOp> {
public:
  using BarrierPattern::BarrierPattern;

protected:
  LogicalResult lower(warpgroup::BarrierTestOp op, Value address,
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
    return success();
  }
};

class NamedPattern : public LoweringPattern<warpgroup::NamedBarrierOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(warpgroup::NamedBarrierOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t diagnostic = lowering.addDiagnostic(
        loc, "the kernel waits for phase {1} of a named barrier, which has "
             "completed {0}, and nothing can complete it");
    Value number = arith::ExtUIOp::create(rewriter, loc, rewriter.getI64Type(),
                                          op.getNumber());
    createRuntimeCall(
        rewriter, loc, lowering, "gridirTaskNamedBarrier",
        {createI64(rewriter, loc, warpgroup::getNumWarpgroups(lowering.kernel)),
         number,
         createI64(rewriter, loc, op.getThreads() / warpgroup::kNumLanes),
         createI64(rewriter, loc, !op.getArrive()),
         createI64(rewriter, loc, diagnostic),
         createSite(rewriter, lowering, op, "arrival at a named barrier")});
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void gridir::populateWarpgroupBarrierPatterns(RewritePatternSet &patterns,
                                              KernelLowering &lowering) {
  patterns.add<ArrivePattern, WaitPattern, TestPattern, NamedPattern,
               Tcgen05CommitPattern>(patterns.getContext(), lowering);
}
