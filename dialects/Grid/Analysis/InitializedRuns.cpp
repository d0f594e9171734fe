//===- InitializedRuns.cpp - Reads of written elements --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/InitializedRuns.h"

#include "dialects/Grid/Analysis/BoxCoverage.h"
#include "dialects/Grid/Analysis/CarriedState.h"
#include "dialects/Grid/Analysis/LoadedUses.h"
#include "dialects/Grid/Analysis/ProgramRuns.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace gridir::grid {

/// The maximum number of boxes recorded for a Ref that is written in parts.
static constexpr size_t kMaxBoxes = 64;

namespace {

class InitializedRuns : public ProgramRuns {
public:
  InitializedRuns(BlockAccess &access, ArrayRef<Value> refs)
      : ProgramRuns(access.getKernel()), access(access),
        tracked(refs.begin(), refs.end()) {}

  llvm::DenseSet<Value> find() {
    kernel.getBodyRegion().walk([&](Operation *op) {
      if (!isa<RefViewOpInterface, ViewLikeOpInterface>(op) &&
          llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>))
        addRelevant(op);
      // The waits decide when copies have arrived.
      if (isa<SemaphoreOpInterface>(op))
        addRelevant(op);
      if (auto program = dyn_cast<ProgramOpInterface>(op);
          program && program.meetsOtherPrograms())
        loseShared(op);
      // The Refs of a scope are uninitialized at each entry.
      if (isa<ScopedOp>(op))
        addRelevant(op);
    });
    if (follow())
      early = tracked;
    return std::move(early);
  }

private:
  /// When the block of an output changes, the new block is uninitialized.
  void beginProgram() override {
    for (BlockArgument ref : kernel.getOutputRefs()) {
      if (!tracked.contains(ref))
        continue;
      std::optional<ElementBox> block =
          makeConstant(access.getBlock(ref.getArgNumber()), access.getValues());
      if (!block || blocks[ref] != block->lows)
        written.erase(ref);
      if (block)
        blocks[ref] = block->lows;
    }
  }

  void enter(ScopedOp scoped) override {
    for (Value ref : scoped.getBody().getArguments()) {
      written.erase(ref);
      forget(ref);
    }
  }

