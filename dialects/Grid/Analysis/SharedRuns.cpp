//===- SharedRuns.cpp - Reads of what other threads write -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/SharedRuns.h"

#include "dialects/Grid/Analysis/AccessRuns.h"
#include "dialects/Grid/Analysis/ThreadSchedule.h"
#include "dialects/Grid/IR/GridAsyncInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

#include <map>
#include <vector>

using namespace mlir;

namespace gridir::grid {

/// The maximum number of steps of all schedules of a CTA.
static constexpr int64_t kMaxScheduled = 1 << 22;

namespace {

/// A Ref of a scope between an entry and its end: the number of the entry, and
/// the ids of the programs of the CTA that share it.
struct Instance {
  Value root;
  int64_t entry;
  std::vector<int64_t> owner;

  bool operator<(const Instance &other) const {
    return std::tuple(root.getAsOpaquePointer(), entry, owner) <
           std::tuple(other.root.getAsOpaquePointer(), other.entry,
                      other.owner);
  }
};

/// A write that certainly happens if its thread gets there.
struct Write {
  ThreadSchedule::Place place;
  ElementBox box;
  bool isInOrder;
};

/// A read between two steps of a thread: its place has the number of the next
/// step.
struct Read {
  ThreadSchedule::Place place;
  AccessedElements elements;
  bool isInOrder;
};

struct Memory {
  std::vector<Write> writes;
  std::vector<Read> reads;
};

/// The accesses and steps of the programs of one CTA.
struct Cta {
  ThreadSchedule schedule;
  std::map<Instance, Memory> memories;
  std::map<std::pair<Instance, int64_t>, unsigned> barriers;
  int64_t numPrograms = 0;
};

class SharedRuns : public AccessRuns {
public:
  SharedRuns(KernelOp kernel, ArrayRef<Value> refs)
      : AccessRuns(kernel), tracked(refs.begin(), refs.end()) {}

  llvm::DenseSet<Value> find() {
    addAccesses();
    for (Value ref : tracked)
      if (!isOfCta(ref))
        early.insert(ref);
    if (!followCtas())
      return tracked;
    // A copy of uninitialized memory is uninitialized.
    SmallVector<Value> open(early.begin(), early.end());
    while (!open.empty())
      for (Value copy : copies.lookup(open.pop_back_val()))
        if (tracked.contains(copy) && early.insert(copy).second)
          open.push_back(copy);
    return std::move(early);
  }

private:
  bool isThreadDim(unsigned dim) {
    return kernel.getDim(dim).getKind() == DimKind::Thread;
  }

  /// Returns the names of the dimensions whose programs share a Ref, or none if
  /// it is not of a scope.
  static std::optional<ArrayAttr> getSharers(Value root) {
    auto arg = dyn_cast<BlockArgument>(root);
    auto scoped =
        arg ? dyn_cast<ScopedOp>(arg.getOwner()->getParentOp()) : ScopedOp();
    if (!scoped)
      return std::nullopt;
    return scoped.getCollective().value_or(
        ArrayAttr::get(scoped.getContext(), {}));
  }

  /// True if all programs that share a Ref are of one CTA.
  bool isOfCta(Value root) {
    std::optional<ArrayAttr> sharers = getSharers(root);
    return sharers && llvm::all_of(*sharers, [&](Attribute name) {
             std::optional<unsigned> dim =
                 kernel.findDim(cast<StringAttr>(name));
             return dim && isThreadDim(*dim);
           });
  }

  //===--------------------------------------------------------------------===//
  // Programs
  //===--------------------------------------------------------------------===//

  /// CTAs that differ only in ids that nothing depends on do the same, so one
  /// of them is followed. Returns false if the simulation stopped.
  bool followCtas() {
    while (true) {
      llvm::SmallBitVector before = getReadDims();
      SmallVector<int64_t> shape(kernel.getGridShape());
      for (auto [dim, size] : llvm::enumerate(shape))
        if (!isThreadDim(dim) && !before.test(dim) && size > 1)
          size = 1;
      ctas.clear();
      if (follow(shape))
        return false;
      if (getReadDims() == before)
        return true;
    }
  }

