//===- Profile.cpp - When scopes of the author begin and end --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "dialects/Grid/IR/KernelParams.h"
#include "dialects/Support/CountableTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {
namespace {

/// 64-bit words at the beginning of a trace: the number of events and, above
/// it, the multiprocessor; the timer and the clock when the thread begins; both
/// when it ends. Each event has one more word: the scope and whether it ends,
/// and above them the clock.
enum Header { kEvents, kBeginTimer, kBeginClock, kEndTimer, kEndClock, kSize };

constexpr int64_t kWarps = kNumThreads / (1 << kNumLaneBits);
constexpr int64_t kMaxProfileBytes = int64_t(1) << 30;

void createStoreAt(Lowering &lowering, Location loc, Value slot, Value value) {
  OpBuilder &builder = lowering.builder;
  Value address = LLVM::GEPOp::create(
      builder, loc, lowering.trace->address.getType(), builder.getI64Type(),
      lowering.trace->address, ArrayRef<LLVM::GEPArg>{slot});
  LLVM::StoreOp::create(builder, loc, value, address, /*alignment=*/8);
}

void createTimesAt(Lowering &lowering, Location loc, Header timer,
                   Header clock) {
  OpBuilder &builder = lowering.builder;
  Type i64 = builder.getI64Type();
  createStoreAt(lowering, loc, createI32(builder, loc, timer),
                NVVM::GlobalTimerOp::create(builder, loc, i64));
  createStoreAt(lowering, loc, createI32(builder, loc, clock),
                NVVM::Clock64Op::create(builder, loc, i64));
}

/// Two words as one number.
Value createPair(OpBuilder &builder, Location loc, Value low, Value high) {
  Type i64 = builder.getI64Type();
  Value above = arith::ShLIOp::create(
      builder, loc, arith::ExtUIOp::create(builder, loc, i64, high),
      createI64(builder, loc, 32));
  return arith::OrIOp::create(
      builder, loc, arith::ExtUIOp::create(builder, loc, i64, low), above);
}

template <typename Fn>
void createForRecorder(Lowering &lowering, Location loc, Value condition,
                       Fn body) {
  OpBuilder &builder = lowering.builder;
  OpBuilder::InsertionGuard insertion(builder);
  auto guard = scf::IfOp::create(builder, loc, condition);
  builder.setInsertionPointToStart(guard.thenBlock());
  body();
}

LogicalResult lowerProfile(warpgroup::ProfileOp op, Lowering &lowering) {
  if (!lowering.trace)
    return op.emitError("expected a kernel with a profile_space");
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  Trace &trace = *lowering.trace;
  trace.scopes.insert(op.getScopeAttr());
  auto scope = llvm::find(trace.scopes, op.getScopeAttr());
  int64_t event = 2 * (scope - trace.scopes.begin()) + op.getEnds();

  Type i32 = builder.getI32Type();
  Value count = LLVM::LoadOp::create(builder, loc, i32, trace.count);
  Value hasRoom =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, count,
                            createI32(builder, loc, trace.capacity));
  Value records =
      arith::AndIOp::create(builder, loc, trace.isRecorder, hasRoom);
  createForRecorder(lowering, loc, records, [&] {
    Value slot = arith::AddIOp::create(builder, loc, count,
                                       createI32(builder, loc, kSize));
    Value clock = NVVM::ClockOp::create(builder, loc, i32);
    createStoreAt(
        lowering, loc, slot,
        createPair(builder, loc, createI32(builder, loc, event), clock));
  });
  LLVM::StoreOp::create(
      builder, loc,
      arith::AddIOp::create(builder, loc, count, createI32(builder, loc, 1)),
      trace.count);
  return success();
}

} // namespace

bool hasProfile(grid::KernelOp kernel) {
  auto params = grid::getParams<grid::MosaicGpuParamsAttr>(kernel);
  return params && params.getProfileSpace().value_or(0) > 0;
}

LogicalResult Lowering::beginTrace() {
  if (!hasProfile(kernel))
    return success();
  Location loc = kernel.getLoc();
  auto params = grid::getParams<grid::MosaicGpuParamsAttr>(kernel);
  StringAttr threads = params.getProfileTraceScope();
  bool isOfWarps = threads && threads.getValue().equals_insensitive("warp");
  trace.emplace();
  trace->directory = params.getProfileDir();
  BoolAttr truncates = params.getProfileBoundsCheck();
  trace->truncates = truncates && truncates.getValue();
  trace->numOfBlock = numWarpgroups * (isOfWarps ? kWarps : 1);
  const int64_t space = *params.getProfileSpace(),
                ofTrace = (kSize + 2 * (space - 1)) * 8;
  std::optional<int64_t> bytes =
      space < kMaxProfileBytes
          ? countPoints({numCtas, trace->numOfBlock, ofTrace})
          : std::nullopt;
  if (!bytes || *bytes > kMaxProfileBytes)
    return kernel.emitError("expected at most ")
           << kMaxProfileBytes << " bytes of profiles of all blocks, got a "
           << "profile_space of " << space << " for " << numCtas
           << " blocks of " << trace->numOfBlock << " traces";
  trace->capacity = 2 * (space - 1);
  zeroedBytes = *bytes;

  trace->isRecorder = isOfWarps ? createElect(loc) : isLeader;
  trace->count = createVariable(loc, builder.getI32Type(), /*isZero=*/true);
  Value number = warpgroup;
  if (isOfWarps)
    number = arith::AddIOp::create(
        builder, loc,
        arith::MulIOp::create(builder, loc, number,
                              createI32(builder, loc, kWarps)),
        warp);
  Value block = NVVM::BlockIdXOp::create(builder, loc, builder.getI32Type());
  number = arith::AddIOp::create(
      builder, loc,
      arith::MulIOp::create(builder, loc, block,
                            createI32(builder, loc, trace->numOfBlock)),
      number);
  Value offset = arith::MulIOp::create(builder, loc, number,
                                       createI32(builder, loc, ofTrace));
  trace->address =
      LLVM::GEPOp::create(builder, loc, zeroed.getType(), builder.getI8Type(),
                          zeroed, ArrayRef<LLVM::GEPArg>{offset});
  createForRecorder(*this, loc, trace->isRecorder, [&] {
    createTimesAt(*this, loc, kBeginTimer, kBeginClock);
  });
  return success();
}

void Lowering::endTrace() {
  if (!trace)
    return;
  Location loc = kernel.getLoc();
  createForRecorder(*this, loc, trace->isRecorder, [&] {
    createTimesAt(*this, loc, kEndTimer, kEndClock);
    Type i32 = builder.getI32Type();
    Value count = LLVM::LoadOp::create(builder, loc, i32, trace->count);
    Value multiprocessor = NVVM::SmIdOp::create(builder, loc, i32);
    createStoreAt(*this, loc, createI32(builder, loc, kEvents),
                  createPair(builder, loc, count, multiprocessor));
  });
}

void addProfileLowerings(Handlers &handlers) { handlers.add(lowerProfile); }

} // namespace gridir::warpgroup_to_nvvm
