//===- RefHazards.cpp - Which loaded values a store could change ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/RefHazards.h"

#include "dialects/Grid/Analysis/TaskPrograms.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace gridir::grid {
namespace {

/// The Refs that a view may show memory of: the roots of its chain.
void collectRoots(Value ref, SmallVectorImpl<Value> &roots) {
  if (auto view = ref.getDefiningOp<ViewLikeOpInterface>())
    return collectRoots(view.getViewSource(), roots);
  if (auto select = ref.getDefiningOp<SelectRefOp>()) {
    for (Value source : select.getSources())
      collectRoots(source, roots);
    return;
  }
  roots.push_back(ref);
}

/// Windows of one Ref that share no element, as their static offsets show.
bool areDisjointSlices(Value a, Value b) {
  auto sliceA = a.getDefiningOp<SliceRefOp>();
  auto sliceB = b.getDefiningOp<SliceRefOp>();
  if (!sliceA || !sliceB || sliceA.getSource() != sliceB.getSource())
    return false;
  auto lastOf = [](SliceRefOp slice, unsigned d) {
    return slice.getStaticOffsets()[d] +
           (slice.getSizes()[d] - 1) * slice.getStrides()[d];
  };
  for (unsigned d = 0, e = sliceA.getSizes().size(); d < e; ++d) {
    int64_t firstA = sliceA.getStaticOffsets()[d],
            firstB = sliceB.getStaticOffsets()[d];
    if (ShapedType::isDynamic(firstA) || ShapedType::isDynamic(firstB))
      continue;
    if (lastOf(sliceA, d) < firstB || lastOf(sliceB, d) < firstA)
      return true;
  }
  return false;
}

/// The op of `block` that is or encloses `op`.
Operation *ancestorIn(Block *block, Operation *op) {
  return block->findAncestorOpInBlock(*op);
}

/// Whether `op` or an op around it, up to `top`, runs its regions repeatedly.
bool isInLoopBelow(Operation *op, Operation *top) {
  for (; op; op = op->getParentOp()) {
    if (isa<LoopLikeOpInterface>(op))
      return true;
    if (op == top)
      return false;
  }
  return false;
}

/// Whether `store` can run after `load` and before `sink`, where `load` is not
/// run again in between.
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
  // Both stand inside one op after the load. Find the innermost op around
  // both; a loop on the way brings the store before the sink's next run.
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
    // They stand in different regions of an op that is no loop, so one run of
    // it meets at most one of them.
    if (!next)
      return false;
    common = next;
  }
}

/// Whether element `i` of the result needs only element `i` of `operand`.
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

/// Whether the result of this use may be the very memory of its operand.
bool isViewOfOperand(Operation *op) {
  return isa<tensor::ExtractSliceOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp, tensor::CastOp, tensor::ReshapeOp>(op);
}

/// Pure ops may be moved down to their users.
bool isMovable(Operation *op) {
  return op->getNumResults() && isMemoryEffectFree(op);
}

} // namespace

RefHazards::RefHazards(KernelOp kernel) {
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
  collect(kernel);

  for (const Access &access : accesses) {
    if (!isa<LoadOp, GatherOp>(access.op) ||
        !isa<RankedTensorType>(access.op->getResult(0).getType()))
      continue;
    if (needsCopy(access))
      copied.insert(access.op);
  }
  for (const Access &access : accesses)
    if (isa<LoadOp>(access.op) && !copied.contains(access.op) &&
        mayBeOverwritten(access))
      overwritten.insert(access.op);
}

void RefHazards::collect(KernelOp kernel) {
  bool hasTasks = getTasks(kernel) != nullptr;
  kernel.getBodyRegion().walk([&](Operation *op) {
    if (hasTasks && isSchedulingPoint(op))
      accesses.push_back({op, Value(), /*reads=*/true, /*writes=*/true});
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return;
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        continue;
      Access access{op, operand.get(), false, false};
      for (const MemoryEffects::EffectInstance &effect : instances) {
        if (effect.getEffectValue<OpOperand *>() != &operand)
          continue;
        access.reads |= isa<MemoryEffects::Read>(effect.getEffect());
        access.writes |= isa<MemoryEffects::Write>(effect.getEffect());
      }
      if (!access.reads && !access.writes)
        continue;
      accesses.push_back(access);
      SmallVector<Value> roots;
      collectRoots(access.ref, roots);
      if (access.reads)
        readRoots.insert(roots.begin(), roots.end());
      if (access.writes)
        writtenRoots.insert(roots.begin(), roots.end());
    }
  });
}

bool RefHazards::areAliased(Value rootA, Value rootB) const {
  return rootA == rootB || llvm::any_of(aliases, [&](const Alias &alias) {
           return (alias.input == rootA && alias.output == rootB) ||
                  (alias.input == rootB && alias.output == rootA);
         });
}

bool RefHazards::mayAlias(Value a, Value b) const {
  if (!a || !b)
    return true;
  SmallVector<Value> rootsA, rootsB;
  collectRoots(a, rootsA);
  collectRoots(b, rootsB);
  bool shareRoot = llvm::any_of(rootsA, [&](Value rootA) {
    return llvm::any_of(rootsB,
                        [&](Value rootB) { return areAliased(rootA, rootB); });
  });
  return shareRoot && !areDisjointSlices(a, b);
}