  void beginProgram() override {
    std::vector<int64_t> ids;
    for (auto [dim, id] : llvm::enumerate(getProgram()))
      if (!isThreadDim(dim))
        ids.push_back(id);
    cta = &ctas[ids];
    thread = cta->schedule.addThread();
    entries.clear();
    phases.clear();
  }

  void endProgram() override {
    int64_t numPrograms = 1;
    for (auto [dim, size] : llvm::enumerate(kernel.getGridShape()))
      if (isThreadDim(dim))
        numPrograms *= size;
    if (++cta->numPrograms < numPrograms)
      return;
    judge();
    *cta = {};
  }

  void enter(ScopedOp scoped) override { ++entries[scoped]; }

  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  void visit(Operation *op) override {
    auto async = dyn_cast<AsyncOpInterface>(op);
    bool isInOrder = async && async.isInOrder();
    addReads(op, isInOrder);
    if (addWrites(op, /*later=*/false, /*isInOrder=*/false))
      cta->schedule.add(thread, {ThreadStep::Write});
    loseBarriers(op, async);
    if (!async)
      return;
    ThreadStep step{ThreadStep::Arrive};
    step.barrier = findBarrier(async.getArrivalBarrier());
    step.isInOrder = isInOrder;
    step.isLate = addWrites(op, /*later=*/true, isInOrder) || isInOrder;
    if (step.barrier || step.isLate)
      cta->schedule.add(thread, std::move(step));
    if (Value barrier = async.getAwaitedBarrier())
      await(barrier, async.getPhaseArrivals());
  }

  /// An op that may run reads, and certainly writes nothing.
  void lose(Operation *op) override {
    op->walk([&](Operation *inner) {
      if (auto scoped = dyn_cast<ScopedOp>(inner))
        ++entries[scoped];
      if (isa<RefViewOpInterface, ViewLikeOpInterface>(inner))
        return;
      addReads(inner, /*isInOrder=*/false);
      loseBarriers(inner, {});
    });
  }

  ThreadSchedule::Place getPlace() {
    return {thread, cta->schedule.getNumSteps(thread)};
  }

  void addReads(Operation *op, bool isInOrder) {
    for (Value operand : op->getOperands()) {
      if (!mayRead(op, operand))
        continue;
      for (RefRegion &region : getAccessedRegions(op, operand, values))
        addRead(op, region, isInOrder);
    }
  }

  void addRead(Operation *op, const RefRegion &region, bool isInOrder) {
    if (!region.root)
      early = tracked;
    if (!tracked.contains(region.root))
      return;
    addCopies(op, region.root);
    std::optional<AccessedElements> elements = getElements(region);
    if (!elements) {
      early.insert(region.root);
      return;
    }
    std::vector<Read> &reads = cta->memories[getInstance(region.root)].reads;
    // A later read of the same elements needs nothing that an earlier one does
    // not need.
    for (const Read &read : reads)
      if (read.place.first == thread && read.isInOrder == isInOrder &&
          read.elements.box == elements->box)
        return;
    reads.push_back({getPlace(), std::move(*elements), isInOrder});
  }

  void addCopies(Operation *op, Value root) {
    auto access = dyn_cast<RefAccessOpInterface>(op);
    if (!access || !access.isCopy())
      return;
    for (Value operand : op->getOperands())
      if (isWritten(op, operand))
        for (RefRegion &region : getAccessedRegions(op, operand, values))
          copies[root].insert(region.root);
  }

  /// Returns true if the op replaces elements of a tracked Ref.
  bool addWrites(Operation *op, bool later, bool isInOrder) {
    bool isAny = false;
    for (RefRegion &region : getWrites(op, later)) {
      if (!tracked.contains(region.root))
        continue;
      isAny = true;
      auto &writes = cta->memories[getInstance(region.root)].writes;
      if (llvm::none_of(writes, [&](const Write &write) {
            return write.place.first == thread &&
                   write.isInOrder == isInOrder &&
                   isInside(region.box, write.box);
          }))
        writes.push_back({getPlace(), std::move(region.box), isInOrder});
    }
    return isAny;
  }

  Instance getInstance(Value root) {
    Instance instance{root, 0, {}};
    std::optional<ArrayAttr> sharers = getSharers(root);
    if (sharers)
      instance.entry =
          entries.lookup(cast<BlockArgument>(root).getOwner()->getParentOp());
    for (auto [dim, id] : llvm::enumerate(getProgram()))
      if (isThreadDim(dim) &&
          !(sharers && llvm::is_contained(
                           *sharers, Attribute(kernel.getDim(dim).getName()))))
        instance.owner.push_back(id);
    return instance;
  }

