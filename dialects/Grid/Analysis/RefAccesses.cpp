//===- RefAccesses.cpp - What a kernel does to its Refs, in order ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/RefAccesses.h"

#include "dialects/Grid/Analysis/TaskPrograms.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Iterators.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace gridir::grid {
namespace {

/// Windows of one Ref that share no element, as their static offsets show.
bool areDisjointWindows(Value a, Value b) {
  auto viewA = a.getDefiningOp<RefViewOpInterface>();
  auto viewB = b.getDefiningOp<RefViewOpInterface>();
  if (!viewA || !viewB || viewA.getViewSources().size() != 1 ||
      viewA.getViewSources() != viewB.getViewSources())
    return false;
  std::optional<SmallVector<ViewDim>> dimsA = viewA.getViewDims(),
                                      dimsB = viewB.getViewDims();
  if (!dimsA || !dimsB)
    return false;
  // The first and the last element along a dimension of the source.
  auto getEnds =
      [](Value view,
         const ViewDim &dim) -> std::optional<std::pair<int64_t, int64_t>> {
    int64_t size =
        dim.dim ? cast<MemRefType>(view.getType()).getDimSize(*dim.dim) : 1;
    std::optional<int64_t> first = getConstantIntValue(dim.offset);
    if (!first || ShapedType::isDynamic(size))
      return std::nullopt;
    return std::pair(*first, *first + (size - 1) * dim.stride);
  };
  return llvm::any_of(llvm::zip_equal(*dimsA, *dimsB), [&](auto pair) {
    auto endsA = getEnds(a, std::get<0>(pair)),
         endsB = getEnds(b, std::get<1>(pair));
    return endsA && endsB &&
           (endsA->second < endsB->first || endsB->second < endsA->first);
  });
}

} // namespace

void collectRoots(Value ref, SmallVectorImpl<Value> &roots) {
  gridir::collectRoots(ref, getViewSources, roots);
}

RefAccesses::RefAccesses(KernelOp kernel) {
  findAliases(kernel);
  findAccesses(kernel);
  numberOps(kernel);
  findLive(kernel);
  for (const MemoryAccess &access : accesses) {
    SmallVector<Value> roots;
    if (access.memref)
      collectRoots(access.memref, roots);
    else
      roots.push_back(Value());
    for (Value root : roots)
      byRoot[root].push_back(&access);
  }
  for (auto &[root, ofRoot] : byRoot)
    llvm::stable_sort(
        ofRoot, [&](const MemoryAccess *a, const MemoryAccess *b) {
          return intervals.at(a->op).first < intervals.at(b->op).first;
        });
}

void RefAccesses::findAliases(KernelOp kernel) {
  unsigned numIndex = kernel.getNumIndexOperands(),
           numInputs = kernel.getNumInputs();
  for (auto [operand, output] : kernel.getAliasPairs()) {
    Value from = kernel.getBodyBlock()->getArgument(operand);
    unsigned outputNumber = numIndex + numInputs + output;
    Value to = kernel.getBodyBlock()->getArgument(outputNumber);
    bool sameBlocks = false;
    if (operand >= numIndex) {
      OperandAttr in = kernel.getOperandSpec(operand),
                  out = kernel.getOperandSpec(outputNumber);
      auto inMap = kernel.getAffineIndexMap(operand - numIndex);
      auto outMap = kernel.getAffineIndexMap(numInputs + output);
      bool sameMaps = inMap && outMap
                          ? *inMap == *outMap
                          : OperationEquivalence::isRegionEquivalentTo(
                                &kernel.getIndexMap(operand - numIndex),
                                &kernel.getIndexMap(numInputs + output),
                                OperationEquivalence::Flags::IgnoreLocations);
      sameBlocks = in.getBlockDims() == out.getBlockDims() && sameMaps;
    }
    aliases.push_back({from, to, sameBlocks});
  }
}

void RefAccesses::findAccesses(KernelOp kernel) {
  bool hasTasks = getTasks(kernel) != nullptr;
  kernel.getBodyRegion().walk([&](Operation *op) {
    if (hasTasks && isSchedulingPoint(op))
      accesses.push_back({op, Value(), /*reads=*/true, /*writes=*/true});
    for (const MemoryAccess &access : getAccesses(op)) {
      // Accesses without a Ref do not order programs.
      if (!access.memref || !isa<MemRefType>(access.memref.getType()))
        continue;
      accesses.push_back(access);
      SmallVector<Value> roots;
      collectRoots(access.memref, roots);
      if (access.reads)
        readRoots.insert(roots.begin(), roots.end());
      if (access.writes)
        writtenRoots.insert(roots.begin(), roots.end());
    }
  });
}

