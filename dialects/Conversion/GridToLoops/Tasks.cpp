//===- Tasks.cpp - Copies and semaphores of programs that wait ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each work item is a task of the runtime. Signals, waits and copies are calls
// of the runtime, which selects the next task. A semaphore is a counter in
// memory; the counter of another work item is at the same offset of its memory.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Async.h"
#include "dialects/Grid/Analysis/TaskPrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {

int64_t getBytesPerElement(Value memref) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  if (auto complexType = dyn_cast<ComplexType>(element))
    return complexType.getElementType().getIntOrFloatBitWidth() / 4;
  // A number of less than a byte occupies a byte.
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

Value createAddress(OpBuilder &builder, Location loc, Value memref) {
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memref);
  auto layout = memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  Value offset = arith::MulIOp::create(
      builder, loc, layout.getOffset(),
      createIndex(builder, loc, getBytesPerElement(memref)));
  return toI64(builder, loc, arith::AddIOp::create(builder, loc, base, offset));
}

Value createWorkItem(OpBuilder &builder, Location loc, KernelLowering &lowering,
                     ValueRange ids) {
  Value item = createIndex(builder, loc, 0);
  for (unsigned d : lowering.parallelDims) {
    item = arith::MulIOp::create(builder, loc, item, lowering.gridSizes[d]);
    item = arith::AddIOp::create(builder, loc, item, ids[d]);
  }
  return toI64(builder, loc, item);
}

namespace {

/// The address of a semaphore and its number of bits, as i64.
struct CounterAddress {
  Value address, bits;
};

FailureOr<CounterAddress> createCounterAddress(OpBuilder &builder,
                                               KernelLowering &lowering,
                                               Operation *op, Value semaphore) {
  FailureOr<Value> counter = getCounter(lowering, op, semaphore);
  if (failed(counter))
    return failure();
  Location loc = op->getLoc();
  int64_t bits = 8 * getBytesPerElement(*counter);
  return CounterAddress{createAddress(builder, loc, *counter),
                        createI64(builder, loc, bits)};
}

/// Returns the work item of another core, which differs from the current one
/// only in the ids along core dimensions.
FailureOr<Value> createItemOfCore(OpBuilder &builder, KernelLowering &lowering,
                                  Operation *op, Value core) {
  KernelOp kernel = lowering.kernel;
  Location loc = op->getLoc();
  Value rest = toIndex(builder, loc, core);
  SmallVector<Value> ids(lowering.programIds);
  Value numCores = createIndex(builder, loc, 1);
  for (unsigned d : llvm::reverse(lowering.parallelDims))
    if (isCoreDim(kernel, d)) {
      Value size = lowering.gridSizes[d];
      ids[d] = arith::RemUIOp::create(builder, loc, rest, size);
      rest = arith::DivUIOp::create(builder, loc, rest, size);
      numCores = arith::MulIOp::create(builder, loc, numCores, size);
    }
  Value outside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                        toIndex(builder, loc, core), numCores);
  lowering.reportIf(builder, loc, outside, "core {0} is out of bounds [0, {1})",
                    core, numCores);
  // The runtime takes -1 for the own one.
  return arith::SelectOp::create(builder, loc, outside,
                                 createI64(builder, loc, -1),
                                 createWorkItem(builder, loc, lowering, ids))
      .getResult();
}

} // namespace

/// The number of the receiving device, or -1 for the own one.
FailureOr<Value> createDeviceNumber(OpBuilder &builder,
                                    KernelLowering &lowering, Operation *op,
                                    ValueRange device,
                                    std::optional<DeviceIdType> kind) {
  Location loc = op->getLoc();
  Value own = createI64(builder, loc, -1);
  if (device.empty())
    return own;
  std::optional<int64_t> numDevices = getNumDevices(lowering.kernel);
  if (!numDevices || kind != DeviceIdType::Logical)
    return lowering.fail(
        op, "expected devices over which the call is mapped, as in shard_map, "
            "got a device outside of any known mesh");
  Value number = toI64(builder, loc, device.front());
  Value count = createI64(builder, loc, *numDevices);
  Value outside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                        number, count);
  lowering.reportIf(builder, loc, outside,
                    "device {0} is out of bounds [0, {1})", number, count);
  return arith::SelectOp::create(builder, loc, outside, own, number)
      .getResult();
}

