//===- CompleteCopies.cpp - Copies that complete where they start ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/IR/Grid.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDCOMPLETECOPIESPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir::grid;

namespace {

/// The ops on a semaphore, through views of it.
struct SemaphoreUses {
  SmallVector<CopyStartOp> starts;
  SmallVector<CopyWaitOp> waits;
  /// Outer views first.
  SmallVector<Operation *> views;

  /// Fails if the semaphore counts anything else than copies of the program.
  LogicalResult collect(Value semaphore) {
    for (OpOperand &use : semaphore.getUses()) {
      Operation *user = use.getOwner();
      if (auto start = dyn_cast<CopyStartOp>(user)) {
        if (start.isRemote() || start.getSrcSem() || start.getAdd())
          return failure();
        starts.push_back(start);
      } else if (auto wait = dyn_cast<CopyWaitOp>(user)) {
        if (!wait.getDevice().empty() || wait.getSend())
          return failure();
        waits.push_back(wait);
      } else if (isa<SliceRefOp>(user)) {
        views.push_back(user);
        if (failed(collect(user->getResult(0))))
          return failure();
      } else {
        return failure();
      }
    }
    return success();
  }
};

bool isSemaphore(Value ref) {
  auto type = dyn_cast<MemRefType>(ref.getType());
  auto semaphore =
      type ? dyn_cast<SemaphoreType>(type.getElementType()) : SemaphoreType();
  return semaphore && semaphore.getKind() == SemaphoreKind::Dma;
}

/// The attribute without the elements of removed arguments, which are counted
/// from `first` on.
ArrayAttr withoutElements(ArrayAttr old, const llvm::BitVector &removed,
                          unsigned first) {
  if (!old)
    return old;
  SmallVector<Attribute> kept;
  for (auto [i, element] : llvm::enumerate(old))
    if (!removed[first + i])
      kept.push_back(element);
  return ArrayAttr::get(old.getContext(), kept);
}

class GridCompleteCopiesPass
    : public gridir::grid::impl::GridCompleteCopiesPassBase<
          GridCompleteCopiesPass> {
public:
  using GridCompleteCopiesPassBase::GridCompleteCopiesPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    llvm::BitVector removed =
        complete(kernel.getScratchRefs(), kernel.getBodyBlock());
    if (removed.any()) {
      kernel.setScratchOriginsAttr(
          withoutElements(kernel.getScratchOriginsAttr(), removed,
                          kernel.getNumOperandSpecs()));
      erase(kernel, *kernel.getBodyBlock(), removed);
    }
    kernel.getBodyRegion().walk([&](ScopedOp scope) {
      Block &block = scope.getBody().front();
      if (scope.getCollective())
        return;
      llvm::BitVector removed = complete(block.getArguments(), &block);
      if (removed.none())
        return;
      scope.setOriginsAttr(
          withoutElements(scope.getOriginsAttr(), removed, /*first=*/0));
      scope.setTransformsAttr(
          withoutElements(scope.getTransformsAttr(), removed, /*first=*/0));
      erase(scope, block, removed);
    });
    if (numCopies == 0 && numSemaphores == 0)
      markAllAnalysesPreserved();
  }

private:
  /// Completes the copies that semaphores of a block count. Returns which
  /// arguments of the block have no use any more.
  llvm::BitVector complete(Block::BlockArgListType refs, Block *block) {
    llvm::BitVector removed(block->getNumArguments());
    for (BlockArgument ref : refs) {
      SemaphoreUses uses;
      if (!isSemaphore(ref) || failed(uses.collect(ref)))
        continue;
      for (CopyStartOp start : uses.starts)
        copy(start);
      for (CopyWaitOp wait : uses.waits)
        wait.erase();
      for (Operation *view : llvm::reverse(uses.views))
        view->erase();
      numCopies += uses.starts.size();
      ++numSemaphores;
      removed.set(ref.getArgNumber());
    }
    return removed;
  }

  static void copy(CopyStartOp start) {
    OpBuilder builder(start);
    auto type = cast<MemRefType>(start.getSource().getType());
    Type loaded = type.getElementType();
    if (type.getRank() != 0)
      loaded = RankedTensorType::get(type.getShape(), loaded);
    Value value =
        LoadOp::create(builder, start.getLoc(), loaded, start.getSource(),
                       /*mask=*/Value(), /*other=*/Value());
    StoreOp::create(builder, start.getLoc(), value, start.getDest(),
                    /*mask=*/Value());
    start.erase();
  }

  /// Erases arguments of the block of a kernel or scope.
  static void erase(Operation *op, Block &block,
                    const llvm::BitVector &removed) {
    if (auto old = op->getAttrOfType<DenseI64ArrayAttr>(kUnsignedAttrName)) {
      SmallVector<int64_t> numbers;
      for (int64_t number : old.asArrayRef())
        numbers.push_back(
            number - llvm::count_if(removed.set_bits(), [&](unsigned other) {
              return other < number;
            }));
      op->setAttr(kUnsignedAttrName,
                  DenseI64ArrayAttr::get(op->getContext(), numbers));
    }
    block.eraseArguments(removed);
  }
};

} // namespace
