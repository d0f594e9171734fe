//===- MemoryHazards.cpp - may a read of a Ref move -----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Analysis/MemoryHazards.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace {

/// Appends the values that `value` may simply be: through control flow and the
/// choice between two values. Returns false if it is none of these.
bool appendForwarded(Value value, SetVector<Value> &worklist) {
  if (auto select = value.getDefiningOp<arith::SelectOp>()) {
    worklist.insert(select.getTrueValue());
    worklist.insert(select.getFalseValue());
    return true;
  }
  if (auto branch = value.getDefiningOp<scf::IfOp>()) {
    unsigned i = cast<OpResult>(value).getResultNumber();
    worklist.insert(branch.thenYield().getOperand(i));
    worklist.insert(branch.elseYield().getOperand(i));
    return true;
  }
  if (auto choice = value.getDefiningOp<scf::IndexSwitchOp>()) {
    unsigned i = cast<OpResult>(value).getResultNumber();
    for (Region &region : choice->getRegions())
      worklist.insert(region.front().getTerminator()->getOperand(i));
    return true;
  }
  LoopLikeOpInterface loop;
  if (auto arg = dyn_cast<BlockArgument>(value))
    loop = dyn_cast<LoopLikeOpInterface>(arg.getOwner()->getParentOp());
  else
    loop = value.getDefiningOp<LoopLikeOpInterface>();
  if (!loop)
    return false;
  // Which of the carried values it is does not matter much here.
  for (Value init : loop.getInits())
    if (init.getType() == value.getType())
      worklist.insert(init);
  for (Region *region : loop.getLoopRegions())
    for (Value yielded : region->front().getTerminator()->getOperands())
      if (yielded.getType() == value.getType())
        worklist.insert(yielded);
  return true;
}

/// Collects the allocations and arguments that `memref` may point into.
SetVector<Value> getRoots(Value memref) {
  SetVector<Value> worklist;
  worklist.insert(memref);
  SetVector<Value> roots;
  for (unsigned i = 0; i < worklist.size(); ++i) {
    Value value = worklist[i];
    if (auto view = value.getDefiningOp<ViewLikeOpInterface>())
      worklist.insert(view.getViewSource());
    else if (!appendForwarded(value, worklist))
      roots.insert(value);
  }
  return roots;
}

bool isAllocation(Value root) {
  return root.getDefiningOp<memref::AllocOp>() ||
         root.getDefiningOp<memref::AllocaOp>() ||
         root.getDefiningOp<memref::GetGlobalOp>();
}

/// True for an argument of a function.
bool isArgument(Value root) {
  auto arg = dyn_cast<BlockArgument>(root);
  return arg && isa<FunctionOpInterface>(arg.getOwner()->getParentOp());
}

bool isNoAlias(Value root) {
  auto arg = cast<BlockArgument>(root);
  auto function = cast<FunctionOpInterface>(arg.getOwner()->getParentOp());
  return !!function.getArgAttr(arg.getArgNumber(),
                               LLVM::LLVMDialect::getNoAliasAttrName());
}

bool mayAliasRoots(Value a, Value b) {
  if (a == b)
    return true;
  if (isAllocation(a))
    return !isAllocation(b) && !isArgument(b);
  if (isAllocation(b))
    return !isArgument(a);
  if (isArgument(a) && isArgument(b))
    return !isNoAlias(a) && !isNoAlias(b);
  return true;
}

bool mayAliasAny(Value memref, ArrayRef<Value> others) {
  return llvm::any_of(others, [&](Value other) {
    return gridir::loops::mayAlias(memref, other);
  });
}

/// The memory that ops may touch: that of some memrefs, or any.
struct TouchedMemory {
  SmallVector<Value> memrefs;
  bool any = false;
};

/// Returns the tensor whose memory that of `tensor` is or may be; null for one
/// that no op computes from another, or from one of several.
Value getSource(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (!op || !isa<RankedTensorType>(tensor.getType()))
    return {};
  if (isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp,
          tensor::ExpandShapeOp, tensor::CastOp>(op))
    return op->getOperand(0);
  // The result may be computed where the destination is.
  if (auto dps = dyn_cast<DestinationStyleOpInterface>(op))
    return dps.getTiedOpOperand(cast<OpResult>(tensor))->get();
  return {};
}

/// Follows the sources of `tensor` to the first one, which is noted for each.
Value getOrigin(Value tensor, gridir::loops::TensorOrigins &origins) {
  SmallVector<Value> path;
  while (Value source = getSource(tensor)) {
    auto known = origins.find(tensor);
    if (known != origins.end()) {
      tensor = known->second;
      break;
    }
    path.push_back(tensor);
    tensor = source;
  }
  for (Value value : path)
    origins[value] = tensor;
  return tensor;
}

