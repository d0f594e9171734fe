//===- MemoryHazards.cpp - may a read of a Ref move -----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/MemoryHazards.h"

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
    return gridir::cpu::mayAlias(memref, other);
  });
}

/// True if `op` itself may write one of `memrefs`, or read one if `reads`.
bool mayTouch(Operation *op, ArrayRef<Value> memrefs, bool reads) {
  // A tensor op touches the memory that its operands are: it reads all, and
  // may write a destination in place where that is a writable Ref.
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    auto destination = dyn_cast<DestinationStyleOpInterface>(op);
    if (!reads && !(destination && destination.isDpsInit(&operand)))
      continue;
    SmallVector<Value> buffers;
    gridir::cpu::collectBuffers(operand.get(), buffers);
    for (Value buffer : buffers)
      if (mayAliasAny(buffer, memrefs))
        return true;
  }
  // A to_tensor reads nothing by itself; its users do.
  if (isMemoryEffectFree(op) || isa<bufferization::ToTensorOp>(op) ||
      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return true;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::any_of(instances, [&](const MemoryEffects::EffectInstance &e) {
    bool relevant = isa<MemoryEffects::Write>(e.getEffect()) ||
                    (reads && isa<MemoryEffects::Read>(e.getEffect()));
    if (!relevant)
      return false;
    Value value = e.getValue();
    if (!value)
      return true;
    return !isa<BaseMemRefType>(value.getType()) || mayAliasAny(value, memrefs);
  });
}

bool mayTouchNested(Operation *op, ArrayRef<Value> memrefs, bool reads) {
  return op
      ->walk([&](Operation *inner) {
        return mayTouch(inner, memrefs, reads) ? WalkResult::interrupt()
                                               : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace

bool gridir::cpu::mayAlias(Value a, Value b) {
  SetVector<Value> rootsOfB = getRoots(b);
  for (Value rootOfA : getRoots(a))
    for (Value rootOfB : rootsOfB)
      if (mayAliasRoots(rootOfA, rootOfB))
        return true;
  return false;
}

void gridir::cpu::collectBuffers(Value tensor,
                                 SmallVectorImpl<Value> &memrefs) {
  SetVector<Value> worklist;
  worklist.insert(tensor);
  for (unsigned i = 0; i < worklist.size(); ++i) {
    Value value = worklist[i];
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    if (appendForwarded(value, worklist))
      continue;
    Operation *op = value.getDefiningOp();
    if (!op)
      continue;
    if (auto load = dyn_cast<bufferization::ToTensorOp>(op)) {
      memrefs.push_back(load.getBuffer());
    } else if (isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp,
                   tensor::ExpandShapeOp, tensor::CastOp>(op)) {
      worklist.insert(op->getOperand(0));
    } else if (auto dps = dyn_cast<DestinationStyleOpInterface>(op)) {
      // The result may be computed where the destination is.
      worklist.insert(dps.getTiedOpOperand(cast<OpResult>(value))->get());
    }
  }
}

bool gridir::cpu::mayWrite(Operation *op, ArrayRef<Value> memrefs) {
  return mayTouchNested(op, memrefs, /*reads=*/false);
}

bool gridir::cpu::mayAccess(Operation *op, ArrayRef<Value> memrefs) {
  return mayTouchNested(op, memrefs, /*reads=*/true);
}

bool gridir::cpu::mayReadLater(Operation *op, Operation *later) {
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
