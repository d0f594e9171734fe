//===- SemaphoreBalance.cpp - Whether waits have something to wait for ----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs are followed one by one in the order of the grid, as far as
// numbers decide what they do: ids, loop counters and what follows from them.
// Only semaphores are looked at. What a call decides (a branch on a value that
// was loaded) makes the semaphores in question unknown.
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/KernelChecks.h"
#include "dialects/Grid/Analysis/RefNames.h"
#include "dialects/Grid/Analysis/TaskPrograms.h"
#include "dialects/Grid/IR/RefTypes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <deque>

using namespace mlir;

namespace gridir::grid {

/// Kernels of more steps than so many are not followed to their end.
static constexpr int64_t kMaxSteps = 1 << 18;

namespace {

using Number = std::optional<int64_t>;

/// Integer scalars of one program in one iteration of its loops.
class ScalarReader {
public:
  explicit ScalarReader(KernelOp kernel) : kernel(kernel), values(kernel) {}

  void setProgram(ArrayRef<int64_t> ids) {
    program.assign(ids.begin(), ids.end());
    known.clear();
  }
  void setCounter(Value counter, int64_t number) {
    known.clear();
    counters[counter] = number;
  }
  ArrayRef<int64_t> getProgram() const { return program; }

  Number read(Value value) {
    if (auto counter = counters.find(value); counter != counters.end())
      return counter->second;
    if (auto found = known.find(value); found != known.end())
      return found->second;
    Number number = compute(value);
    known[value] = number;
    return number;
  }

private:
  Number compute(Value value) {
    if (!value.getType().isIntOrIndex())
      return std::nullopt;
    if (std::optional<unsigned> dim = values.getIdDim(value))
      return program[*dim];
    Operation *op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    APInt bits;
    if (matchPattern(value, m_ConstantInt(&bits)))
      return value.getType().isInteger(1) ? Number(bits.getZExtValue())
                                          : bits.trySExtValue();
    if (auto count = dyn_cast<NumProgramsOp>(op)) {
      std::optional<unsigned> dim = kernel.findDim(count.getAxis());
      return dim ? Number(kernel.getGridShape()[*dim]) : std::nullopt;
    }
    if (auto assume = dyn_cast<AssumeMultipleOp>(op))
      return read(assume.getValue());
    if (auto select = dyn_cast<arith::SelectOp>(op)) {
      Number condition = read(select.getCondition());
      return condition ? read(*condition ? select.getTrueValue()
                                         : select.getFalseValue())
                       : std::nullopt;
    }
    if (op->getNumOperands() == 0 || op->getNumOperands() > 2)
      return std::nullopt;
    Number a = read(op->getOperand(0)),
           b = op->getNumOperands() == 2 ? read(op->getOperand(1)) : a;
    return a && b ? computeArith(op, *a, *b) : std::nullopt;
  }

  /// Of numbers that are small enough that nothing overflows.
  static Number computeArith(Operation *op, int64_t a, int64_t b) {
    constexpr int64_t limit = std::numeric_limits<int32_t>::max();
    if (std::abs(a) > limit || std::abs(b) > limit)
      return std::nullopt;
    Number result =
        TypeSwitch<Operation *, Number>(op)
            .Case<arith::ExtUIOp, arith::IndexCastOp, arith::TruncIOp>(
                [&](auto) { return a; })
            .Case([&](arith::ExtSIOp extend) {
              return extend.getIn().getType().isInteger(1) ? -a : a;
            })
            .Case([&](arith::AddIOp) { return a + b; })
            .Case([&](arith::SubIOp) { return a - b; })
            .Case([&](arith::MulIOp) { return a * b; })
            .Case([&](arith::DivSIOp) { return b ? Number(a / b) : Number(); })
            .Case([&](arith::RemSIOp) { return b ? Number(a % b) : Number(); })
            .Case([&](arith::FloorDivSIOp) {
              return b ? Number(llvm::divideFloorSigned(a, b)) : Number();
            })
            .Case([&](arith::CeilDivSIOp) {
              return b ? Number(llvm::divideCeilSigned(a, b)) : Number();
            })
            .Case([&](arith::MinSIOp) { return std::min(a, b); })
            .Case([&](arith::MaxSIOp) { return std::max(a, b); })
            .Case([&](arith::AndIOp) { return a & b; })
            .Case([&](arith::OrIOp) { return a | b; })
            .Case([&](arith::XOrIOp) { return a ^ b; })
            .Case([&](arith::CmpIOp compare) -> Number {
              return arith::applyCmpPredicate(compare.getPredicate(),
                                              APInt(64, a, /*isSigned=*/true),
                                              APInt(64, b, /*isSigned=*/true));
            })
            .Default([](Operation *) { return Number(); });
    // A conversion, or an overflow, that would change the number.
    if (!result || std::abs(*result) > limit)
      return std::nullopt;
    Type type = op->getResult(0).getType();
    bool fits = type.isIndex() || type.isInteger(1) ||
                llvm::isIntN(type.getIntOrFloatBitWidth(), *result);
    bool isUnsigned = isa<arith::ExtUIOp>(op) && *result < 0;
    return fits && !isUnsigned ? result : std::nullopt;
  }

