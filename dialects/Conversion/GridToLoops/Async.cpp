//===- Async.cpp - Copies and semaphores, one after another ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs run to completion, one after another, and a copy completes when it
// starts. A semaphore is a counter in memory. A wait that finds too small a
// count is an error, since no other program can signal the semaphore.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Async.h"
#include "dialects/Conversion/GridToLoops/Counters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {

FailureOr<Value> getCounter(KernelLowering &lowering, Operation *op,
                            Value semaphore) {
  Value memref = getMemRef(semaphore);
  if (memref)
    return memref;
  return LogicalResult(
      lowering.fail(op, "expected a semaphore of a Ref in memory, got one of a "
                        "view without a memref"));
}

Value createNumBytes(OpBuilder &builder, Location loc, Value ref) {
  auto type = cast<MemRefType>(ref.getType());
  Type element = type.getElementType();
  int64_t bits = 64;
  if (auto complexType = dyn_cast<ComplexType>(element))
    bits = 2 * complexType.getElementType().getIntOrFloatBitWidth();
  else if (element.isIntOrFloat())
    bits = element.getIntOrFloatBitWidth();
  return createI64(builder, loc,
                   llvm::divideCeil(type.getNumElements() * bits, 8));
}

void createCopy(OpBuilder &builder, CopyStartOp op) {
  Location loc = op.getLoc();
  Value source = getMemRef(op.getSource()), dest = getMemRef(op.getDest());
  if (source && dest && !op.getAdd()) {
    linalg::CopyOp::create(builder, loc, source, dest);
    return;
  }
  Value value = readRef(builder, loc, op.getSource());
  if (op.getAdd()) {
    Value old = readRef(builder, loc, op.getDest(), /*mayOverwrite=*/true);
    value = createElementwise(
        builder, loc, old.getType(), {old, value},
        [](OpBuilder &builder, Location loc, ValueRange args) {
          return createAdd(builder, loc, args[0], args[1]);
        });
  }
  writeRef(builder, loc, value, op.getDest());
}

namespace {

/// The indices of the only element.
SmallVector<Value> getOnlyIndices(OpBuilder &builder, Location loc,
                                  Value counter) {
  unsigned rank = cast<MemRefType>(counter.getType()).getRank();
  return SmallVector<Value>(rank,
                            rank ? createIndex(builder, loc, 0) : Value());
}

void createSignal(OpBuilder &builder, Location loc, Value counter,
                  Value amount) {
  SmallVector<Value> indices = getOnlyIndices(builder, loc, counter);
  Value old = memref::LoadOp::create(builder, loc, counter, indices);
  Value sum = arith::AddIOp::create(builder, loc, old, amount);
  memref::StoreOp::create(builder, loc, sum, counter, indices);
}

/// Subtracts `amount`, or reports that the semaphore never reaches it.
void createWait(OpBuilder &builder, Location loc, KernelLowering &lowering,
                Value counter, Value amount, const Twine &what,
                bool keep = false) {
  SmallVector<Value> indices = getOnlyIndices(builder, loc, counter);
  Value held = memref::LoadOp::create(builder, loc, counter, indices);
  Value lacks = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                      held, amount);
  lowering.reportIf(builder, loc, lacks,
                    what + " waits for {1} on a semaphore that holds {0}, and "
                           "nothing can signal it",
                    held, amount);
  if (keep)
    return;
  Value rest = arith::SubIOp::create(builder, loc, held, amount);
  Value kept = arith::SelectOp::create(builder, loc, lacks, held, rest);
  memref::StoreOp::create(builder, loc, kept, counter, indices);
}

class CopyStartPattern : public LoweringPattern<CopyStartOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(CopyStartOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (!op.getDevice().empty() || op.getSrcSem())
      return lowering.fail(
          op, "expected copies within one device, got a remote copy of " +
                  lowering.getName(op.getSource()));
    FailureOr<Value> counter = getCounter(lowering, op, op.getSem());
    if (failed(counter))
      return failure();
    createCopy(rewriter, op);
    createSignal(rewriter, loc, *counter,
                 createNumBytes(rewriter, loc, op.getDest()));
    rewriter.eraseOp(op);
    return success();
  }
};

