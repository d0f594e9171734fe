//===- RefHazards.cpp - Which loaded values a store could change ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/RefHazards.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace gridir::grid {
namespace {

/// The op of `block` that is or encloses `op`.
Operation *ancestorIn(Block *block, Operation *op) {
  return block->findAncestorOpInBlock(*op);
}

/// True if `store` can run after `load` and before `sink`, without another run
/// of `load` in between.
bool mayRunBetween(Operation *load, Operation *store, Operation *sink) {
  // A value may leave the region that it was loaded in; it then dates from the
  // op around that region.
  Block *block = load->getBlock();
  while (!ancestorIn(block, sink)) {
    load = block->getParentOp();
    block = load->getBlock();
  }
  Operation *storeTop = ancestorIn(block, store),
            *sinkTop = ancestorIn(block, sink);
  if (!storeTop)
    return false;
  if (storeTop == load || storeTop->isBeforeInBlock(load) ||
      sinkTop->isBeforeInBlock(storeTop))
    return false;
  if (storeTop != sinkTop)
    return true;
  if (store == sink && store == storeTop)
    return false;
  // Both are nested in one op after the load. Find the innermost op around
  // both; in a loop between them the store precedes the sink's next iteration.
  Operation *common = storeTop;
  while (true) {
    if (isa<LoopLikeOpInterface>(common))
      return true;
    if (common == store || common == sink)
      return common == store ? store != sink : false;
    Operation *next = nullptr;
    for (Region &region : common->getRegions())
      for (Block &inner : region) {
        Operation *a = ancestorIn(&inner, store), *b = ancestorIn(&inner, sink);
        if (a && b) {
          if (a != b)
            return a->isBeforeInBlock(b);
          next = a;
        }
      }
    // They are in different regions of an op that is not a loop, so one
    // execution reaches at most one of them.
    if (!next)
      return false;
    common = next;
  }
}

/// True if element `i` of the result needs only element `i` of `operand`.
bool isElementwiseIn(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (OpTrait::hasElementwiseMappableTraits(op))
    return true;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp || !linalgOp.hasPureTensorSemantics() ||
      linalgOp.getNumParallelLoops() != linalgOp.getNumLoops())
    return false;
  if (!linalgOp.getMatchingIndexingMap(&operand).isIdentity())
    return false;
  return llvm::all_of(linalgOp.getDpsInitsMutable(), [&](OpOperand &init) {
    return linalgOp.getMatchingIndexingMap(&init).isIdentity();
  });
}

/// True if the result of this use may be the memory of its operand.
bool isViewOfOperand(Operation *op) {
  return isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, tensor::CastOp, tensor::ReshapeOp>(op);
}

/// True if an op reads all elements of a Ref, each to the same indices of the
/// value.
bool isWholeLoad(Operation *op) {
  auto access = dyn_cast<RefAccessOpInterface>(op);
  return access && access.getLoadedValue() && access.isWholeAccess();
}

/// Pure ops may be moved down to their users.
bool isMovable(Operation *op) {
  return op->getNumResults() && isMemoryEffectFree(op);
}

} // namespace

RefHazards::RefHazards(KernelOp kernel) : accesses(kernel) {
  for (const MemoryAccess &access : accesses.getAll()) {
    Value loaded = getLoadedValue(access.op);
    if (loaded && isa<RankedTensorType>(loaded.getType()) && needsCopy(access))
      copied.insert(access.op);
  }
  findLiveLoads();
  for (const MemoryAccess &access : accesses.getAll())
    if (isWholeLoad(access.op) && !copied.contains(access.op) &&
        mayBeOverwritten(access))
      overwritten.insert(access.op);
}

