//===- InitializedRuns.cpp - Reads of written elements --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/InitializedRuns.h"

#include "dialects/Grid/Analysis/AccessRuns.h"
#include "dialects/Grid/IR/GridAsyncInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace gridir::grid {

namespace {

class InitializedRuns : public AccessRuns {
public:
  InitializedRuns(BlockAccess &access, ArrayRef<Value> refs)
      : AccessRuns(access.getKernel()), access(access),
        tracked(refs.begin(), refs.end()) {}

  llvm::DenseMap<Value, EarlyRead> find() {
    addAccesses();
    kernel.getBodyRegion().walk([&](ProgramOpInterface op) {
      if (op.meetsOtherPrograms())
        loseShared(op);
    });
    if (follow())
      addAll();
    for (const auto &[barrier, roots] : completed)
      if (hasOtherArrivals(barrier))
        for (Value root : roots)
          early.try_emplace(root);
    return std::move(early);
  }

private:
  void addAll() {
    for (Value ref : tracked)
      early.try_emplace(ref);
  }

  /// When the block of an output changes, the new block is uninitialized.
  void beginProgram() override {
    queued.clear();
    for (BlockArgument ref : kernel.getOutputRefs()) {
      if (!tracked.contains(ref))
        continue;
      std::optional<ElementBox> block =
          readBox(access.getBlock(ref.getArgNumber()), access.getValues());
      if (!block || blocks[ref] != block->lows)
        written.erase(ref);
      if (block)
        blocks[ref] = block->lows;
    }
  }

  void enter(ScopedOp scoped) override {
    for (Value ref : scoped.getBody().getArguments()) {
      written.erase(ref);
      queued.erase(ref);
      forget(ref);
    }
  }

  /// Invalidates the state of the semaphores of a Ref.
  void forget(Value root) {
    arrivals.remove_if(
        [&](const auto &entry) { return entry.first.first == root; });
    for (auto &[sync, here] : arrivals)
      llvm::erase_if(here.boxes, [&](const RefRegion &region) {
        return region.root == root;
      });
    lost.erase(root);
  }

  /// Other programs change semaphores at any time.
  void loseShared(Operation *op) {
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<MemRefType>(operand.getType());
          type && isa<SemaphoreType>(type.getElementType())) {
        Value root = getViewRoot(operand);
        if (isa<BlockArgument>(root))
          shared.insert(root);
        else
          isAnyLost = true;
      }
  }

  void visit(Operation *op) override {
    visit(op, /*isCertain=*/true);
    auto async = dyn_cast<AsyncOpInterface>(op);
    if (auto changes = dyn_cast<SemaphoreOpInterface>(op))
      for (const SemaphoreChange &change : changes.getSemaphoreChanges())
        followArrivals(op, change);
    else
      loseSemaphores(op, async);
    if (async)
      followBarriers(async);
  }

  /// An op that may run reads, and certainly writes nothing.
  void lose(Operation *op) override {
    op->walk([&](Operation *inner) {
      if (isa<RefViewOpInterface, ViewLikeOpInterface>(inner))
        return;
      visit(inner, /*isCertain=*/false);
      loseSemaphores(inner);
    });
  }