  //===--------------------------------------------------------------------===//
  // Barriers
  //===--------------------------------------------------------------------===//

  /// Returns the number of a barrier, or none if it is ambiguous or null.
  std::optional<unsigned> findBarrier(Value ref) {
    if (!ref)
      return std::nullopt;
    std::optional<Key> key = readSemaphore(ref);
    if (!key) {
      loseBarrier(ref);
      return std::nullopt;
    }
    auto &barriers = cta->barriers;
    return barriers
        .try_emplace({getInstance(key->first), key->second}, barriers.size())
        .first->second;
  }

  /// A phase is the wait for a number of arrivals.
  void await(Value ref, Number arrivals) {
    std::optional<unsigned> barrier = findBarrier(ref);
    if (!barrier || !arrivals)
      return loseBarrier(ref);
    ThreadStep step{ThreadStep::Await};
    step.barrier = barrier;
    step.arrivals = ++phases[*barrier] * *arrivals;
    cta->schedule.add(thread, std::move(step));
  }

  /// Any step may arrive at a barrier that an op may change, unless the op
  /// describes its effect.
  void loseBarriers(Operation *op, AsyncOpInterface described) {
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<MemRefType>(operand.getType());
      if (type && isa<SyncTypeInterface>(type.getElementType()) &&
          isWritten(op, operand) &&
          !(described && (operand == described.getArrivalBarrier() ||
                          operand == described.getAwaitedBarrier())))
        loseBarrier(operand);
    }
  }

  void loseBarrier(Value ref) {
    Value root = getViewRoot(ref);
    lost.insert(isa<BlockArgument>(root) ? root : Value());
  }

  //===--------------------------------------------------------------------===//
  // Judgment
  //===--------------------------------------------------------------------===//

  void judge() {
    for (const auto &[key, barrier] : cta->barriers)
      if (lost.contains(key.first.root) || lost.contains(Value()))
        cta->schedule.open(barrier);
    // Nothing can be said of programs that wait forever.
    if (!cta->schedule.isComplete()) {
      early = tracked;
      return;
    }
    for (const auto &[instance, memory] : cta->memories)
      if (!early.contains(instance.root))
        judge(instance.root, memory);
  }

  void judge(Value root, const Memory &memory) {
    std::map<ThreadSchedule::Place, SmallVector<unsigned>> reached;
    for (const Write &write : memory.writes) {
      if (memory.reads.empty() || reached.count(write.place))
        continue;
      if ((numScheduled += cta->schedule.getNumSteps()) > kMaxScheduled) {
        early = tracked;
        return;
      }
      reached[write.place] = cta->schedule.run(write.place);
    }
    for (const Read &read : memory.reads) {
      SmallVector<ElementBox> boxes;
      auto [thread, step] = read.place;
      for (const Write &write : memory.writes)
        if (reached[write.place][thread] < step ||
            (read.isInOrder && write.isInOrder && write.place.first == thread &&
             write.place.second < step))
          boxes.push_back(write.box);
      if (isCovered(read.elements.box, read.elements.hull, boxes))
        continue;
      early.insert(root);
      return;
    }
  }

  llvm::DenseSet<Value> tracked, early;
  /// The Refs that elements of a Ref are copied to.
  llvm::DenseMap<Value, llvm::SmallSetVector<Value, 2>> copies;
  /// Refs of barriers with unknown arrivals; null for all.
  llvm::DenseSet<Value> lost;
  std::map<std::vector<int64_t>, Cta> ctas;
  int64_t numScheduled = 0;

  /// The running program.
  Cta *cta = nullptr;
  unsigned thread = 0;
  /// How often it has entered each scope.
  llvm::DenseMap<Operation *, int64_t> entries;
  /// The phases of each barrier that it has waited for.
  llvm::DenseMap<unsigned, int64_t> phases;
};

} // namespace

llvm::DenseSet<Value> findSharedRefsReadEarly(KernelOp kernel,
                                              ArrayRef<Value> refs) {
  return SharedRuns(kernel, refs).find();
}

} // namespace gridir::grid