namespace {

/// The same address in the memory of the receiver of a copy or signal.
template <typename OpT>
FailureOr<Value> createRemoteAddress(OpBuilder &builder,
                                     KernelLowering &lowering, OpT op,
                                     Value address) {
  if (op.getDevice().empty() && !op.getCore())
    return address;
  Location loc = op.getLoc();
  FailureOr<Value> device = createDeviceNumber(
      builder, lowering, op, op.getDevice(), op.getDeviceIdType());
  FailureOr<Value> item = createI64(builder, loc, -1);
  if (op.getCore())
    item = createItemOfCore(builder, lowering, op, op.getCore());
  if (failed(device) || failed(item))
    return failure();
  return createRuntimeCall(builder, loc, lowering, "gridirTaskLocate",
                           {address, *device, *item}, builder.getI64Type())
      .front();
}

void createWait(OpBuilder &builder, Location loc, KernelLowering &lowering,
                CounterAddress counter, Value amount, const Twine &what,
                bool keep) {
  int64_t diagnostic = lowering.addDiagnostic(
      loc, what + " waits for {1} on a semaphore that holds {0}, and "
                  "nothing can signal it");
  createRuntimeCall(builder, loc, lowering, "gridirTaskWait",
                    {counter.address, counter.bits, amount,
                     createI64(builder, loc, keep),
                     createI64(builder, loc, diagnostic)});
}

/// A pattern of an op on one semaphore.
template <typename OpT> class SemaphorePattern : public LoweringPattern<OpT> {
public:
  using LoweringPattern<OpT>::LoweringPattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    FailureOr<CounterAddress> counter =
        createCounterAddress(rewriter, this->lowering, op, op.getSem());
    return failed(counter) ? failure() : lower(op, *counter, rewriter);
  }

protected:
  virtual LogicalResult lower(OpT op, CounterAddress counter,
                              PatternRewriter &rewriter) const = 0;
};

class TaskCopyStartPattern : public SemaphorePattern<CopyStartOp> {
public:
  using SemaphorePattern::SemaphorePattern;

protected:
  LogicalResult lower(CopyStartOp op, CounterAddress arrived,
                      PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    FailureOr<Value> arrivedThere =
        createRemoteAddress(rewriter, lowering, op, arrived.address);
    Value none = createI64(rewriter, loc, 0);
    FailureOr<CounterAddress> sent = CounterAddress{none, none};
    if (op.getSrcSem())
      sent = createCounterAddress(rewriter, lowering, op, op.getSrcSem());
    if (failed(arrivedThere) || failed(sent))
      return failure();
    arrived.address = *arrivedThere;
    Value bytes = createNumBytes(rewriter, loc, op.getDest());

    Value source = getMemRef(op.getSource()), dest = getMemRef(op.getDest());
    if (!source || !dest || op.getAdd()) {
      // Effects that the runtime cannot defer are executed immediately.
      if (op.getSrcSem())
        return lowering.fail(op, "expected a copy between strided Refs to "
                                 "another core or device, without add");
      createCopy(rewriter, op);
      createRuntimeCall(rewriter, loc, lowering, "gridirTaskSignal",
                        {arrived.address, arrived.bits, bytes});
      rewriter.eraseOp(op);
      return success();
    }
    FailureOr<Value> to = createRemoteAddress(
        rewriter, lowering, op, createAddress(rewriter, loc, dest));
    if (failed(to))
      return failure();
    if (lowering.recordsAccesses()) {
      int64_t from = lowering.addAccess(
          loc, "copy from " + lowering.getName(op.getSource()));
      int64_t to =
          lowering.addAccess(loc, "copy to " + lowering.getName(op.getDest()));
      createRuntimeCall(
          rewriter, loc, lowering, "gridirTaskSites",
          {createI64(rewriter, loc, from), createI64(rewriter, loc, to)});
    }
    createCopyDims(rewriter, loc, lowering, source, dest);
    createRuntimeCall(rewriter, loc, lowering, "gridirTaskCopy",
                      {createAddress(rewriter, loc, source), *to,
                       createI64(rewriter, loc, getBytesPerElement(dest)),
                       bytes, arrived.address, arrived.bits, sent->address,
                       sent->bits});
    rewriter.eraseOp(op);
    return success();
  }
};

