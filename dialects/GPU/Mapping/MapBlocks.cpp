//===- MapBlocks.cpp - give each work item of a kernel to a CTA -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Mapping/Passes.h"
#include "dialects/GPU/Transforms/MappedKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace gridir::gpu {
#define GEN_PASS_DEF_GPUMAPBLOCKSPASS
#include "dialects/GPU/Mapping/Passes.h.inc"
} // namespace gridir::gpu

using namespace mlir;
using namespace gridir::gpu;

namespace {

class GPUMapBlocksPass
    : public gridir::gpu::impl::GPUMapBlocksPassBase<GPUMapBlocksPass> {
public:
  using GPUMapBlocksPassBase::GPUMapBlocksPassBase;

  void runOnOperation() override {
    if (isOutlined(getOperation()))
      return markAllAnalysesPreserved();
    FailureOr<func::FuncOp> kernel = getKernelFunction(getOperation());
    if (failed(kernel))
      return signalPassFailure();
    unsigned numArguments = kernel->getNumArguments();
    Value lo = kernel->getArgument(numArguments - 2);
    Value hi = kernel->getArgument(numArguments - 1);
    Block &entry = kernel->getBody().front();
    scf::ForOp items;
    for (scf::ForOp loop : entry.getOps<scf::ForOp>())
      if (loop.getLowerBound() == lo && loop.getUpperBound() == hi &&
          loop.getNumResults() == 0)
        items = loop;

    // The code before the loop (scratch, copies of operands, sizes of the
    // grid) becomes a part of each CTA.
    SmallVector<Operation *> preparation;
    bool inOrder = false;
    for (Operation &op : entry.without_terminator()) {
      if (items && &op == items)
        break;
      preparation.push_back(&op);
      inOrder |= readsWhatItemsWrite(&op, *kernel);
    }

    Location loc = kernel->getLoc();
    OpBuilder builder(entry.getTerminator());
    Builder attributes(&getContext());
    auto mapping = attributes.getArrayAttr(mlir::gpu::GPUBlockMappingAttr::get(
        &getContext(), mlir::gpu::MappingId::DimX));
    OpFoldResult one = attributes.getIndexAttr(1);
    OpFoldResult first =
        inOrder ? OpFoldResult(attributes.getIndexAttr(0)) : lo;
    OpFoldResult last = inOrder ? one : OpFoldResult(hi);
    auto ctas =
        scf::ForallOp::create(builder, loc, ArrayRef(first), ArrayRef(last),
                              ArrayRef(one), ValueRange(), mapping);
    Block *body = ctas.getBody();
    for (Operation *op : preparation)
      op->moveBefore(body->getTerminator());
    if (!items)
      return;
    if (inOrder) {
      numInOrder += 1;
      items->moveBefore(body->getTerminator());
      return;
    }
    items.getInductionVar().replaceAllUsesWith(ctas.getInductionVar(0));
    items.getBody()->getTerminator()->erase();
    body->getOperations().splice(body->getTerminator()->getIterator(),
                                 items.getBody()->getOperations());
    items.erase();
    numMapped += 1;
  }

private:
  /// True if an op reads memory before the first item that items may write: a
  /// copy of an input that shares its memory with an output. CTAs start at
  /// different times, so each would see a different input.
  static bool readsWhatItemsWrite(Operation *op, func::FuncOp kernel) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects)
      return !isMemoryEffectFree(op);
    SmallVector<MemoryEffects::EffectInstance> instances;
    effects.getEffects(instances);
    for (const MemoryEffects::EffectInstance &effect : instances) {
      Value value = effect.getValue();
      if (!value || !isa<MemoryEffects::Read>(effect.getEffect()))
        continue;
      while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
        value = view.getViewSource();
      auto argument = dyn_cast<BlockArgument>(value);
      if (argument && argument.getOwner()->getParentOp() == kernel &&
          !kernel.getArgAttr(argument.getArgNumber(),
                             LLVM::LLVMDialect::getNoAliasAttrName()))
        return true;
    }
    return false;
  }
};

} // namespace