  KernelOp kernel;
  ProgramValues values;
  SmallVector<int64_t> program;
  llvm::DenseMap<Value, int64_t> counters;
  llvm::DenseMap<Value, Number> known;
};

/// What a semaphore was given, in order, by whom.
struct Signal {
  Operation *op;
  bool isOfCopy;
  int64_t amount;
  SmallVector<int64_t> program;
};

class BalanceChecker {
public:
  explicit BalanceChecker(KernelOp kernel) : kernel(kernel), scalars(kernel) {}

  SmallVector<CheckResult> check() {
    collect();
    if (!results.empty())
      follow();
    SmallVector<CheckResult> all;
    for (auto &[root, result] : results)
      all.push_back(std::move(result));
    return all;
  }

private:
  /// A semaphore: the Ref that it is an element of, and its number there.
  using Key = std::pair<Value, int64_t>;

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
        for (Operation *parent = op; parent && parent != kernel;
             parent = parent->getParentOp())
          if (!relevant.insert(parent).second)
            break;
    });
  }

  /// Whether an op that does not say what it does to semaphores may do
  /// something to one that it takes.
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

  void follow() {
    if (Operation *op = findSynchronization(kernel))
      return giveUp("another program may signal it", op->getLoc());
    SmallVector<int64_t> shape = kernel.getGridShape();
    if (llvm::any_of(shape, ShapedType::isDynamic))
      return giveUp("the size of the grid is known at the call only",
                    kernel.getLoc());
    if (llvm::is_contained(shape, 0))
      return;
    SmallVector<int64_t> ids(shape.size(), 0);
    while (true) {
      scalars.setProgram(ids);
      run(*kernel.getBodyBlock());
      if (steps > kMaxSteps)
        return giveUp("the kernel has more steps than are followed",
                      kernel.getLoc());
      int dim = shape.size() - 1;
      for (; dim >= 0 && ++ids[dim] == shape[dim]; --dim)
        ids[dim] = 0;
      if (dim < 0)
        break;
    }
    for (BlockArgument ref : kernel.getScratchRefs())
      finish(ref);
  }

  void giveUp(const char *why, Location loc) {
    for (auto &[root, result] : results)
      result.lower(CheckResult::unknown, why, loc);
  }

  /// Says that nothing is known any more of the semaphores in an op.
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
      giveUp(why, loc);
  }

  /// The argument that a semaphore is a part of; null where a view hides it.
  static Value getRoot(Value ref) {
    ref = getViewRoot(ref);
    return isa<BlockArgument>(ref) || ref.getDefiningOp<BarrierSemaphoreOp>()
               ? ref
               : Value();
  }

  void run(Block &block) {
    for (Operation &op : block)
      if (relevant.contains(&op) && ++steps <= kMaxSteps)
        run(op);
  }

  void run(Region &region) {
    for (Block &block : region)
      run(block);
  }

  void run(Operation &op) {
    static constexpr const char *kBranch =
        "whether it is used is known at the call only";
    TypeSwitch<Operation *>(&op)
        .Case([&](scf::IfOp branch) {
          Number condition = scalars.read(branch.getCondition());
          if (!condition)
            return lose(&op, kBranch);
          run(*condition ? branch.getThenRegion() : branch.getElseRegion());
        })
        .Case([&](scf::IndexSwitchOp choice) {
          Number argument = scalars.read(choice.getArg());
          if (!argument)
            return lose(&op, kBranch);
          for (auto [number, region] :
               llvm::zip(choice.getCases(), choice.getCaseRegions()))
            if (number == *argument)
              return run(region);
          run(choice.getDefaultRegion());
        })
        .Case([&](scf::ForOp loop) {
          Number lower = scalars.read(loop.getLowerBound()),
                 upper = scalars.read(loop.getUpperBound()),
                 step = scalars.read(loop.getStep());
          if (!lower || !upper || !step || *step <= 0)
            return lose(&op, kBranch);
          for (int64_t i = *lower; i < *upper && steps <= kMaxSteps;
               i += *step) {
            scalars.setCounter(loop.getInductionVar(), i);
            run(loop.getRegion());
          }
        })
        .Case([&](ScopedOp scoped) {
          run(scoped.getBody());
          for (BlockArgument ref : scoped.getBody().getArguments())
            finish(ref);
        })
        .Case([&](SemaphoreOpInterface changes) {
          for (const SemaphoreChange &change : changes.getSemaphoreChanges())
            run(&op, change);
        })
        .Default([&](Operation *) { lose(&op, kBranch); });
  }

  /// The bytes of what a Ref holds, as a semaphore counts them. Waits compare
  /// with starts, so that any measure of a shape will do.
  static Number getNumBytes(Value ref) {
    auto type = cast<MemRefType>(ref.getType());
    if (!type.hasStaticShape())
      return std::nullopt;
    return grid::getNumBytes(type.getShape(),
                             getNumBits(type.getElementType()));
  }

  /// The one semaphore that a Ref names; none if it is not plain which.
  std::optional<Key> getKey(Value ref) {
    auto type = cast<MemRefType>(ref.getType());
    if (!type.hasStaticShape() || type.getNumElements() != 1)
      return std::nullopt;
    SmallVector<int64_t> indices(type.getRank(), 0);
    while (auto view = ref.getDefiningOp<RefViewOpInterface>()) {
      if (view.getViewSources().size() != 1)
        return std::nullopt;
      Value source = view.getViewSources().front();
      auto sourceType = cast<MemRefType>(source.getType());
      std::optional<SmallVector<ViewDim>> dims = view.getViewDims();
      if (sourceType.hasStaticShape() && sourceType.getNumElements() == 1) {
        indices.assign(sourceType.getRank(), 0);
      } else if (dims &&
                 cast<MemRefType>(ref.getType()).getNumElements() == 1) {
        SmallVector<int64_t> outer;
        for (const ViewDim &dim : *dims) {
          Number number = getConstantIntValue(dim.offset);
          if (!number)
            number = scalars.read(dyn_cast<Value>(dim.offset));
          if (!number)
            return std::nullopt;
          outer.push_back(*number);
        }
        indices = std::move(outer);
      } else {
        return std::nullopt;
      }
      ref = source;
    }
    auto arg = dyn_cast<BlockArgument>(ref);
    if (!arg)
      return std::nullopt;
    int64_t number = 0;
    for (auto [at, size] :
         llvm::zip_equal(indices, cast<MemRefType>(ref.getType()).getShape()))
      number = number * size + at;
    return Key(ref, number);
  }

  /// The semaphore of an op, as long as all is known of it.
  std::optional<Key> getFollowed(Operation *op, Value sem, Number amount) {
    std::optional<Key> key = getKey(sem);
    if (!key || !amount) {
      lose(getRoot(sem),
           "which semaphore, or how much, is known at the call only",
           op->getLoc());
      return std::nullopt;
    }
    auto result = results.find(key->first);
    // Those of other kernels are not looked at.
    if (result == results.end() ||
        result->second.verdict != CheckResult::proved)
      return std::nullopt;
    return key;
  }

  void run(Operation *op, const SemaphoreChange &change) {
    Number amount = change.isOfCopy() ? getNumBytes(change.amount)
                                      : scalars.read(change.amount);
    std::optional<Key> key = getFollowed(op, change.semaphore, amount);
    if (!key)
      return;
    if (change.kind == SemaphoreChange::Wait)
      return wait(op, change, *key, *amount);
    if (*amount)
      pending[*key].push_back({op, change.isOfCopy(), *amount,
                               SmallVector<int64_t>(scalars.getProgram())});
  }

  void wait(Operation *op, const SemaphoreChange &change, const Key &key,
            int64_t amount) {
    std::deque<Signal> &signals = pending[key];
    int64_t total = 0;
    for (const Signal &signal : signals)
      total += signal.amount;
    if (total < amount) {
      ArrayRef<int64_t> program = scalars.getProgram();
      results.find(key.first)->second.lower(
          CheckResult::refuted,
          llvm::formatv(
              "program {0} waits for {1}, and {2}", formatProgram(program),
              change.isOfCopy() ? "a copy" : "a signal",
              total == 0 ? "nothing is on its way" : "less is on its way")
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

  /// A Ref of semaphores is dead: what is left in them was not waited for.
  void finish(Value root) {
    auto result = results.find(root);
    if (result == results.end())
      return;
    for (auto &[key, signals] : pending) {
      if (key.first != root || signals.empty())
        continue;
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

  KernelOp kernel;
  ScalarReader scalars;
  llvm::MapVector<Value, CheckResult> results;
  llvm::MapVector<Key, std::deque<Signal>> pending;
  llvm::DenseSet<Operation *> relevant;
  int64_t steps = 0;
};

} // namespace

SmallVector<CheckResult> checkBalanced(KernelOp kernel) {
  return BalanceChecker(kernel).check();
}

} // namespace gridir::grid