void RefAccesses::numberOps(KernelOp kernel) {
  unsigned next = 0;
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    intervals[op] = {next, next};
    ++next;
  });
  kernel->walk([&](Operation *op) {
    if (op != kernel)
      intervals.at(op->getParentOp()).include(intervals.at(op));
  });
}

/// The interval in which `user` may use `value`, or other ops values that it
/// computes from it.
OpInterval RefAccesses::getUseInterval(Value value, Operation *user) const {
  // A loop around the user, and not around the value, comes back to it.
  Operation *top = value.getParentBlock()->findAncestorOpInBlock(*user);
  OpInterval result = intervals.at(top ? top : user);
  Operation *carrier = user;
  if (user->hasTrait<OpTrait::IsTerminator>()) {
    carrier = user->getParentOp();
    result.include(intervals.at(carrier));
  }
  for (Value carried : carrier->getResults())
    if (auto later = live.find(carried); later != live.end())
      result.include(later->second);
  return result;
}

/// Users come after their operands, and the results of an op with regions after
/// its nested ops, so one reverse walk visits all uses before the value.
void RefAccesses::findLive(KernelOp kernel) {
  kernel->walk<WalkOrder::PreOrder, ReverseIterator>([&](Operation *op) {
    for (Value result : op->getResults()) {
      if (result.use_empty())
        continue;
      OpInterval interval = intervals.at(op);
      for (Operation *user : result.getUsers())
        interval.include(getUseInterval(result, user));
      live[result] = interval;
    }
  });
}

OpInterval RefAccesses::getLiveInterval(Operation *load) const {
  OpInterval interval = intervals.at(load);
  for (Value result : load->getResults())
    if (auto known = live.find(result); known != live.end())
      interval.include(known->second);
  return interval;
}

ArrayRef<const MemoryAccess *>
RefAccesses::getNamed(Value root, OpInterval interval) const {
  auto known = byRoot.find(root);
  if (known == byRoot.end())
    return {};
  return getInside<const MemoryAccess *>(
      known->second, interval, [&](const MemoryAccess *access) {
        return intervals.at(access->op).first;
      });
}

SmallVector<Value> RefAccesses::getAliasedRoots(Value ref) const {
  SmallVector<Value> roots;
  collectRoots(ref, roots);
  llvm::SmallSetVector<Value, 4> aliased(roots.begin(), roots.end());
  for (const Alias &alias : aliases) {
    if (llvm::is_contained(roots, alias.input))
      aliased.insert(alias.output);
    if (llvm::is_contained(roots, alias.output))
      aliased.insert(alias.input);
  }
  aliased.insert(Value());
  return llvm::to_vector(aliased);
}

SmallVector<const MemoryAccess *>
RefAccesses::getAliased(Value ref, OpInterval interval) const {
  SmallVector<const MemoryAccess *> result;
  for (Value root : getAliasedRoots(ref))
    for (const MemoryAccess *access : getNamed(root, interval))
      if (mayAlias(access->memref, ref))
        result.push_back(access);
  return result;
}

const MemoryAccess *RefAccesses::getFirstAliased(Value ref,
                                                 OpInterval interval) const {
  const MemoryAccess *first = nullptr;
  for (Value root : getAliasedRoots(ref)) {
    ArrayRef<const MemoryAccess *> named = getNamed(root, interval);
    const auto *found = llvm::find_if(named, [&](const MemoryAccess *access) {
      return mayAlias(access->memref, ref);
    });
    if (found == named.end())
      continue;
    first = *found;
    interval.last = intervals.at(first->op).first;
  }
  return first;
}

bool RefAccesses::areAliased(Value rootA, Value rootB) const {
  return rootA == rootB || llvm::any_of(aliases, [&](const Alias &alias) {
           return (alias.input == rootA && alias.output == rootB) ||
                  (alias.input == rootB && alias.output == rootA);
         });
}

bool RefAccesses::mayAlias(Value a, Value b) const {
  if (!a || !b)
    return true;
  SmallVector<Value> rootsA, rootsB;
  collectRoots(a, rootsA);
  collectRoots(b, rootsB);
  bool shareRoot = llvm::any_of(rootsA, [&](Value rootA) {
    return llvm::any_of(rootsB,
                        [&](Value rootB) { return areAliased(rootA, rootB); });
  });
  return shareRoot && !areDisjointWindows(a, b);
}

bool RefAccesses::haveSameBlocks(Value input, Value output) const {
  return llvm::any_of(aliases, [&](const Alias &alias) {
    return alias.sameBlocks && alias.input == input && alias.output == output;
  });
}

} // namespace gridir::grid
