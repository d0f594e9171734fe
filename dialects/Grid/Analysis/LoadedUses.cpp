//===- LoadedUses.cpp - What becomes of a value that is loaded ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/LoadedUses.h"

#include "dialects/Grid/Analysis/ProgramValues.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace gridir::grid {

/// A value with more transitive users than this counts as used.
static constexpr size_t kMaxFollowed = 256;

/// The other term of a conjunction or disjunction of booleans, which may decide
/// it alone; null for other uses.
static Value findOtherTerm(OpOperand &use) {
  Operation *op = use.getOwner();
  if (!isa<arith::AndIOp, arith::OrIOp>(op) ||
      !getElementTypeOrSelf(op->getResult(0)).isInteger(1))
    return {};
  return op->getOperand(1 - use.getOperandNumber());
}

namespace {

class UseFinder {
public:
  SmallVector<LoadedUse> find(Operation *read) {
    auto access = dyn_cast<RefAccessOpInterface>(read);
    if (!access || !access.getLoadedValue() || !access.isWholeAccess())
      return {{read, {}, access && !access.isWholeAccess()}};
    follow(access.getLoadedValue());
    if (followed.size() > kMaxFollowed)
      return {{read, {}, /*isPartial=*/false}};
    return std::move(uses);
  }

private:
  void follow(Value value) {
    // If several paths reach a value, the conditions of the first path are
    // used.
    if (followed.size() > kMaxFollowed || !followed.insert(value).second)
      return;
    for (OpOperand &use : value.getUses())
      follow(use);
  }

  /// Follows a use to the ops that depend on it. A select by a scalar adds its
  /// condition to those of all uses that it leads to. A select by a mask, a
  /// masked store, or an op that takes a part of the value ends the walk with a
  /// partial use.
  void follow(OpOperand &use) {
    Operation *op = use.getOwner();
    if (auto select = dyn_cast<arith::SelectOp>(op);
        select && use.getOperandNumber() != 0) {
      Value condition = getScalar(select.getCondition());
      if (!condition)
        return addUse(op, /*isPartial=*/true);
      conditions.push_back({condition, use.getOperandNumber() == 1});
      follow(select.getResult());
      conditions.pop_back();
      return;
    }
    if (Value other = findOtherTerm(use)) {
      Value condition = getScalar(other);
      if (!condition)
        return addUse(op, /*isPartial=*/true);
      conditions.push_back({condition, isa<arith::AndIOp>(op)});
      follow(op->getResult(0));
      conditions.pop_back();
      return;
    }
    if (auto access = dyn_cast<RefAccessOpInterface>(op);
        access && &use == access.getStoredOperand() && access.getAccessMask())
      return addUse(op, /*isPartial=*/true);
    if (isa<YieldOp, scf::YieldOp>(op) &&
        isa<scf::IfOp, scf::IndexSwitchOp, ScopedOp>(op->getParentOp())) {
      follow(op->getParentOp()->getResult(use.getOperandNumber()));
      return;
    }
    if (op->getNumRegions() == 0 && isMemoryEffectFree(op)) {
      if (!isWhole(op))
        return addUse(op, /*isPartial=*/true);
      for (Value result : op->getResults())
        follow(result);
      return;
    }
    if (isa<linalg::LinalgOp>(op)) {
      for (Value result : op->getResults())
        follow(result);
      return;
    }
    addUse(op, /*isPartial=*/false);
  }

  void addUse(Operation *op, bool isPartial) {
    uses.push_back({op, conditions, isPartial});
  }

  /// True if the results depend on every element of an operand.
  static bool isWhole(Operation *op) {
    return OpTrait::hasElementwiseMappableTraits(op) ||
           op->hasTrait<OpTrait::SameOperandsAndResultShape>() ||
           isa<DotOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
               tensor::ReshapeOp, tensor::SplatOp, tensor::FromElementsOp,
               tensor::ConcatOp>(op);
  }

  /// The scalar that is all elements of a condition; null if it is a mask.
  static Value getScalar(Value condition) {
    if (!isa<ShapedType>(condition.getType()))
      return condition;
    Operation *op = condition.getDefiningOp();
    if (auto splat = dyn_cast_if_present<tensor::SplatOp>(op))
      return splat.getInput();
    if (auto fill = dyn_cast_if_present<linalg::FillOp>(op))
      return fill.getInputs().front();
    if (auto broadcast = dyn_cast_if_present<linalg::BroadcastOp>(op))
      return getScalar(broadcast.getInput());
    if (auto elements = dyn_cast_if_present<tensor::FromElementsOp>(op))
      return elements.getElements().size() == 1
                 ? Value(elements.getElements().front())
                 : Value();
    return {};
  }

  SmallVector<LoadedUse> uses;
  SmallVector<std::pair<Value, bool>> conditions;
  llvm::SmallDenseSet<Value> followed;
};

/// Follows a value to the ops that depend on all of it whenever they run.
class CertainUseFinder {
public:
  explicit CertainUseFinder(Operation *load) : block(load->getBlock()) {}