bool RefHazards::isSameView(Value a, Value b) const {
  if (a == b)
    return true;
  Operation *opA = a.getDefiningOp(), *opB = b.getDefiningOp();
  if (!opA && !opB)
    return haveSameBlocks(a, b) || haveSameBlocks(b, a);
  if (!opA || !opB || !isa<ViewLikeOpInterface>(opA) ||
      opA->getName() != opB->getName() ||
      opA->getRawDictionaryAttrs() != opB->getRawDictionaryAttrs() ||
      opA->getPropertiesAsAttribute() != opB->getPropertiesAsAttribute() ||
      a.getType() != b.getType() ||
      opA->getNumOperands() != opB->getNumOperands())
    return false;
  // Operand 0 is the source; the rest are offsets, which must be the same
  // values.
  return isSameView(opA->getOperand(0), opB->getOperand(0)) &&
         llvm::equal(opA->getOperands().drop_front(),
                     opB->getOperands().drop_front());
}

bool RefHazards::haveSameBlocks(Value input, Value output) const {
  return llvm::any_of(aliases, [&](const Alias &alias) {
    return alias.sameBlocks && alias.input == input && alias.output == output;
  });
}

bool RefHazards::needsCopy(const Access &load) const {
  SmallVector<const Access *> stores;
  for (const Access &access : accesses)
    if (access.writes && access.op != load.op && mayAlias(access.ref, load.ref))
      stores.push_back(&access);
  return !stores.empty() && isUsedAfter(load.op, load.ref, stores);
}

bool RefHazards::isUsedAfter(Operation *load, Value ref,
                             ArrayRef<const Access *> stores) const {

  // Every use that the value reaches through pure ops, and whether all ops on
  // the way keep each element in its place.
  struct Use {
    OpOperand *operand;
    bool elementwise, isMemory;
  };
  SmallVector<Use> worklist;
  llvm::DenseMap<Value, unsigned> seen;
  auto push = [&](Value value, bool elementwise, bool isMemory) {
    // A value met again with less known of it is followed again.
    unsigned state = 4 | (elementwise ? 2 : 0) | (isMemory ? 0 : 1);
    unsigned &old = seen[value];
    if (old && (old & state) == old)
      return;
    old = old ? old & state : state;
    for (OpOperand &use : value.getUses())
      worklist.push_back({&use, elementwise, isMemory});
  };
  push(load->getResult(0), isa<LoadOp>(load), true);

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
    // What a masked load gives instead is chosen by an elementwise op of its
    // own.
    if (isa<LoadOp, GatherOp>(op)) {
      push(op->getResult(0), false, false);
      continue;
    }
    auto store = dyn_cast<StoreOp>(op);
    for (const Access *access : stores) {
      if (mayRunBetween(load, access->op, op))
        return true;
      if (access->op != op)
        continue;
      bool inPlace = use.elementwise && store &&
                     isSameView(store.getRef(), ref) &&
                     use.operand == &store.getValueMutable();
      // An accumulation reads and writes element by element too.
      if (auto accumulate = dyn_cast<AccumulateOp>(op))
        inPlace = use.elementwise && isSameView(accumulate.getRef(), ref) &&
                  use.operand == &accumulate.getValueMutable();
      if (!inPlace)
        return true;
    }
    // What carries the memory itself on, out of a region or around a loop, is
    // followed there; computed values have buffers of their own.
    if (!use.isMemory ||
        (isa<StoreOp, ScatterOp, AtomicRmwOp, AtomicCasOp>(op)))
      continue;
    Operation *carrier =
        op->hasTrait<OpTrait::IsTerminator>() ? op->getParentOp() : op;
    if (!isa<RegionBranchOpInterface, ScopedOp>(carrier))
      continue;
    // The loop may have stored before it comes to the value again.
    if (isa<LoopLikeOpInterface>(carrier))
      for (const Access *access : stores)
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

bool RefHazards::mayBeOverwritten(const Access &access) const {
  auto load = cast<LoadOp>(access.op);
  if (load.getMask())
    return false;
  // The next access to the memory must replace it, whole.
  Operation *next = load->getNextNode();
  auto touches = [&](Operation *op) {
    return llvm::any_of(accesses, [&](const Access &other) {
      return op->isAncestor(other.op) && mayAlias(other.ref, access.ref);
    });
  };
  while (next && !touches(next))
    next = next->getNextNode();
  auto store = dyn_cast_or_null<StoreOp>(next);
  if (!store || store.getMask() || !isSameView(store.getRef(), access.ref))
    return false;
  // Computing in the memory is a store at the load, which no value that was
  // loaded earlier may see.
  return llvm::none_of(accesses, [&](const Access &other) {
    return other.reads && other.op != access.op &&
           isa<LoadOp, GatherOp>(other.op) && !copied.contains(other.op) &&
           mayAlias(other.ref, access.ref) &&
           isUsedAfter(other.op, other.ref, &access);
  });
}

bool RefHazards::mayReadAfterWrite(Value input, Value output) const {
  auto touches = [](const Access &access, Value root) {
    if (!access.ref)
      return false;
    SmallVector<Value> roots;
    collectRoots(access.ref, roots);
    return llvm::is_contained(roots, root);
  };
  for (const Access &write : accesses) {
    if (!write.writes || !touches(write, output))
      continue;
    for (const Access &read : accesses) {
      if (!read.reads || !touches(read, input))
        continue;
      // The innermost block around both decides, unless a loop around both
      // brings the write before the read's next run.
      Block *block = write.op->getBlock();
      while (!ancestorIn(block, read.op))
        block = block->getParentOp()->getBlock();
      Operation *body = block->getParentOp();
      if (!isa<KernelOp>(body) && isInLoopBelow(body, nullptr))
        return true;
      Operation *writeTop = ancestorIn(block, write.op),
                *readTop = ancestorIn(block, read.op);
      if (writeTop->isBeforeInBlock(readTop))
        return true;
    }
  }
  return false;
}

} // namespace gridir::grid
