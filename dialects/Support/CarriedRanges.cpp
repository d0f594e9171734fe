//===- CarriedRanges.cpp - The integers that a loop carries ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/CarriedRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/SetVector.h"

#include <set>

using namespace mlir;
using arith::CmpIPredicate;

namespace gridir {

/// Returns the part of `range` whose values satisfy a comparison with some
/// value in `bound`.
static Interval narrowByComparison(Interval range, CmpIPredicate predicate,
                                   Interval bound) {
  // In this case the comparison is decided, or its other side is unknown.
  if (range.isConstant() || bound.low == Interval().low ||
      bound.high == Interval().high)
    return range;
  switch (predicate) {
  case CmpIPredicate::eq:
    return range.intersect(bound);
  case CmpIPredicate::ne:
    if (bound.isConstant(range.low))
      ++range.low;
    else if (bound.isConstant(range.high))
      --range.high;
    return range;
  case CmpIPredicate::slt:
    return {range.low, std::min(range.high, bound.high - 1)};
  case CmpIPredicate::sle:
    return {range.low, std::min(range.high, bound.high)};
  case CmpIPredicate::sgt:
    return {std::max(range.low, bound.low + 1), range.high};
  case CmpIPredicate::sge:
    return {std::max(range.low, bound.low), range.high};
  default:
    return range;
  }
}

Interval narrow(Interval range, Value value, Value condition, bool holds,
                function_ref<Interval(Value)> getRange) {
  auto cmp = condition.getDefiningOp<arith::CmpIOp>();
  if (!cmp || value.getType().isInteger(1))
    return range;
  CmpIPredicate predicate =
      holds ? cmp.getPredicate() : arith::invertPredicate(cmp.getPredicate());
  if (cmp.getLhs() == value)
    return narrowByComparison(range, predicate, getRange(cmp.getRhs()));
  return range;
}

namespace {

/// Deeper values are unknown.
constexpr unsigned kMaxDepth = 256;

/// After this many rounds, an unguessed range is given up.
constexpr unsigned kMaxRounds = 32;

/// In this many rounds a range grows exactly to the values of an iteration,
/// which covers values that alternate between a few numbers, such as `1 -
/// slot`.
constexpr unsigned kExactRounds = 4;

class CarriedRanges {
public:
  CarriedRanges(scf::ForOp loop, function_ref<Interval(Value)> getOutside)
      : loop(loop), getOutside(getOutside) {}

  SmallVector<Interval> infer() {
    for (auto [arg, init] :
         llvm::zip_equal(loop.getRegionIterArgs(), loop.getInits())) {
      bool isInteger = arg.getType().isIntOrIndex();
      assumed.push_back(
          isInteger ? getOutside(init).intersect(getTypeRange(arg.getType()))
                    : Interval());
      guesses.push_back(isInteger ? findGuesses(arg) : std::set<int64_t>());
    }
    for (unsigned round = 0; round < kMaxRounds; ++round)
      if (!widen(/*toGuess=*/round >= kExactRounds))
        return assumed;
    return llvm::map_to_vector(loop.getRegionIterArgs(), [](BlockArgument arg) {
      return getTypeRange(arg.getType());
    });
  }

private:
  /// Candidates for the ends of a carried value's range: the numbers with which
  /// it, or a value computed from it, is compared.
  std::set<int64_t> findGuesses(BlockArgument arg) const {
    std::set<int64_t> ends;
    llvm::SetVector<Value> values;
    values.insert(arg);
    for (unsigned i = 0; i < values.size() && i < kMaxDepth; ++i)
      for (Operation *user : values[i].getUsers()) {
        APInt number;
        if (auto cmp = dyn_cast<arith::CmpIOp>(user)) {
          if (matchPattern(cmp.getRhs(), m_ConstantInt(&number)) &&
              number.isSignedIntN(62))
            for (int64_t offset : {-1, 0, 1})
              ends.insert(number.getSExtValue() + offset);
        } else if (isa<InferIntRangeInterface>(user) &&
                   user->getNumResults() == 1) {
          values.insert(user->getResult(0));
        }
      }
    return ends;
  }

  /// Extends the ranges to the values of an iteration, or with `toGuess` to the
  /// next guess beyond them; false if they contained them.
  bool widen(bool toGuess) {
    known.clear();
    SmallVector<Interval> next = assumed;
    bool isChanged = false;
    for (auto [i, arg] : llvm::enumerate(loop.getRegionIterArgs())) {
      if (!arg.getType().isIntOrIndex())
        continue;
      Interval given = get(loop.getYieldedValues()[i], 0);
      Interval limits = getTypeRange(arg.getType());
      if (!toGuess) {
        next[i] = assumed[i].unite(given);
        isChanged |= !given.isIn(assumed[i].low, assumed[i].high);
        continue;
      }
      if (given.low < assumed[i].low) {
        auto guess = guesses[i].upper_bound(given.low);
        next[i].low = guess == guesses[i].begin() ? limits.low : *--guess;
        isChanged = true;
      }
      if (given.high > assumed[i].high) {
        auto guess = guesses[i].lower_bound(given.high);
        next[i].high = guess == guesses[i].end() ? limits.high : *guess;
        isChanged = true;
      }
    }
    assumed = std::move(next);
    return isChanged;
  }

  /// The range of a value in an iteration that is given the assumed ones.
  Interval get(Value value, unsigned depth) {
    Operation *owner = value.getDefiningOp();
    auto arg = dyn_cast<BlockArgument>(value);
    if (arg && arg.getOwner() == loop.getBody()) {
      if (value == loop.getInductionVar())
        return inferInductionRange(value, getOutside)
            .value_or(getTypeRange(value.getType()));
      return assumed[arg.getArgNumber() - loop.getNumInductionVars()];
    }
    if (!loop->isAncestor(owner ? owner : arg.getOwner()->getParentOp()))
      return getOutside(value);
    if (auto it = known.find(value); it != known.end())
      return it->second;
    Interval range = getTypeRange(value.getType());
    if (owner && depth < kMaxDepth && owner->getNumResults() == 1 &&
        isa<InferIntRangeInterface>(owner))
      range = compute(owner, depth + 1).intersect(range);
    return known[value] = range;
  }

  Interval compute(Operation *op, unsigned depth) {
    auto getRange = [&](Value value) { return get(value, depth); };
    APInt number;
    if (matchPattern(op->getResult(0), m_ConstantInt(&number)))
      return inferRange(op, {}, Overflow::Wraps);
    auto select = dyn_cast<arith::SelectOp>(op);
    if (!select || !select.getCondition().getType().isInteger(1))
      return inferRange(op, llvm::map_to_vector(op->getOperands(), getRange),
                        Overflow::Wraps);
    Interval condition = getRange(select.getCondition());
    auto getArm = [&](Value value, bool holds) {
      return narrow(getRange(value), value, select.getCondition(), holds,
                    getRange);
    };
    if (condition.isConstant())
      return getRange(condition.low ? select.getTrueValue()
                                    : select.getFalseValue());
    return getArm(select.getTrueValue(), true)
        .unite(getArm(select.getFalseValue(), false));
  }

  scf::ForOp loop;
  function_ref<Interval(Value)> getOutside;
  SmallVector<Interval> assumed;
  SmallVector<std::set<int64_t>> guesses;
  llvm::DenseMap<Value, Interval> known;
};

} // namespace

SmallVector<Interval>
inferCarriedRanges(scf::ForOp loop, function_ref<Interval(Value)> getRange) {
  return CarriedRanges(loop, getRange).infer();
}

} // namespace gridir