class TaskCopyWaitPattern : public SemaphorePattern<CopyWaitOp> {
public:
  using SemaphorePattern::SemaphorePattern;

protected:
  LogicalResult lower(CopyWaitOp op, CounterAddress counter,
                      PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    createWait(rewriter, loc, lowering, counter,
               createNumBytes(rewriter, loc, op.getDest()),
               "a copy to " + lowering.getName(op.getDest()), /*keep=*/false);
    rewriter.eraseOp(op);
    return success();
  }
};

class TaskSignalPattern : public SemaphorePattern<SemaphoreSignalOp> {
public:
  using SemaphorePattern::SemaphorePattern;

protected:
  LogicalResult lower(SemaphoreSignalOp op, CounterAddress counter,
                      PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    FailureOr<Value> there =
        createRemoteAddress(rewriter, lowering, op, counter.address);
    if (failed(there))
      return failure();
    createRuntimeCall(
        rewriter, loc, lowering, "gridirTaskSignal",
        {*there, counter.bits, toI64(rewriter, loc, op.getAmount())});
    rewriter.eraseOp(op);
    return success();
  }
};

class TaskWaitPattern : public SemaphorePattern<SemaphoreWaitOp> {
public:
  using SemaphorePattern::SemaphorePattern;

protected:
  LogicalResult lower(SemaphoreWaitOp op, CounterAddress counter,
                      PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    createWait(rewriter, loc, lowering, counter,
               toI64(rewriter, loc, op.getAmount()), "the kernel",
               op.getKeep());
    rewriter.eraseOp(op);
    return success();
  }
};

class TaskReadPattern : public SemaphorePattern<SemaphoreReadOp> {
public:
  using SemaphorePattern::SemaphorePattern;

protected:
  LogicalResult lower(SemaphoreReadOp op, CounterAddress counter,
                      PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value held = createRuntimeCall(rewriter, loc, lowering, "gridirTaskRead",
                                   {counter.address, counter.bits},
                                   rewriter.getI64Type())
                     .front();
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, rewriter.getI32Type(),
                                                 held);
    return success();
  }
};

class TaskDeviceIdPattern : public LoweringPattern<DeviceIdOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(DeviceIdOp op,
                                PatternRewriter &rewriter) const override {
    Value device =
        createRuntimeCall(rewriter, op.getLoc(), lowering, "gridirTaskDevice",
                          {}, rewriter.getI64Type())
            .front();
    rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, rewriter.getI32Type(),
                                                 device);
    return success();
  }
};

class TaskDelayPattern : public LoweringPattern<DelayOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(DelayOp op,
                                PatternRewriter &rewriter) const override {
    createRuntimeCall(rewriter, op.getLoc(), lowering, "gridirTaskPause", {});
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateTaskPatterns(RewritePatternSet &patterns,
                          KernelLowering &lowering) {
  patterns.add<TaskCopyStartPattern, TaskCopyWaitPattern, TaskSignalPattern,
               TaskWaitPattern, TaskReadPattern, TaskDeviceIdPattern,
               TaskDelayPattern>(patterns.getContext(), lowering);
}

} // namespace gridir