  /// Invalidates the state of the semaphores of a Ref.
  void forget(Value root) {
    arrivals.remove_if(
        [&](const auto &entry) { return entry.first.first == root; });
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
    if (auto changes = dyn_cast<SemaphoreOpInterface>(op))
      for (const SemaphoreChange &change : changes.getSemaphoreChanges())
        followArrivals(op, change);
    else
      loseSemaphores(op);
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

  /// Arrivals are unknown once an op may have changed the semaphore.
  void loseSemaphores(Operation *op) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<MemRefType>(operand.getType());
      if (type && isa<SemaphoreType>(type.getElementType()) &&
          (!effects || effects.getEffectOnValue<MemoryEffects::Write>(operand)))
        loseSemaphore(operand);
    }
  }

  void loseSemaphore(Value ref) {
    if (std::optional<Key> key = readSemaphore(ref)) {
      arrivals[*key].isLost = true;
      return;
    }
    // It may be any semaphore of its Ref, or of all Refs.
    Value root = getViewRoot(ref);
    if (isa<BlockArgument>(root))
      lost.insert(root);
    else
      isAnyLost = true;
  }

  /// Copies have arrived when the waits have consumed every signal of their
  /// semaphore: with two copies in flight, one wait does not tell which of them
  /// arrived.
  void followArrivals(Operation *op, const SemaphoreChange &change) {
    std::optional<Key> key = readSemaphore(change.semaphore);
    Number amount = readAmount(change);
    if (!key || !amount || change.keeps)
      return change.keeps ? void() : loseSemaphore(change.semaphore);
    Arrivals &here = arrivals[*key];
    if (change.kind == SemaphoreChange::Signal) {
      here.rest += *amount;
      auto access = dyn_cast<RefAccessOpInterface>(op);
      if (change.isOfCopy() && access && access.replacesAll(change.amount))
        for (RefRegion &region : getAccessedRegions(op, change.amount, values))
          if (std::optional<ElementBox> box = makeConstant(region.box, values))
            here.boxes.push_back({region.root, std::move(*box)});
      return;
    }
    here.rest -= *amount;
    // Another program signalled the difference.
    here.isLost |= here.rest < 0;
    if (here.rest > 0)
      return;
    if (!here.isLost && !isAnyLost && !lost.contains(key->first) &&
        !shared.contains(key->first))
      for (RefRegion &region : here.boxes)
        write(region);
    here.boxes.clear();
  }

  void visit(Operation *op, bool isCertain) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    auto refAccess = dyn_cast<RefAccessOpInterface>(op);
    bool isEarly = false;
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<MemRefType>(operand.getType());
      if (!type || isa<SyncTypeInterface>(type.getElementType()))
        continue;
      if (!effects || effects.getEffectOnValue<MemoryEffects::Read>(operand))
        isEarly |= visitRead(op, operand);
    }
    for (Value operand : op->getOperands()) {
      if (!isa<MemRefType>(operand.getType()) ||
          (effects && !effects.getEffectOnValue<MemoryEffects::Write>(operand)))
        continue;
      bool replaces = refAccess && refAccess.replacesAll(operand) &&
                      !arrivesLater(op, operand);
      for (RefRegion &region : getAccessedRegions(op, operand, values)) {
        // A copy of uninitialized memory is uninitialized.
        if (isEarly && refAccess && refAccess.isCopy())
          early.insert(region.root);
        if (isCertain && replaces)
          write(region);
      }
    }
  }

  /// True if an op may read uninitialized memory.
  bool visitRead(Operation *op, Value ref) {
    if (isWaitForCopy(op) || isDiscardedNow(op))
      return false;
    bool isEarly = false;
    for (RefRegion &region : getAccessedRegions(op, ref, values)) {
      if (!region.root) {
        early = tracked;
        return true;
      }
      if (!tracked.contains(region.root) || isWritten(region))
        continue;
      early.insert(region.root);
      isEarly = true;
    }
    return isEarly;
  }

  /// The Ref of a wait only defines the size of the copy.
  static bool isWaitForCopy(Operation *op) {
    auto changes = dyn_cast<SemaphoreOpInterface>(op);
    return changes &&
           llvm::all_of(changes.getSemaphoreChanges(),
                        [](const SemaphoreChange &change) {
                          return change.kind == SemaphoreChange::Wait &&
                                 change.isOfCopy();
                        });
  }

  bool isDiscardedNow(Operation *op) {
    return llvm::all_of(findLoadedUses(op), [&](const LoadedUse &use) {
      return llvm::any_of(use.conditions, [&](auto condition) {
        Number number = read(condition.first);
        return number && (*number != 0) != condition.second;
      });
    });
  }

  bool isWritten(const RefRegion &region) {
    // An index outside the Ref is an error of its own, so the Ref bounds it.
    auto shape = cast<MemRefType>(region.root.getType()).getShape();
    ElementBox whole = ElementBox::whole(shape, kernel.getContext());
    std::optional<ConstantBox> hull = getConstantBox(whole);
    if (!hull)
      return false;
    std::optional<ElementBox> box = makeConstant(region.box, values);
    if (box)
      if (std::optional<ConstantBox> ends = getConstantBox(*box))
        for (auto [limit, end] : llvm::zip_equal(*hull, *ends))
          limit = {std::max(limit.first, end.first),
                   std::min(limit.second, end.second)};
    return isCovered(box ? *box : whole, *hull, written[region.root]);
  }

  void write(const RefRegion &region) {
    if (!region.root || !region.box.exact || !tracked.contains(region.root))
      return;
    std::optional<ElementBox> box = makeConstant(region.box, values);
    SmallVector<ElementBox> &boxes = written[region.root];
    if (!box || boxes.size() >= kMaxBoxes ||
        llvm::any_of(boxes, [&](const ElementBox &outer) {
          return isInside(*box, outer);
        }))
      return;
    boxes.push_back(std::move(*box));
  }

  /// Returns a box in the current program, or none if it depends on values that
  /// are known only at run time.
  std::optional<ElementBox> makeConstant(ElementBox box,
                                         ProgramValues &reader) {
    MLIRContext *context = kernel.getContext();
    SmallVector<AffineExpr> ids =
        llvm::map_to_vector(getProgram(), [&](int64_t id) {
          return getAffineConstantExpr(id, context);
        });
    for (AffineExpr &low : box.lows) {
      SmallVector<AffineExpr> symbols;
      for (auto [i, symbol] : llvm::enumerate(reader.getSymbols())) {
        Number number;
        if (low.isFunctionOfSymbol(i)) {
          number = read(symbol.value);
          if (!number)
            return std::nullopt;
        }
        symbols.push_back(getAffineConstantExpr(number.value_or(0), context));
      }
      low = low.replaceDimsAndSymbols(ids, symbols);
      if (!isa<AffineConstantExpr>(low))
        return std::nullopt;
    }
    return box;
  }

  BlockAccess &access;
  /// Copies that have not all arrived at a semaphore.
  struct Arrivals {
    SmallVector<RefRegion> boxes;
    int64_t rest = 0;
    /// True if an op that is not simulated may have changed the semaphore.
    bool isLost = false;
  };

  llvm::DenseSet<Value> tracked, early;
  llvm::MapVector<Key, Arrivals> arrivals;
  /// Refs of semaphores that may have been changed.
  llvm::DenseSet<Value> lost;
  /// Refs of semaphores that other programs change.
  llvm::DenseSet<Value> shared;
  bool isAnyLost = false;
  llvm::DenseMap<Value, SmallVector<ElementBox>> written;
  llvm::DenseMap<Value, SmallVector<AffineExpr>> blocks;
};

} // namespace

llvm::DenseSet<Value> findRefsReadEarly(BlockAccess &access,
                                        ArrayRef<Value> refs) {
  return InitializedRuns(access, refs).find();
}

} // namespace gridir::grid