bool RefHazards::isSameView(Value a, Value b) const {
  if (a == b)
    return true;
  Operation *opA = a.getDefiningOp(), *opB = b.getDefiningOp();
  if (!opA && !opB)
    return accesses.haveSameBlocks(a, b) || accesses.haveSameBlocks(b, a);
  SmallVector<Value> sourcesA = getViewSources(a), sourcesB = getViewSources(b);
  if (sourcesA.size() != 1 || sourcesB.size() != 1 ||
      opA->getName() != opB->getName() ||
      opA->getRawDictionaryAttrs() != opB->getRawDictionaryAttrs() ||
      opA->getPropertiesAsAttribute() != opB->getPropertiesAsAttribute() ||
      a.getType() != b.getType() ||
      opA->getNumOperands() != opB->getNumOperands())
    return false;
  // The other operands are offsets, which must be the same values.
  return isSameView(sourcesA.front(), sourcesB.front()) &&
         llvm::all_of(
             llvm::zip(opA->getOperands(), opB->getOperands()), [&](auto pair) {
               auto [operandA, operandB] = pair;
               return operandA == operandB || (operandA == sourcesA.front() &&
                                               operandB == sourcesB.front());
             });
}

bool RefHazards::needsCopy(const MemoryAccess &load) const {
  SmallVector<const MemoryAccess *> stores =
      accesses.getAliased(load.memref, accesses.getLiveInterval(load.op));
  llvm::erase_if(stores, [&](const MemoryAccess *access) {
    return !access->writes || access->op == load.op;
  });
  return !stores.empty() && isUsedAfter(load.op, load.memref, stores);
}

bool RefHazards::isUsedAfter(Operation *load, Value ref,
                             ArrayRef<const MemoryAccess *> stores) const {

  // Visits every use that the value reaches through pure ops, and tracks if all
  // ops on the def-use chain are elementwise.
  struct Use {
    OpOperand *operand;
    bool elementwise, isMemory;
  };
  SmallVector<Use> worklist;
  llvm::DenseMap<Value, unsigned> seen;
  auto push = [&](Value value, bool elementwise, bool isMemory) {
    // A value is visited again if its state became less precise.
    unsigned state = 4 | (elementwise ? 2 : 0) | (isMemory ? 0 : 1);
    unsigned &old = seen[value];
    if (old && (old & state) == old)
      return;
    old = old ? old & state : state;
    for (OpOperand &use : value.getUses())
      worklist.push_back({&use, elementwise, isMemory});
  };
  auto loadAccess = cast<RefAccessOpInterface>(load);
  push(loadAccess.getLoadedValue(), loadAccess.getAccessIndices().empty(),
       true);

  while (!worklist.empty()) {
    Use use = worklist.pop_back_val();
    Operation *op = use.operand->getOwner();
    if (isMovable(op)) {
      bool elementwise = use.elementwise && isElementwiseIn(*use.operand);
      for (Value result : op->getResults())
        push(result, elementwise, use.isMemory && isViewOfOperand(op));
      continue;
    }
    // A pure op that computes with the value in a region may move as a whole.
    if (op->hasTrait<OpTrait::IsTerminator>() && isMovable(op->getParentOp()))
      for (Value result : op->getParentOp()->getResults())
        push(result, false, false);
    // A separate elementwise op selects the values that replace masked
    // elements.
    if (Value loaded = getLoadedValue(op)) {
      push(loaded, false, false);
      continue;
    }
    auto user = dyn_cast<RefAccessOpInterface>(op);
    for (const MemoryAccess *access : stores) {
      if (mayRunBetween(load, access->op, op))
        return true;
      if (access->op != op)
        continue;
      bool inPlace = use.elementwise && user &&
                     use.operand == user.getStoredOperand() &&
                     isSameView(access->memref, ref);
      if (!inPlace)
        return true;
    }
    // Ops that pass memory on, out of a region or around a loop, are followed;
    // computed values have buffers of their own.
    if (!use.isMemory)
      continue;
    Operation *carrier =
        op->hasTrait<OpTrait::IsTerminator>() ? op->getParentOp() : op;
    if (!isa<RegionBranchOpInterface, ScopedOp>(carrier))
      continue;
    // The loop may have stored before it comes to the value again.
    if (isa<LoopLikeOpInterface>(carrier))
      for (const MemoryAccess *access : stores)
        if (carrier->isAncestor(access->op))
          return true;
    for (Value result : carrier->getResults())
      push(result, false, true);
    for (Region &region : carrier->getRegions())
      for (Value arg : region.getArguments())
        push(arg, false, true);
  }
  return false;
}

