//===- Barriers.cpp - Barriers in shared memory and their phases ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

/// The number of barriers whose phase bits share one word.
static constexpr int64_t kMaxBarriers = 32;

/// The arrivals of a warpgroup if each of its warps arrives separately.
static constexpr int64_t kNumWarps = 1 << warpgroup::kNumWarpBits;

FailureOr<std::shared_ptr<Storage>>
Lowering::addBarriers(grid::ScopedOp op, Value ref, int64_t offset) {
  auto type = cast<MemRefType>(ref.getType());
  auto barrier = cast<warpgroup::BarrierType>(type.getElementType());
  Location loc = op.getLoc();
  for (ArrayAttr axes : barrier.getCluster())
    if (failed(getRanks().checkAxes(
            op, llvm::to_vector(axes.getAsRange<StringAttr>()))))
      return failure();
  if (type.getNumElements() > kMaxBarriers)
    return op.emitError("expected at most ")
           << kMaxBarriers << " barriers of an allocation, got "
           << type.getNumElements();
  auto storage = std::make_shared<Storage>();
  storage->kind = Storage::Kind::Shared;
  storage->elementType = barrier;
  storage->shape.assign(type.getShape().begin(), type.getShape().end());
  storage->width = getRowLength(type.getShape());
  storage->base = createSharedAddress(loc, offset);
  storage->isOfWarps = warpgroup::arriveByWarps(ref);
  atBeginning([&] {
    auto first = scf::IfOp::create(builder, loc, isFirst);
    builder.setInsertionPointToStart(first.thenBlock());
    int64_t numBlocks = 1;
    for (ArrayAttr axes : barrier.getCluster())
      numBlocks += getRanks().getNumAlong(axes) - 1;
    int64_t numArrivals = barrier.getArrivals() * numBlocks;
    if (storage->isOfWarps)
      numArrivals *= kNumWarps;
    Value count = createI32(builder, loc, numArrivals);
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      Value address = createBytesBehind(builder, loc, storage->base,
                                        i * storage->getElementBytes());
      NVVM::MBarrierInitOp::create(builder, loc, address, count, Value());
    }
    // Copies, too, must see the barriers as they are now.
    NVVM::FenceMbarrierInitOp::create(builder, loc);
  });
  storage->variables = {
      createVariable(loc, builder.getI32Type(), /*isZero=*/true)};
  return storage;
}

namespace {

/// The number of a barrier in its allocation.
Value createNumber(OpBuilder &builder, Location loc, const View &view) {
  OpFoldResult number = builder.getI32IntegerAttr(0);
  for (auto [d, offset] : llvm::enumerate(view.offsets))
    number =
        createOffset(builder, loc, number, offset, view.storage->getStride(d));
  return toI32(builder, loc, number);
}

/// The phase that the thread waits for next, and the mask that toggles it.
struct Phase {
  Value number, variable, word, parity, mask;

  Phase(OpBuilder &builder, Location loc, const View &view)
      : number(createNumber(builder, loc, view)),
        variable(view.storage->variables.front()) {
    word = LLVM::LoadOp::create(builder, loc, builder.getI32Type(), variable);
    Value one = createI32(builder, loc, 1);
    parity = arith::ShRUIOp::create(builder, loc, word, number);
    parity = arith::AndIOp::create(builder, loc, parity, one);
    mask = arith::ShLIOp::create(builder, loc, one, number);
  }

