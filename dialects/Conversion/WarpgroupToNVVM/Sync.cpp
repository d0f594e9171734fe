//===- Sync.cpp - Where the threads of a warpgroup or a block meet ------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

void Hazards::join(const Hazards &other) {
  read.insert(other.read.begin(), other.read.end());
  written.insert(other.written.begin(), other.written.end());
  if (other.waits) {
    productsSinceWait =
        waits ? std::min(productsSinceWait, other.productsSinceWait)
              : other.productsSinceWait;
    waits = true;
  }
  lanesWait |= other.lanesWait;
  copies |= other.copies;
  products.insert(other.products.begin(), other.products.end());
}

void Hazards::meet() {
  read.clear();
  written.clear();
  waits = lanesWait = copies = false;
}

void Lowering::createSync(Location loc) {
  hazards.meet();
  if (inWarps) {
    NVVM::SyncWarpOp::create(builder, loc, createI32(builder, loc, -1));
    return;
  }
  if (numWarpgroups == 1) {
    NVVM::BarrierOp::create(builder, loc);
    return;
  }
  // Barrier 0 belongs to the CTA. A constant number needs no register.
  Value number =
      onlyWarpgroup ? createI32(builder, loc, *onlyWarpgroup) : warpgroup;
  Value id =
      arith::AddIOp::create(builder, loc, number, createI32(builder, loc, 1));
  NVVM::BarrierOp::create(builder, loc, TypeRange(), id,
                          createI32(builder, loc, kNumThreads),
                          NVVM::BarrierReductionAttr(), Value());
}

Value Lowering::createAll(Location loc, Value condition) {
  if (!inWarps)
    return createUniform(loc, condition);
  hazards.meet();
  return NVVM::VoteSyncOp::create(builder, loc, builder.getI1Type(),
                                  createI32(builder, loc, -1), condition,
                                  NVVM::VoteSyncKind::all);
}

Value Lowering::createOfWarp(Location loc, Value value) {
  return NVVM::ShflOp::create(
      builder, loc, value.getType(), createI32(builder, loc, -1), value, zero,
      createI32(builder, loc, 31), NVVM::ShflKind::idx, UnitAttr());
}

Value Lowering::createElect(Location loc) {
  if (!chip.hasBulkCopies) {
    Value lane = arith::AndIOp::create(
        builder, loc, thread, createI32(builder, loc, (1 << kNumLaneBits) - 1));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane,
                                 zero);
  }
  return NVVM::ElectSyncOp::create(builder, loc, builder.getI1Type(), Value());
}

LogicalResult
Lowering::lowerWarps(Location loc,
                     function_ref<LogicalResult(Value warp)> body) {
  createSync(loc);
  Value leader = createElect(loc);
  std::swap(isLeader, leader);
  inWarps = true;
  LogicalResult result = body(warp);
  inWarps = false;
  std::swap(isLeader, leader);
  createSync(loc);
  return result;
}

void Lowering::createBlockSync(Location loc) {
  hazards.meet();
  NVVM::BarrierOp::create(builder, loc);
}

void Lowering::createClusterSync(Location loc) {
  hazards.meet();
  UnitAttr aligned = builder.getUnitAttr();
  NVVM::ClusterArriveOp::create(builder, loc, aligned);
  NVVM::ClusterWaitOp::create(builder, loc, aligned);
}

/// Read after write: a pending write of the storage by another thread of the
/// warpgroup requires a barrier.
void Lowering::syncBeforeRead(Location loc, const Storage *storage) {
  storage = storage->getOrigin();
  if (hazards.written.contains(storage))
    createSync(loc);
  hazards.read.insert(storage);
}

/// Write after read, write after write, and write after a copy that only its
/// issuing thread knows to be complete.
void Lowering::syncBeforeWrite(Location loc, const Storage *storage) {
  storage = storage->getOrigin();
  if (hazards.read.contains(storage) || hazards.written.contains(storage) ||
      (hazards.copies && storage->kind == Storage::Kind::Shared))
    createSync(loc);
  hazards.written.insert(storage);
}

/// One thread signals for the whole warpgroup, so the accesses of all threads
/// must come first.
void Lowering::syncBeforeSignal(Location loc) {
  if (hazards.any())
    createSync(loc);
}

void Lowering::syncBeforeSignalOfWarp(Location loc) {
  if (hazards.read.empty() && hazards.written.empty() && !hazards.lanesWait)
    return;
  NVVM::SyncWarpOp::create(builder, loc, createI32(builder, loc, -1));
  hazards.lanesWait = false;
}

/// True if ops of a loop signal to others that all threads of a warpgroup have
/// done something, by one thread.
static bool signalsForAll(Lowering &lowering, Operation *loop) {
  auto isOfWarps = [&](Value barrier) {
    while (auto slice = barrier.getDefiningOp<grid::SliceRefOp>())
      barrier = slice.getSource();
    return lowering.hasView(barrier) &&
           lowering.getView(barrier).storage->isOfWarps;
  };
  auto result = loop->walk([&](grid::ProgramOpInterface op) {
    if (!op.meetsOtherPrograms() ||
        isa<warpgroup::BarrierWaitOp, warpgroup::BarrierTestOp>(
            op.getOperation()))
      return WalkResult::advance();
    auto arrive = dyn_cast<warpgroup::BarrierArriveOp>(op.getOperation());
    return arrive && isOfWarps(arrive.getBarrier()) ? WalkResult::advance()
                                                    : WalkResult::interrupt();
  });
  return result.wasInterrupted();
}

/// True if ops of a loop write memory that threads share.
static bool writesSharedMemory(Operation *loop) {
  auto isShared = [](const MemoryEffects::EffectInstance &effect) {
    auto type = effect.getValue()
                    ? dyn_cast<MemRefType>(effect.getValue().getType())
                    : MemRefType();
    if (!isa<MemoryEffects::Write>(effect.getEffect()) || !type ||
        isa<warpgroup::BarrierType>(type.getElementType()))
      return false;
    auto space =
        dyn_cast_if_present<grid::MemorySpaceAttr>(type.getMemorySpace());
    return !space || space.getValue() != grid::MemorySpace::GpuRegs;
  };
  auto result = loop->walk([&](MemoryEffectOpInterface op) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffects(effects);
    return llvm::any_of(effects, isShared) ? WalkResult::interrupt()
                                           : WalkResult::advance();
  });
  return result.wasInterrupted();
}

void Lowering::syncBeforeNextIteration(Operation *loop) {
  bool isPending = hazards.any() || hazards.copies;
  // A body that only waits, and only reads shared memory that this warpgroup
  // never writes, needs no barrier at the back edge.
  if (hazards.written.empty() && !hazards.copies &&
      !hazards.read.contains(&scratch) &&
      (hazards.read.empty() || !writesSharedMemory(loop)))
    isPending &= signalsForAll(*this, loop);
  if (isPending)
    createSync(loop->getLoc());
}

void Lowering::syncBeforeCopyTo(Location loc, const Storage *storage) {
  storage = storage->getOrigin();
  // A thread that still waits for a barrier must not miss the phase that the
  // copy starts.
  if (hazards.read.contains(storage) || hazards.written.contains(storage) ||
      hazards.waits)
    createSync(loc);
}

/// The thread that starts the copy must observe the stores of all threads.
void Lowering::syncBeforeCopyFrom(Location loc, const Storage *storage) {
  if (hazards.written.contains(storage->getOrigin()))
    createSync(loc);
}

} // namespace gridir::warpgroup_to_nvvm
