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
  findPlaces(kernel);
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
    llvm::stable_sort(ofRoot,
                      [&](const MemoryAccess *a, const MemoryAccess *b) {
                        return places.at(a->op).first < places.at(b->op).first;
                      });
}

void RefAccesses::findAliases(KernelOp kernel) {
  unsigned numIndex = kernel.getNumIndexOperands(),
           numInputs = kernel.getNumInputs();
  for (auto [operand, output] : kernel.getAliasPairs()) {
    Value from = kernel.getBodyBlock()->getArgument(operand);
    unsigned outputPlace = numIndex + numInputs + output;
    Value to = kernel.getBodyBlock()->getArgument(outputPlace);
    bool sameBlocks = false;
    if (operand >= numIndex) {
      OperandAttr in = kernel.getOperandSpec(operand),
                  out = kernel.getOperandSpec(outputPlace);
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
      // What no Ref names has to do with the order of programs.
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

void RefAccesses::findPlaces(KernelOp kernel) {
  unsigned next = 0;
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    places[op] = {next, next};
    ++next;
  });
  kernel->walk([&](Operation *op) {
    if (op != kernel)
      places.at(op->getParentOp()).include(places.at(op));
  });
}

/// Where `user` may look at `value`, or somebody at what it makes of it.
PlaceInterval RefAccesses::getReach(Value value, Operation *user) const {
  // A loop around the user, and not around the value, comes back to it.
  Operation *top = value.getParentBlock()->findAncestorOpInBlock(*user);
  PlaceInterval result = places.at(top ? top : user);
  Operation *carrier = user;
  if (user->hasTrait<OpTrait::IsTerminator>()) {
    carrier = user->getParentOp();
    result.include(places.at(carrier));
  }
  for (Value carried : carrier->getResults())
    if (auto later = live.find(carried); later != live.end())
      result.include(later->second);
  return result;
}

/// Users come after what they use, and the results of an op with regions after
/// what is in it, so that one way back meets all uses before the value.
void RefAccesses::findLive(KernelOp kernel) {
  kernel->walk<WalkOrder::PreOrder, ReverseIterator>([&](Operation *op) {
    for (Value result : op->getResults()) {
      if (result.use_empty())
        continue;
      PlaceInterval interval = places.at(op);
      for (Operation *user : result.getUsers())
        interval.include(getReach(result, user));
      live[result] = interval;
    }
  });
}

PlaceInterval RefAccesses::getLive(Operation *load) const {
  PlaceInterval interval = places.at(load);
  for (Value result : load->getResults())
    if (auto known = live.find(result); known != live.end())
      interval.include(known->second);
  return interval;
}

ArrayRef<const MemoryAccess *>
RefAccesses::getNamed(Value root, PlaceInterval where) const {
  auto known = byRoot.find(root);
  if (known == byRoot.end())
    return {};
  return getAt<const MemoryAccess *>(
      known->second, where,
      [&](const MemoryAccess *access) { return places.at(access->op).first; });
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
RefAccesses::getAliased(Value ref, PlaceInterval where) const {
  SmallVector<const MemoryAccess *> result;
  for (Value root : getAliasedRoots(ref))
    for (const MemoryAccess *access : getNamed(root, where))
      if (mayAlias(access->memref, ref))
        result.push_back(access);
  return result;
}

const MemoryAccess *RefAccesses::getFirstAliased(Value ref,
                                                 PlaceInterval where) const {
  const MemoryAccess *first = nullptr;
  for (Value root : getAliasedRoots(ref)) {
    ArrayRef<const MemoryAccess *> named = getNamed(root, where);
    const auto *found = llvm::find_if(named, [&](const MemoryAccess *access) {
      return mayAlias(access->memref, ref);
    });
    if (found == named.end())
      continue;
    first = *found;
    where.last = places.at(first->op).first;
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