  void advance(OpBuilder &builder, Location loc, Value condition) {
    Value next = arith::XOrIOp::create(builder, loc, word, mask);
    if (condition)
      next = arith::SelectOp::create(builder, loc, condition, next, word);
    LLVM::StoreOp::create(builder, loc, next, variable);
  }
};

warpgroup::BarrierType getType(Value barrier) {
  return cast<warpgroup::BarrierType>(
      cast<MemRefType>(barrier.getType()).getElementType());
}

/// Waits until a phase is complete.
void createWait(Lowering &lowering, Location loc, Value address, Value parity,
                NVVM::MemScopeKind scope) {
  OpBuilder &builder = lowering.builder;
  Value ticks = createI32(builder, loc, 10'000'000);
  if (scope == NVVM::MemScopeKind::CTA) {
    // Inline assembly, because upstream's op does not fold a constant offset
    // into the instruction, and a loop in LLVM IR would prevent optimizations
    // of the loop around it as an innermost loop.
    int64_t offset = 0;
    Value base = splitAddress(builder, loc, address, offset);
    std::string text = "{\n.reg .pred complete;\nWAIT:\n"
                       "mbarrier.try_wait.parity.shared.b64 complete, [$0+" +
                       std::to_string(offset) +
                       "], $1, $2;\n@complete bra.uni DONE;\n"
                       "bra.uni WAIT;\nDONE:\n}";
    createAssembly(builder, loc, {}, {base, parity, ticks}, text, "l,r,r");
    return;
  }
  auto wait = [&](OpBuilder &builder, Location loc, ValueRange) {
    Value done = NVVM::MBarrierTryWaitOp::create(
        builder, loc, builder.getI1Type(), address, parity, ticks, scope,
        /*relaxed=*/false);
    Value pending = arith::XOrIOp::create(
        builder, loc, done,
        arith::ConstantIntOp::create(builder, loc, 1, /*width=*/1));
    scf::ConditionOp::create(builder, loc, pending, ValueRange());
  };
  auto again = [](OpBuilder &builder, Location loc, ValueRange) {
    scf::YieldOp::create(builder, loc);
  };
  scf::WhileOp::create(builder, loc, TypeRange(), ValueRange(), wait, again);
}

LogicalResult lowerWait(warpgroup::BarrierWaitOp op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  const View &view = lowering.getView(op.getBarrier());
  Phase phase(builder, loc, view);
  Value parity = lowering.ringPhases.lookup(op);
  createWait(lowering, loc, lowering.createAddress(loc, view, {}),
             parity ? parity : phase.parity,
             lowering.getBarrierScope(getType(op.getBarrier())));
  phase.advance(builder, loc, Value());
  return success();
}

/// A later thread may already find the phase complete, so all threads use the
/// result of one thread.
LogicalResult lowerTest(warpgroup::BarrierTestOp op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  const View &view = lowering.getView(op.getBarrier());
  Phase phase(builder, loc, view);
  Value complete = NVVM::MBarrierTestWaitOp::create(
      builder, loc, builder.getI1Type(), lowering.createAddress(loc, view, {}),
      phase.parity, lowering.getBarrierScope(getType(op.getBarrier())),
      /*relaxed=*/false);
  complete = lowering.createAll(loc, complete);
  phase.advance(builder, loc, complete);
  lowering.set(op.getComplete(), {complete});
  return success();
}

LogicalResult lowerArrive(warpgroup::BarrierArriveOp op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  warpgroup::BarrierType type = getType(op.getBarrier());
  const View &view = lowering.getView(op.getBarrier());
  Value address = lowering.createAddress(loc, view, {});
  auto arrive = [&](Value count) {
    NVVM::MBarrierArriveOp::create(builder, loc, builder.getI64Type(), address,
                                   count);
  };
  if (view.storage->isOfWarps) {
    // The code of a single warp arrives for its warpgroup.
    if (lowering.isInWarps())
      lowering.createForLeader(
          loc, Value(), [&] { arrive(createI32(builder, loc, kNumWarps)); });
    else
      lowering.createForLeaderOfWarp(loc, [&] { arrive(Value()); });
    return success();
  }
  // One thread arrives for all.
  lowering.createForLeader(loc, Value(), [&] {
    auto arriveAt = [&](Value rank) {
      NVVM::MBarrierArriveOp::create(
          builder, loc, Type(),
          createPeerAddress(lowering.builder, loc, address, rank), Value(),
          lowering.getBarrierScope(type));
    };
    if (type.getLeaderTracked()) {
      for (ArrayAttr axes : type.getCluster())
        arriveAt(lowering.getRanks().createFirst(loc, axes));
      return;
    }
    arrive(Value());
    for (ArrayAttr axes : type.getCluster())
      for (int64_t i = 1; i < lowering.getRanks().getNumAlong(axes); ++i)
        arriveAt(lowering.getRanks().createNeighbour(loc, axes, i));
  });
  return success();
}

LogicalResult lowerNamed(warpgroup::NamedBarrierOp op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  Value number = lowering.getScalar(op.getNumber());
  Value threads = createI32(builder, loc, op.getThreads());
  if (op.getArrive()) {
    NVVM::BarrierArriveOp::create(builder, loc, number, threads);
    return success();
  }
  NVVM::BarrierOp::create(builder, loc, TypeRange(), number, threads,
                          NVVM::BarrierReductionAttr(), Value());
  lowering.exchangePending = false;
  return success();
}

/// Copies and MMAs see the stores.
LogicalResult lowerCommitSmem(warpgroup::CommitSmemOp op, Lowering &lowering) {
  if (lowering.chip.hasBulkCopies)
    NVVM::FenceProxyOp::create(
        lowering.builder, op.getLoc(), NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(op.getContext(),
                                   NVVM::SharedSpace::shared_cta));
  lowering.createSync(op.getLoc());
  return success();
}

LogicalResult lowerCommitGmem(warpgroup::CommitGmemOp op, Lowering &lowering) {
  if (lowering.chip.hasBulkCopies)
    NVVM::FenceProxyOp::create(lowering.builder, op.getLoc(),
                               NVVM::ProxyKind::async_global,
                               NVVM::SharedSpaceAttr());
  lowering.createSync(op.getLoc());
  return success();
}

} // namespace

void addBarrierLowerings(Handlers &handlers) {
  handlers.add(lowerWait);
  handlers.add(lowerTest);
  handlers.add(lowerArrive);
  handlers.add(lowerNamed);
  handlers.add(lowerCommitSmem);
  handlers.add(lowerCommitGmem);
}

} // namespace gridir::warpgroup_to_nvvm
