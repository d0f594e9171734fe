//===- MemoryHazards.cpp - may a read of a Ref move -----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Analysis/MemoryHazards.h"

#include "dialects/Support/MemoryAccesses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace {

/// Returns the values that `value` may be equal to, through control flow and
/// selects. Empty for the result of any other op.
SmallVector<Value> getForwarded(Value value) {
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return {select.getTrueValue(), select.getFalseValue()};
  SmallVector<Value> forwarded;
  if (isa_and_nonnull<scf::IfOp, scf::IndexSwitchOp>(value.getDefiningOp())) {
    unsigned i = cast<OpResult>(value).getResultNumber();
    for (Region &region : value.getDefiningOp()->getRegions())
      forwarded.push_back(region.front().getTerminator()->getOperand(i));
    return forwarded;
  }
  LoopLikeOpInterface loop;
  if (auto arg = dyn_cast<BlockArgument>(value))
    loop = dyn_cast<LoopLikeOpInterface>(arg.getOwner()->getParentOp());
  else
    loop = value.getDefiningOp<LoopLikeOpInterface>();
  if (!loop)
    return forwarded;
  // For simplicity, any of the carried values counts.
  auto mayBe = [&](Value other) { return other.getType() == value.getType(); };
  llvm::copy_if(loop.getInits(), std::back_inserter(forwarded), mayBe);
  for (Region *region : loop.getLoopRegions())
    llvm::copy_if(region->front().getTerminator()->getOperands(),
                  std::back_inserter(forwarded), mayBe);
  return forwarded;
}

/// Collects the allocations and arguments that `memref` may point into.
SmallVector<Value> getRoots(Value memref) {
  SmallVector<Value> roots;
  gridir::collectRoots(
      memref,
      [](Value value) -> SmallVector<Value> {
        if (auto view = value.getDefiningOp<ViewLikeOpInterface>())
          return {view.getViewSource()};
        return getForwarded(value);
      },
      roots);
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
      worklist.insert_range(getForwarded(value));
  }
}

/// Collects the memrefs that `op` itself may write, and those that it may read
/// if `reads`; null for memory that no memref names.
void collectTouched(Operation *op, bool reads,
                    gridir::loops::TensorOrigins &origins,
                    SmallVectorImpl<Value> &touched) {
  // A tensor op touches the memory that its operands are: it reads all, and
  // may write a destination in place where that is a writable Ref.
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    auto destination = dyn_cast<DestinationStyleOpInterface>(op);
    if (reads || (destination && destination.isDpsInit(&operand)))
      collectBuffers(operand.get(), origins, touched);
  }
  // A to_tensor reads nothing by itself; its users do.
  if (isa<bufferization::ToTensorOp>(op))
    return;
  for (const gridir::MemoryAccess &access : gridir::getAccesses(op))
    if (access.writes || (reads && access.reads))
      touched.push_back(access.memref);
}

bool mayTouchNested(Operation *op, ArrayRef<Value> memrefs, bool reads) {
  gridir::loops::TensorOrigins origins;
  return op
      ->walk([&](Operation *inner) {
        SmallVector<Value> touched;
        collectTouched(inner, reads, origins, touched);
        bool touches = llvm::any_of(touched, [&](Value memref) {
          return !memref || mayAliasAny(memref, memrefs);
        });
        return touches ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace

bool gridir::loops::mayAlias(Value a, Value b) {
  SmallVector<Value> rootsOfB = getRoots(b);
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
  // Adjacent ops need no search for writes, which would follow a value through
  // all ops that update its buffer.
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
    SmallVector<Value> touched;
    op.walk([&](Operation *inner) {
      collectTouched(inner, /*reads=*/false, origins, touched);
    });
    llvm::SmallSetVector<Value, 4> roots;
    for (Value memref : touched)
      roots.insert_range(memref ? getRoots(memref)
                                : SmallVector<Value>{memref});
    for (Value root : roots)
      writes[root].push_back(position);
  }
}

bool gridir::loops::BlockWrites::mayWriteBetween(Operation *from, Operation *to,
                                                 Value tensor) {
  unsigned first = positions.at(from) + 1, end = positions.at(to);
  SmallVector<Value> memrefs;
  ::collectBuffers(tensor, origins, memrefs);
  llvm::SmallSetVector<Value, 4> roots;
  for (Value memref : memrefs)
    roots.insert_range(getRoots(memref));
  if (first >= end)
    return false;
  return llvm::any_of(writes, [&](const auto &entry) {
    auto mayBeWritten = [&](Value root) {
      return !entry.first || mayAliasRoots(root, entry.first);
    };
    return llvm::any_of(roots, mayBeWritten) &&
           !getInside<unsigned>(entry.second, {first, end - 1},
                                [](unsigned position) { return position; })
                .empty();
  });
}