/// Collects the memrefs whose memory `tensor` may be.
void collectBuffers(Value tensor, gridir::loops::TensorOrigins &origins,
                    SmallVectorImpl<Value> &memrefs) {
  SetVector<Value> worklist;
  worklist.insert(tensor);
  for (unsigned i = 0; i < worklist.size(); ++i) {
    Value value = getOrigin(worklist[i], origins);
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    if (auto load = value.getDefiningOp<bufferization::ToTensorOp>())
      memrefs.push_back(load.getBuffer());
    else
      appendForwarded(value, worklist);
  }
}

/// Adds what `op` itself may write, and what it may read if `reads`.
void collectTouched(Operation *op, bool reads,
                    gridir::loops::TensorOrigins &origins,
                    TouchedMemory &touched) {
  // A tensor op touches the memory that its operands are: it reads all, and
  // may write a destination in place where that is a writable Ref.
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    auto destination = dyn_cast<DestinationStyleOpInterface>(op);
    if (reads || (destination && destination.isDpsInit(&operand)))
      collectBuffers(operand.get(), origins, touched.memrefs);
  }
  // A to_tensor reads nothing by itself; its users do.
  if (isMemoryEffectFree(op) || isa<bufferization::ToTensorOp>(op) ||
      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects) {
    touched.any = true;
    return;
  }
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (const MemoryEffects::EffectInstance &effect : instances) {
    if (!isa<MemoryEffects::Write>(effect.getEffect()) &&
        !(reads && isa<MemoryEffects::Read>(effect.getEffect())))
      continue;
    Value value = effect.getValue();
    if (value && isa<BaseMemRefType>(value.getType()))
      touched.memrefs.push_back(value);
    else
      touched.any = true;
  }
}

bool mayTouchNested(Operation *op, ArrayRef<Value> memrefs, bool reads) {
  gridir::loops::TensorOrigins origins;
  return op
      ->walk([&](Operation *inner) {
        TouchedMemory touched;
        collectTouched(inner, reads, origins, touched);
        bool touches =
            touched.any || llvm::any_of(touched.memrefs, [&](Value v) {
              return mayAliasAny(v, memrefs);
            });
        return touches ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace

bool gridir::loops::mayAlias(Value a, Value b) {
  SetVector<Value> rootsOfB = getRoots(b);
  for (Value rootOfA : getRoots(a))
    for (Value rootOfB : rootsOfB)
      if (mayAliasRoots(rootOfA, rootOfB))
        return true;
  return false;
}

void gridir::loops::collectBuffers(Value tensor,
                                   SmallVectorImpl<Value> &memrefs) {
  TensorOrigins origins;
  ::collectBuffers(tensor, origins, memrefs);
}

bool gridir::loops::mayWrite(Operation *op, ArrayRef<Value> memrefs) {
  return mayTouchNested(op, memrefs, /*reads=*/false);
}

bool gridir::loops::mayAccess(Operation *op, ArrayRef<Value> memrefs) {
  return mayTouchNested(op, memrefs, /*reads=*/true);
}

bool gridir::loops::mayReadLater(Operation *op, Operation *later) {
  // What neighbours read is not looked for: a value that many ops in a row
  // compute in one place is followed through all of them.
  if (op->getNextNode() == later)
    return true;
  SmallVector<Value> memrefs;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        collectBuffers(operand, memrefs);
  });
  if (memrefs.empty())
    return true;
  for (Operation *between = op->getNextNode(); between != later;
       between = between->getNextNode())
    if (mayWrite(between, memrefs))
      return false;
  return true;
}

gridir::loops::BlockWrites::BlockWrites(Block &block) {
  for (auto [position, op] : llvm::enumerate(block)) {
    positions[&op] = position;
    TouchedMemory touched;
    op.walk([&](Operation *inner) {
      collectTouched(inner, /*reads=*/false, origins, touched);
    });
    if (touched.any)
      writesAnywhere.push_back(position);
    SetVector<Value> roots;
    for (Value memref : touched.memrefs)
      roots.insert_range(getRoots(memref));
    for (Value root : roots)
      writesByRoot[root].push_back(position);
  }
}

bool gridir::loops::BlockWrites::mayWriteBetween(Operation *from, Operation *to,
                                                 Value tensor) {
  SmallVector<Value> memrefs;
  ::collectBuffers(tensor, origins, memrefs);
  // Positions are in ascending order.
  auto hasOneBetween = [&](ArrayRef<unsigned> writes) {
    auto next = llvm::upper_bound(writes, positions.at(from));
    return next != writes.end() && *next < positions.at(to);
  };
  if (!memrefs.empty() && hasOneBetween(writesAnywhere))
    return true;
  for (Value memref : memrefs)
    for (Value root : getRoots(memref))
      for (const auto &[written, writes] : writesByRoot)
        if (mayAliasRoots(root, written) && hasOneBetween(writes))
          return true;
  return false;
}
