//===- InsertBarriers.cpp - Synchronize the threads of a warpgroup --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Inference/Exchanges.h"
#include "dialects/Warpgroup/Transforms/MemoryAccesses.h"
#include "dialects/Warpgroup/Transforms/Passes.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPINSERTBARRIERSPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

namespace {

using Roots = llvm::SmallSetVector<Value, 4>;

//===----------------------------------------------------------------------===//
// The state
//===----------------------------------------------------------------------===//

/// The accesses and waits of the threads of a warpgroup since they synchronized
/// last.
struct Pending {
  /// The Refs in memory that some threads may not have accessed yet.
  Roots read, written;
  /// True if some threads may still wait for a phase that others have observed,
  /// and true if these threads may be in one warp.
  bool waits = false, lanesWait = false;
  /// True if only the thread that started copies knows that they have read
  /// shared memory, and true if only it sees what they have written.
  bool copies = false, stores = false;
  /// The number of MMA groups that all threads have started since the last
  /// wait for a phase.
  int64_t productsSinceWait = 0;
  /// Accumulators of MMAs that have not been waited for. No barrier completes
  /// MMAs.
  Roots accumulators;
  /// True if some threads may still load what others exchanged with them.
  bool exchanged = false;

  bool any() const { return !read.empty() || !written.empty() || waits; }

  void join(const Pending &other) {
    read.insert_range(other.read);
    written.insert_range(other.written);
    if (other.waits) {
      productsSinceWait =
          waits ? std::min(productsSinceWait, other.productsSinceWait)
                : other.productsSinceWait;
      waits = true;
    }
    lanesWait |= other.lanesWait;
    copies |= other.copies;
    stores |= other.stores;
    exchanged |= other.exchanged;
    accumulators.insert_range(other.accumulators);
  }

  void synchronize() {
    read.clear();
    written.clear();
    waits = lanesWait = copies = stores = exchanged = false;
  }

  void waitForPhase() {
    waits = lanesWait = true;
    productsSinceWait = 0;
  }

  /// After a wait for all but some MMAs, the older ones are complete for the
  /// whole warpgroup, which started them together.
  void waitForProducts(int64_t numPending) {
    accumulators.clear();
    lanesWait = false;
    if (productsSinceWait > numPending)
      waits = false;
  }
};

bool overlapsAny(const Roots &roots, Value root) {
  return llvm::any_of(roots,
                      [&](Value other) { return mayOverlap(root, other); });
}

//===----------------------------------------------------------------------===//
// Questions to ops
//===----------------------------------------------------------------------===//

/// True if one thread announces to others that all have come to an op.
bool signalsForThreads(Operation *op) {
  auto sync = dyn_cast<SynchronizationOpInterface>(op);
  return (sync && sync.signalsForThreads()) ||
         changesSemaphore(op, grid::SemaphoreChange::Signal);
}

bool startsPhase(Operation *op) {
  auto sync = dyn_cast<SynchronizationOpInterface>(op);
  return sync && sync.startsPhase();
}

bool synchronizesThreads(Operation *op) {
  auto sync = dyn_cast<SynchronizationOpInterface>(op);
  return (sync && sync.synchronizesThreads()) ||
         changesSemaphore(op, grid::SemaphoreChange::Wait);
}

bool startsAccesses(Operation *op) {
  auto sync = dyn_cast<SynchronizationOpInterface>(op);
  return isa<AsyncProxyOpInterface>(op) || (sync && sync.startsAccesses());
}

/// True if threads need not synchronize before an access, though they must
/// before they announce it: each warp accesses its own lanes of tensor memory,
/// and barriers of the cluster order accesses to the memory of other CTAs.
bool isOrdered(const MemoryAccess &access) {
  auto sync = dyn_cast<SynchronizationOpInterface>(access.op);
  return (access.memory == Space::Tmem && !startsAccesses(access.op)) ||
         (sync && sync.accessesOtherBlocks());
}

bool writesMemory(Operation *loop) {
  auto result = loop->walk([](Operation *op) {
    bool writes =
        llvm::any_of(getMemoryAccesses(op), [](const MemoryAccess &access) {
          return access.writes && access.memory != Space::Regs;
        });
    return writes ? WalkResult::interrupt() : WalkResult::advance();
  });
  return result.wasInterrupted();
}

/// True if an op of a loop requires that no thread waits for an earlier phase.
bool needsThreads(Operation *loop) {
  auto result = loop->walk([](Operation *op) {
    return signalsForThreads(op) || startsPhase(op) ? WalkResult::interrupt()
                                                    : WalkResult::advance();
  });
  return result.wasInterrupted();
}

//===----------------------------------------------------------------------===//
// The insertion
//===----------------------------------------------------------------------===//

/// Visits the ops in the order of execution. A loop is visited once: its
/// iterations begin without pending accesses of the one before.
class BarrierInsertion {
public:
  explicit BarrierInsertion(grid::KernelOp kernel)
      : builder(kernel.getContext()),
        mayExchange(!kernel->hasAttr(kSharedBytesAttr) ||
                    kernel->hasAttr(kScratchBytesAttr)) {
    kernel.getBodyRegion().walk([&](Operation *op) {
      if (startsAccesses(op))
        for (const MemoryAccess &access : getMemoryAccesses(op))
          if (access.writes && access.memory == Space::Gmem)
            storedByCopies.insert(access.root);
    });
  }

