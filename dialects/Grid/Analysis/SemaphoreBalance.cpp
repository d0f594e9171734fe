//===- SemaphoreBalance.cpp - Whether waits have something to wait for ----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs are simulated one by one in grid order. Only semaphores are tracked.
// A decision that depends on the call (a branch on a loaded value) makes the
// semaphores in question unknown.
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/KernelChecks.h"
#include "dialects/Grid/Analysis/ProgramRuns.h"
#include "dialects/Grid/Analysis/RefNames.h"
#include "dialects/Grid/Analysis/TaskPrograms.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <deque>

using namespace mlir;

namespace gridir::grid {

namespace {

/// The signals of a semaphore, in order, with their programs.
struct Signal {
  Operation *op;
  bool isOfCopy;
  int64_t amount;
  SmallVector<int64_t> program;
};

class BalanceChecker : public ProgramRuns {
public:
  explicit BalanceChecker(KernelOp kernel) : ProgramRuns(kernel) {}

  SmallVector<CheckResult> check() {
    collect();
    if (!results.empty())
      followAll();
    SmallVector<CheckResult> all;
    for (auto &[root, result] : results)
      all.push_back(std::move(result));
    return all;
  }

private:
  void collect() {
    auto add = [&](BlockArgument ref) {
      if (isa<SemaphoreType>(cast<MemRefType>(ref.getType()).getElementType()))
        results.try_emplace(
            ref, CheckResult("balanced", getRefName(ref), ref.getLoc()));
    };
    for (BlockArgument ref : kernel.getScratchRefs())
      add(ref);
    kernel.getBodyRegion().walk([&](Operation *op) {
      if (auto scoped = dyn_cast<ScopedOp>(op))
        for (BlockArgument ref : scoped.getBody().getArguments())
          add(ref);
      // Which ops have a semaphore's op in them.
      if (isa<SemaphoreOpInterface>(op) || mayChangeSemaphore(op))
        addRelevant(op);
    });
  }

  /// True if an op without semaphore effects of its own may change a semaphore
  /// operand.
  static bool mayChangeSemaphore(Operation *op) {
    if (isa<RefViewOpInterface, ViewLikeOpInterface>(op))
      return false;
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      auto ref = dyn_cast<MemRefType>(operand.getType());
      return ref && isa<SemaphoreType>(ref.getElementType()) &&
             (!effects ||
              effects.getEffectOnValue<MemoryEffects::Write>(operand));
    });
  }

  void followAll() {
    if (Operation *op = findSynchronization(kernel))
      return loseAll("another program may signal it", op->getLoc());
    if (const char *why = follow())
      return loseAll(why, kernel.getLoc());
    for (BlockArgument ref : kernel.getScratchRefs())
      finish(ref);
  }

  void loseAll(const char *why, Location loc) {
    for (auto &[root, result] : results)
      result.lower(CheckResult::unknown, why, loc);
  }

  /// Invalidates the state of all semaphores in an op.
  void lose(Operation *op, const char *why) {
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (auto ref = dyn_cast<MemRefType>(operand.getType());
            ref && isa<SemaphoreType>(ref.getElementType()))
          lose(getRoot(operand), why, op->getLoc());
    });
  }

  void lose(Value root, const char *why, Location loc) {
    if (auto result = results.find(root); result != results.end())
      result->second.lower(CheckResult::unknown, why, loc);
    else if (!root)
      loseAll(why, loc);
  }

  /// Returns the argument that contains a semaphore, or null if a view hides
  /// it.
  static Value getRoot(Value ref) {
    ref = getViewRoot(ref);
    return isa<BlockArgument>(ref) || ref.getDefiningOp<BarrierSemaphoreOp>()
               ? ref
               : Value();
  }

  void leave(ScopedOp scoped) override {
    for (BlockArgument ref : scoped.getBody().getArguments())
      finish(ref);
  }

  void lose(Operation *op) override {
    lose(op, "its use depends on values that are known only at run time");
  }

  void visit(Operation *op) override {
    auto changes = dyn_cast<SemaphoreOpInterface>(op);
    if (!changes)
      return lose(op);
    for (const SemaphoreChange &change : changes.getSemaphoreChanges())
      run(op, change);
  }

  /// Returns the semaphore of an op, if its state is known.
  std::optional<Key> getFollowed(Operation *op, Value sem, Number amount) {
    std::optional<Key> key = readSemaphore(sem);
    if (!key || !amount) {
      lose(getRoot(sem),
           "the semaphore or the amount is known only at run time",
           op->getLoc());
      return std::nullopt;
    }
    auto result = results.find(key->first);
    // Semaphores outside of the kernel are ignored.
    if (result == results.end() ||
        result->second.verdict != CheckResult::proved)
      return std::nullopt;
    return key;
  }

  void run(Operation *op, const SemaphoreChange &change) {
    Number amount = readAmount(change);
    std::optional<Key> key = getFollowed(op, change.semaphore, amount);
    if (!key)
      return;
    if (change.kind == SemaphoreChange::Wait)
      return wait(op, change, *key, *amount);
    if (*amount)
      pending[*key].push_back(
          {op, change.isOfCopy(), *amount, SmallVector<int64_t>(getProgram())});
  }

  /// Consumes pending signals in order. The wait is refuted if their sum is too
  /// small, since programs run in grid order and none of them signals it later.
  void wait(Operation *op, const SemaphoreChange &change, const Key &key,
            int64_t amount) {
    std::deque<Signal> &signals = pending[key];
    int64_t total = 0;
    for (const Signal &signal : signals)
      total += signal.amount;
    if (total < amount) {
      ArrayRef<int64_t> program = getProgram();
      results.find(key.first)->second.lower(
          CheckResult::refuted,
          llvm::formatv("program {0} waits for {1}, but {2}",
                        formatProgram(program),
                        change.isOfCopy() ? "a copy" : "a signal",
                        total == 0 ? "none is in flight" : "less is in flight")
              .str(),
          op->getLoc(), program);
      return;
    }
    for (int64_t rest = change.keeps ? 0 : amount; rest > 0;) {
      int64_t taken = std::min(rest, signals.front().amount);
      rest -= taken;
      signals.front().amount -= taken;
      if (signals.front().amount == 0)
        signals.pop_front();
    }
  }

  /// The lifetime of the semaphores ends: no wait consumed the remaining
  /// counts.
  void finish(Value root) {
    auto result = results.find(root);
    if (result == results.end())
      return;
    // For an unknown semaphore, waits for remaining counts are not known.
    bool isKnown = result->second.verdict == CheckResult::proved;
    for (auto &[key, signals] : pending) {
      if (key.first != root || signals.empty())
        continue;
      if (!isKnown) {
        signals.clear();
        continue;
      }
      const Signal &signal = signals.front();
      result->second.lower(
          CheckResult::refuted,
          llvm::formatv("nothing waits for {0} of program {1}",
                        signal.isOfCopy ? "the copy" : "the signal",
                        formatProgram(signal.program))
              .str(),
          signal.op->getLoc(), signal.program);
      signals.clear();
    }
  }

  llvm::MapVector<Value, CheckResult> results;
  llvm::MapVector<Key, std::deque<Signal>> pending;
};

} // namespace

SmallVector<CheckResult> checkBalanced(KernelOp kernel) {
  return BalanceChecker(kernel).check();
}

} // namespace gridir::grid