bool RefHazards::mayBeOverwritten(const MemoryAccess &access) const {
  Operation *load = access.op;
  // The next access to the memory must replace it, whole.
  OpInterval later = accesses.getInterval(load->getParentOp());
  later.first = accesses.getInterval(load).last + 1;
  const MemoryAccess *next = accesses.getFirstAliased(access.memref, later);
  auto store = dyn_cast_or_null<RefAccessOpInterface>(
      next ? ancestorIn(load->getBlock(), next->op) : nullptr);
  if (!store || store != next->op || !store.getStoredOperand() ||
      !store.replacesAll(next->memref) ||
      !isSameView(next->memref, access.memref))
    return false;
  // Computing in the memory is a store at the load, which no value that was
  // loaded earlier may see.
  unsigned position = accesses.getInterval(load).first;
  return llvm::none_of(
      accesses.getAliasedRoots(access.memref),
      [&](Value root) { return isAnyUsedAfter(root, position, access); });
}

bool RefHazards::isAnyUsedAfter(Value root, unsigned position,
                                const MemoryAccess &access) const {
  auto known = liveLoads.find(root);
  if (known == liveLoads.end())
    return false;
  ArrayRef<LiveLoad> loads = known->second;
  const auto *end = llvm::partition_point(
      loads, [&](const LiveLoad &load) { return load.live.first <= position; });
  for (const LiveLoad &load :
       llvm::reverse(llvm::make_range(loads.begin(), end))) {
    if (load.lastSoFar < position)
      return false;
    const MemoryAccess &other = *load.access;
    if (load.live.contains(position) && other.op != access.op &&
        accesses.mayAlias(other.memref, access.memref) &&
        isUsedAfter(other.op, other.memref, &access))
      return true;
  }
  return false;
}

void RefHazards::findLiveLoads() {
  for (const MemoryAccess &access : accesses.getAll()) {
    if (!access.reads || !getLoadedValue(access.op) ||
        copied.contains(access.op))
      continue;
    SmallVector<Value> roots;
    collectRoots(access.memref, roots);
    for (Value root : roots)
      liveLoads[root].push_back(
          {accesses.getLiveInterval(access.op), &access, 0});
  }
  for (auto &[root, loads] : liveLoads) {
    llvm::stable_sort(loads, [](const LiveLoad &a, const LiveLoad &b) {
      return a.live.first < b.live.first;
    });
    unsigned last = 0;
    for (LiveLoad &load : loads)
      load.lastSoFar = last = std::max(last, load.live.last);
  }
}

/// The outermost loop around an op; null for none.
static Operation *getOutermostLoop(Operation *op) {
  Operation *loop = nullptr;
  while ((op = op->getParentOp()) && !isa<KernelOp>(op))
    if (isa<LoopLikeOpInterface>(op))
      loop = op;
  return loop;
}

bool RefHazards::mayReadAfterWrite(Value input, Value output) const {
  OpInterval everywhere = {0, std::numeric_limits<unsigned>::max()};
  for (const MemoryAccess *write : accesses.getNamed(output, everywhere)) {
    if (!write->writes)
      continue;
    // In a loop around both the write precedes the read's next iteration.
    Operation *loop = getOutermostLoop(write->op);
    OpInterval later = everywhere;
    later.first = accesses.getInterval(loop ? loop : write->op).first;
    for (const MemoryAccess *read : accesses.getNamed(input, later)) {
      if (!read->reads)
        continue;
      if (loop && loop->isProperAncestor(read->op))
        return true;
      // Otherwise their order in the innermost common block decides.
      Block *block = write->op->getBlock();
      while (!ancestorIn(block, read->op))
        block = block->getParentOp()->getBlock();
      if (ancestorIn(block, write->op)
              ->isBeforeInBlock(ancestorIn(block, read->op)))
        return true;
    }
  }
  return false;
}

} // namespace gridir::grid