  void visit(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto scope = dyn_cast<grid::ScopedOp>(op))
        visitScope(scope);
      else if (auto warps = dyn_cast<WarpsOp>(op))
        visitWarps(warps);
      else if (isa<RegionBranchOpInterface>(op))
        visitControl(&op);
      else
        visitOp(&op);
    }
  }

  int64_t numBarriers = 0, numWaits = 0;

private:
  void insert(Operation *op, SyncScope scope) {
    builder.setInsertionPoint(op);
    SyncOp::create(builder, op->getLoc(), scope);
    ++numBarriers;
  }

  void synchronizeBefore(Operation *op) {
    insert(op, inWarps ? SyncScope::Warp : SyncScope::Warpgroup);
    pending.synchronize();
  }

  /// An earlier scope may have used the same memory, and some warp of the CTA
  /// may still be inside of it.
  void visitScope(grid::ScopedOp scope) {
    Block &body = scope.getBody().front();
    bool hasArrays = llvm::any_of(body.getArguments(), [](Value ref) {
      std::optional<Space> memory = getMemory(ref);
      return memory == Space::Smem || memory == Space::Tmem;
    });
    if (hasArrays && !inWarps &&
        (usedArrays || scope->getParentOfType<LoopLikeOpInterface>())) {
      insert(scope, SyncScope::Block);
      pending.synchronize();
    }
    visit(body);
    usedArrays |= hasArrays;
  }

  /// The warpgroup synchronizes before and after the code of warps.
  void visitWarps(WarpsOp warps) {
    pending.synchronize();
    inWarps = true;
    visit(warps.getBody().front());
    inWarps = false;
    pending.synchronize();
  }

  void visitControl(Operation *op) {
    bool isLoop = isa<LoopLikeOpInterface>(op);
    if (isLoop) {
      // The previous iteration may have started MMAs, and lanes may have left
      // it at different times.
      op->walk([&](MmaOp product) {
        Value accumulator = getSlicedRef(product.getAcc());
        if (!op->isAncestor(accumulator.getParentBlock()->getParentOp()))
          pending.accumulators.insert(accumulator);
      });
      pending.lanesWait = true;
    }
    Pending before = pending, after = before;
    for (Region &region : op->getRegions()) {
      if (!isLoop)
        pending = before;
      if (!region.empty())
        visit(region.front());
      if (isLoop)
        synchronizeIteration(op, region.front().getTerminator());
      after.join(pending);
    }
    pending = after;
  }

  /// Inserts the barrier that the next iteration of a loop requires. A body
  /// that only waits, and only reads memory that the loop never writes,
  /// requires none.
  void synchronizeIteration(Operation *loop, Operation *terminator) {
    bool isPending = pending.any() || pending.copies;
    if (pending.written.empty() && !pending.copies &&
        (pending.read.empty() || !writesMemory(loop)))
      isPending &= needsThreads(loop);
    if (isPending || pending.exchanged)
      synchronizeBefore(terminator);
  }

  void visitOp(Operation *op) {
    SmallVector<MemoryAccess> accesses = getMemoryAccesses(op);
    waitForAccumulators(op, accesses);
    bool isPending = llvm::any_of(accesses, [&](const MemoryAccess &access) {
      return conflicts(access);
    });
    bool exchanges = mayExchange && this->exchanges.get(op).most > 0;
    if (isPending || (startsPhase(op) && pending.waits) ||
        (signalsForThreads(op) && pending.any()) ||
        (exchanges && pending.exchanged))
      synchronizeBefore(op);
    synchronizeLanes(op);
    record(op, accesses);
    pending.exchanged |= exchanges;
  }

  void waitForAccumulators(Operation *op, ArrayRef<MemoryAccess> accesses) {
    auto isProduct = [&](const MemoryAccess &access) {
      return pending.accumulators.contains(access.root);
    };
    if (isa<MmaOp>(op) || llvm::none_of(accesses, isProduct))
      return;
    builder.setInsertionPoint(op);
    MmaWaitOp::create(builder, op->getLoc(), /*pending=*/0);
    ++numWaits;
    pending.waitForProducts(0);
  }

  /// True if an access of one thread may depend on pending ones of others.
  bool conflicts(const MemoryAccess &access) {
    if (isOrdered(access))
      return false;
    if (access.reads && overlapsAny(pending.written, access.root))
      return true;
    if (pending.stores && access.memory == Space::Gmem &&
        !startsAccesses(access.op) && overlapsAny(storedByCopies, access.root))
      return true;
    return access.writes && (overlapsAny(pending.read, access.root) ||
                             overlapsAny(pending.written, access.root) ||
                             (pending.copies && access.memory == Space::Smem &&
                              !startsAccesses(access.op)));
  }

  void synchronizeLanes(Operation *op) {
    auto sync = dyn_cast<SynchronizationOpInterface>(op);
    if (!sync || !sync.signalsForLanes() ||
        (pending.read.empty() && pending.written.empty() && !pending.lanesWait))
      return;
    insert(op, SyncScope::Warp);
    pending.lanesWait = false;
  }

  void record(Operation *op, ArrayRef<MemoryAccess> accesses) {
    if (synchronizesThreads(op))
      pending.synchronize();
    if (!startsAccesses(op))
      for (const MemoryAccess &access : accesses) {
        if (access.memory == Space::Regs)
          continue;
        if (access.reads)
          pending.read.insert(access.root);
        if (access.writes)
          pending.written.insert(access.root);
      }
    if (auto sync = dyn_cast<SynchronizationOpInterface>(op);
        sync && sync.waitsForPhase())
      pending.waitForPhase();
    if (auto wait = dyn_cast<WaitGroupOp>(op)) {
      pending.copies = true;
      pending.stores |= !wait.getRead();
    }
    if (auto wait = dyn_cast<MmaWaitOp>(op))
      pending.waitForProducts(wait.getPending());
    if (auto product = dyn_cast<MmaOp>(op)) {
      pending.accumulators.insert(getSlicedRef(product.getAcc()));
      ++pending.productsSinceWait;
      // The lanes of a warp start an MMA together.
      pending.lanesWait = false;
    }
  }

  OpBuilder builder;
  /// False if the memory is planned, and there is none for exchanges.
  bool mayExchange;
  Exchanges exchanges;
  Pending pending;
  /// The arrays in global memory that copies write.
  Roots storedByCopies;
  /// True in code of single warps, and if an earlier scope had arrays in shared
  /// or tensor memory.
  bool inWarps = false, usedArrays = false;
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

class WarpgroupInsertBarriersPass
    : public warpgroup::impl::WarpgroupInsertBarriersPassBase<
          WarpgroupInsertBarriersPass> {
public:
  using WarpgroupInsertBarriersPassBase::WarpgroupInsertBarriersPassBase;

  void runOnOperation() override {
    FailureOr<grid::KernelOp> kernel =
        warpgroup::getSingleProgram(getOperation());
    if (failed(kernel))
      return signalPassFailure();
    if (!*kernel)
      return;
    BarrierInsertion insertion(*kernel);
    insertion.visit(*kernel->getBodyBlock());
    numBarriers += insertion.numBarriers;
    numProductWaits += insertion.numWaits;
  }
};

} // namespace