class CopyWaitPattern : public LoweringPattern<CopyWaitOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(CopyWaitOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    // Counts the arrival of a copy from another device, too.
    FailureOr<Value> counter = getCounter(lowering, op, op.getSem());
    if (failed(counter))
      return failure();
    createWait(rewriter, loc, lowering, *counter,
               createNumBytes(rewriter, loc, op.getDest()),
               "a copy to " + lowering.getName(op.getDest()));
    rewriter.eraseOp(op);
    return success();
  }
};

class SemaphoreSignalPattern : public LoweringPattern<SemaphoreSignalOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(SemaphoreSignalOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (!op.getDevice().empty() || op.getCore())
      return lowering.fail(op, "expected signals within one device, got a "
                               "signal to another device or "
                               "core");
    FailureOr<Value> counter = getCounter(lowering, op, op.getSem());
    if (failed(counter))
      return failure();
    Value amount = toI64(rewriter, loc, op.getAmount());
    createSignal(rewriter, loc, *counter, amount);
    rewriter.eraseOp(op);
    return success();
  }
};

class SemaphoreWaitPattern : public LoweringPattern<SemaphoreWaitOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(SemaphoreWaitOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    FailureOr<Value> counter = getCounter(lowering, op, op.getSem());
    if (failed(counter))
      return failure();
    Value amount = toI64(rewriter, loc, op.getAmount());
    createWait(rewriter, loc, lowering, *counter, amount, "the kernel",
               op.getKeep());
    rewriter.eraseOp(op);
    return success();
  }
};

class SemaphoreReadPattern : public LoweringPattern<SemaphoreReadOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(SemaphoreReadOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    FailureOr<Value> counter = getCounter(lowering, op, op.getSem());
    if (failed(counter))
      return failure();
    Value held = memref::LoadOp::create(
        rewriter, loc, *counter, getOnlyIndices(rewriter, loc, *counter));
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, rewriter.getI32Type(),
                                                 held);
    return success();
  }
};

class BarrierSemaphorePattern : public LoweringPattern<BarrierSemaphoreOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(BarrierSemaphoreOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    // All ops of a call or task share one semaphore.
    if (!lowering.barrier && lowering.hasTasks()) {
      lowering.barrier =
          lowering.allocateForTasks(loc, {}, rewriter.getI64Type());
      createRecordedSemaphores(rewriter, loc, lowering, lowering.barrier,
                               "the barrier semaphore");
    } else if (!lowering.barrier) {
      OpBuilder::InsertionGuard guard(rewriter);
      lowering.barrier = lowering.allocate(loc, {}, rewriter.getI64Type());
      rewriter.setInsertionPointAfterValue(lowering.barrier);
      createZeroCounters(rewriter, loc, lowering.barrier);
    }
    auto type = cast<MemRefType>(op.getResult().getType());
    if (type.getRank() != 0)
      return lowering.fail(op, "expected one barrier semaphore, got an array");
    rewriter.replaceOpWithNewOp<UnrealizedConversionCastOp>(op, type,
                                                            lowering.barrier);
    return success();
  }
};

class DelayPattern : public LoweringPattern<DelayOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(DelayOp op,
                                PatternRewriter &rewriter) const override {
    // A delay has no effect, since no other program runs.
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateAsyncPatterns(RewritePatternSet &patterns,
                           KernelLowering &lowering) {
  patterns.add<BarrierSemaphorePattern>(patterns.getContext(), lowering);
  if (lowering.hasTasks()) {
    populateTaskPatterns(patterns, lowering);
    return;
  }
  patterns.add<CopyStartPattern, CopyWaitPattern, SemaphoreSignalPattern,
               SemaphoreWaitPattern, SemaphoreReadPattern, DelayPattern>(
      patterns.getContext(), lowering);
}

} // namespace gridir