  /// Arrivals are unknown once an op may have changed the semaphore or barrier,
  /// unless it is a barrier of `described`.
  void loseSemaphores(Operation *op, AsyncOpInterface described = {}) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<MemRefType>(operand.getType());
      if (!type || !isa<SyncTypeInterface>(type.getElementType()))
        continue;
      noteWait(operand);
      if (effects && !effects.getEffectOnValue<MemoryEffects::Write>(operand))
        continue;
      if (!described || (operand != described.getArrivalBarrier() &&
                         operand != described.getAwaitedBarrier()))
        loseSemaphore(operand);
    }
  }

  /// The program may learn that copies have ended, which consumes no signal.
  void noteWait(Value ref) {
    std::optional<Key> key = readSemaphore(ref);
    for (auto &[sync, here] : arrivals)
      here.isAwaited |= !key || sync == *key;
  }

  void loseSemaphore(Value ref) {
    if (std::optional<Key> key = readSemaphore(ref)) {
      arrivals[*key].isLost = true;
      arriving[*key].insert(getSharer(key->first));
      return;
    }
    // It may be any semaphore of its Ref, or of all Refs.
    Value root = getViewRoot(ref);
    if (isa<BlockArgument>(root)) {
      lost.insert(root);
      arriving[Key(root, kAnyElement)].insert(getSharer(root));
    } else {
      isAnyLost = true;
    }
  }

  /// A phase of a barrier is the wait for a number of arrivals, so a barrier is
  /// simulated like a semaphore.
  void followBarriers(AsyncOpInterface op) {
    if (Value barrier = op.getArrivalBarrier()) {
      std::optional<Key> key = readSemaphore(barrier);
      if (!key)
        return loseSemaphore(barrier);
      arriving[*key].insert(getSharer(key->first));
      SmallVector<RefRegion> boxes;
      if (op.isInOrder())
        for (const auto &[root, parts] : queued)
          for (const ElementBox &box : parts)
            boxes.push_back({root, box});
      else
        boxes = getWrites(op, /*later=*/true);
      signal(*key, 1, std::move(boxes));
    }
    if (Value barrier = op.getAwaitedBarrier()) {
      std::optional<Key> key = readSemaphore(barrier);
      Number amount = op.getPhaseArrivals();
      if (!key || !amount)
        return loseSemaphore(barrier);
      await(*key, *amount);
    }
  }

  /// The ids of the running program among those that share a Ref of its CTA.
  SmallVector<int64_t> getSharer(Value root) {
    auto scoped =
        dyn_cast<ScopedOp>(cast<BlockArgument>(root).getOwner()->getParentOp());
    auto isShared = [&](DimAttr dim) {
      if (!scoped || dim.getKind() != DimKind::Thread)
        return dim.getKind() == DimKind::Thread;
      std::optional<ArrayAttr> collective = scoped.getCollective();
      return collective &&
             llvm::is_contained(*collective, Attribute(dim.getName()));
    };
    SmallVector<int64_t> ids;
    for (auto [dim, id] : llvm::enumerate(getProgram()))
      if (isShared(kernel.getDim(dim)))
        ids.push_back(id);
    return ids;
  }

  /// True if another program of the CTA may arrive at a barrier.
  bool hasOtherArrivals(Key barrier) {
    llvm::SmallSet<SmallVector<int64_t>, 4> threads = arriving.lookup(barrier);
    for (const SmallVector<int64_t> &id :
         arriving.lookup(Key(barrier.first, kAnyElement)))
      threads.insert(id);
    return isAnyLost || threads.size() > 1;
  }

  /// Copies have arrived when the waits have consumed every signal of their
  /// semaphore: with two copies in flight, one wait does not tell which of them
  /// arrived.
  void followArrivals(Operation *op, const SemaphoreChange &change) {
    std::optional<Key> key = readSemaphore(change.semaphore);
    Number amount = readAmount(change);
    if (change.keeps)
      return noteWait(change.semaphore);
    if (!key || !amount)
      return loseSemaphore(change.semaphore);
    if (change.kind == SemaphoreChange::Signal)
      signal(*key, *amount,
             change.isOfCopy() ? getWrites(op, /*later=*/true)
                               : SmallVector<RefRegion>());
    else
      await(*key, *amount);
  }

  void signal(Key key, int64_t amount, SmallVector<RefRegion> boxes) {
    Arrivals &here = arrivals[key];
    here.rest += amount;
    llvm::append_range(here.boxes, std::move(boxes));
  }

  void await(Key key, int64_t amount) {
    Arrivals &here = arrivals[key];
    here.rest -= amount;
    // Another program signalled the difference.
    here.isLost |= here.rest < 0;
    here.isAwaited = true;
    if (here.rest > 0)
      return;
    if (!here.isLost && !isAnyLost && !lost.contains(key.first) &&
        !shared.contains(key.first))
      for (RefRegion &region : here.boxes) {
        write(region);
        if (!isa<SemaphoreType>(
                cast<MemRefType>(key.first.getType()).getElementType()))
          completed[key].insert(region.root);
      }
    here.boxes.clear();
    here.isAwaited = false;
  }

  void visit(Operation *op, bool isCertain) {
    auto async = dyn_cast<AsyncOpInterface>(op);
    bool isInOrder = async && async.isInOrder();
    bool isEarly = false;
    for (Value operand : op->getOperands())
      isEarly |=
          mayRead(op, operand) && visitRead(op, operand, isInOrder, isCertain);
    // A copy of uninitialized memory is uninitialized.
    auto refAccess = dyn_cast<RefAccessOpInterface>(op);
    if (isEarly && refAccess && refAccess.isCopy())
      for (Value operand : op->getOperands())
        if (isWritten(op, operand))
          for (RefRegion &region : getAccessedRegions(op, operand, values))
            early.try_emplace(region.root, EarlyRead{op});
    if (!isCertain)
      return;
    for (RefRegion &region : getWrites(op, /*later=*/false))
      write(std::move(region));
    if (isInOrder)
      for (RefRegion &region : getWrites(op, /*later=*/true))
        add(queued[region.root], std::move(region.box));
  }

  /// Returns true if an op may read uninitialized memory.
  bool visitRead(Operation *op, Value ref, bool isInOrder, bool isCertain) {
    bool isEarly = false;
    for (RefRegion &region : getAccessedRegions(op, ref, values)) {
      if (!region.root) {
        addAll();
        return true;
      }
      if (!tracked.contains(region.root) || isWritten(region, isInOrder))
        continue;
      EarlyRead &read =
          early.try_emplace(region.root, EarlyRead{op}).first->second;
      if (isCertain && !read.unawaited && isUnawaited(region))
        read = {op, llvm::to_vector(getProgram())};
      isEarly = true;
    }
    return isEarly;
  }

  /// True if the elements of a region that are not written yet are those of
  /// copies whose semaphores this program has not waited for.
  bool isUnawaited(const RefRegion &region) {
    std::optional<AccessedElements> elements = getElements(region);
    if (!elements || isAnyLost)
      return false;
    SmallVector<ElementBox> boxes = written.lookup(region.root);
    for (const auto &[sync, here] : arrivals)
      if (!here.isLost && !here.isAwaited && !lost.contains(sync.first) &&
          !shared.contains(sync.first))
        for (const RefRegion &copied : here.boxes)
          if (copied.root == region.root)
            boxes.push_back(copied.box);
    return isCovered(elements->box, elements->hull, boxes);
  }

  using AccessRuns::isWritten;
  bool isWritten(const RefRegion &region, bool isInOrder) {
    std::optional<AccessedElements> elements = getElements(region);
    if (!elements)
      return false;
    SmallVector<ElementBox> boxes = written.lookup(region.root);
    if (isInOrder)
      llvm::append_range(boxes, queued.lookup(region.root));
    return isCovered(elements->box, elements->hull, boxes);
  }

  void write(RefRegion region) {
    if (tracked.contains(region.root))
      add(written[region.root], std::move(region.box));
  }

  BlockAccess &access;
  /// Writes that have not all arrived at a semaphore or barrier.
  struct Arrivals {
    SmallVector<RefRegion> boxes;
    int64_t rest = 0;
    /// True if an op that is not simulated may have changed the semaphore, and
    /// true if the program has waited for a part of its signals.
    bool isLost = false, isAwaited = false;
  };

  /// The number for a Ref of barriers if a program may arrive at any of them.
  static constexpr int64_t kAnyElement = -1;

  llvm::DenseSet<Value> tracked;
  llvm::DenseMap<Value, EarlyRead> early;
  llvm::MapVector<Key, Arrivals> arrivals;
  /// The programs of a CTA that arrive at a barrier.
  llvm::DenseMap<Key, llvm::SmallSet<SmallVector<int64_t>, 4>> arriving;
  /// The roots that are written when the arrivals at a barrier are awaited.
  /// This is wrong if another program of the CTA arrives, too.
  llvm::MapVector<Key, llvm::SmallSetVector<Value, 2>> completed;
  /// Writes of the ops that execute in order.
  llvm::MapVector<Value, SmallVector<ElementBox>> queued;
  /// Refs of semaphores that may have been changed.
  llvm::DenseSet<Value> lost;
  /// Refs of semaphores that other programs change.
  llvm::DenseSet<Value> shared;
  bool isAnyLost = false;
  llvm::DenseMap<Value, SmallVector<ElementBox>> written;
  llvm::DenseMap<Value, SmallVector<AffineExpr>> blocks;
};

} // namespace

llvm::DenseMap<Value, EarlyRead> findRefsReadEarly(BlockAccess &access,
                                                   ArrayRef<Value> refs) {
  return InitializedRuns(access, refs).find();
}

} // namespace gridir::grid