  /// A value that depends on itself through a loop counts as used if all its
  /// other uses are certain.
  bool isUsed(Value value) {
    auto [found, isNew] = results.try_emplace(value, true);
    if (!isNew)
      return found->second;
    if (results.size() > kMaxFollowed)
      return true;
    bool isAnyCertain = llvm::any_of(
        value.getUses(), [&](OpOperand &use) { return isCertain(use); });
    results[value] = isAnyCertain;
    return isAnyCertain;
  }

private:
  bool isCertain(OpOperand &use) {
    Operation *op = use.getOwner();
    if (isConditional(op) || findOtherTerm(use))
      return false;
    if (isa<arith::SelectOp>(op) && use.getOperandNumber() != 0)
      return false;
    if (auto access = dyn_cast<RefAccessOpInterface>(op))
      return &use != access.getStoredOperand() || !access.getAccessMask();
    if (isa<tensor::ExtractOp, tensor::ExtractSliceOp>(op) &&
        use.getOperandNumber() == 0)
      return false;
    auto isAnyUsed = [&](ValueRange values) {
      return llvm::any_of(values, [&](Value value) { return isUsed(value); });
    };
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
      std::optional<SmallVector<Value>> inputs = getInputs(branch, use);
      return !inputs || isAnyUsed(*inputs);
    }
    if (op->hasTrait<OpTrait::IsTerminator>())
      if (auto branch = dyn_cast<RegionBranchOpInterface>(op->getParentOp())) {
        // The last iteration of a loop yields its results, the others yield
        // values of the next one.
        std::optional<SmallVector<Value>> inputs = getInputs(branch, use);
        return !inputs || llvm::all_of(*inputs, [&](Value value) {
          return isUsed(value);
        });
      }
    if (isa<YieldOp>(op) && isa<ScopedOp>(op->getParentOp()))
      return isUsed(op->getParentOp()->getResult(use.getOperandNumber()));
    if (!isa<linalg::LinalgOp>(op) && !isMemoryEffectFree(op))
      return true;
    return op->getNumResults() == 0 || isAnyUsed(op->getResults());
  }

  /// True if an op is in a branch that may be skipped when the load runs.
  bool isConditional(Operation *op) {
    while (op && op->getBlock() != block) {
      op = op->getParentOp();
      if (isa_and_nonnull<scf::IfOp, scf::IndexSwitchOp>(op) &&
          !op->isAncestor(block->getParentOp()))
        return true;
    }
    return false;
  }

  /// Returns the values in the regions and results of a branch that an operand
  /// is passed to; none if it only selects the region.
  std::optional<SmallVector<Value>> getInputs(RegionBranchOpInterface branch,
                                              OpOperand &use) {
    RegionBranchSuccessorMapping &mapping = mappings[branch];
    if (mapping.empty())
      branch.getSuccessorOperandInputMapping(mapping);
    auto found = mapping.find(&use);
    if (found == mapping.end())
      return std::nullopt;
    return SmallVector<Value>(found->second);
  }

  Block *block;
  llvm::SmallDenseMap<Value, bool> results;
  llvm::DenseMap<Operation *, RegionBranchSuccessorMapping> mappings;
};

} // namespace

SmallVector<LoadedUse> findLoadedUses(Operation *read) {
  return UseFinder().find(read);
}

bool isDiscarded(Operation *read, ProgramValues &values) {
  return llvm::all_of(findLoadedUses(read), [&](const LoadedUse &use) {
    return llvm::any_of(use.conditions, [&](auto condition) {
      return values.getRange(condition.first).isConstant(!condition.second);
    });
  });
}

bool isCertainlyUsed(Operation *read, ProgramValues &values) {
  return llvm::any_of(findLoadedUses(read), [&](const LoadedUse &use) {
    // A use in another branch may not execute.
    return !use.isPartial && use.op->getBlock() == read->getBlock() &&
           llvm::all_of(use.conditions, [&](auto condition) {
             return values.getRange(condition.first)
                 .isConstant(condition.second);
           });
  });
}

bool mayBeDiscarded(Operation *op) {
  auto access = dyn_cast<RefAccessOpInterface>(op);
  if (!access || !access.getLoadedValue() || access.isAtomicAccess() ||
      access.getStoredOperand())
    return false;
  return !CertainUseFinder(op).isUsed(access.getLoadedValue());
}

bool isLoadedToDiscard(Value ref) {
  return llvm::all_of(ref.getUsers(), [](Operation *user) {
    if (isa<RecordAccessOp>(user))
      return true;
    if (isa<ViewLikeOpInterface>(user))
      return isLoadedToDiscard(user->getResult(0));
    return mayBeDiscarded(user);
  });
}

} // namespace gridir::grid
