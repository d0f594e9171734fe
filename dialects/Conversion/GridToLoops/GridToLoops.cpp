//===- GridToLoops.cpp - From a kernel to a function with loops -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Lowering.h"
#include "dialects/Conversion/GridToLoops/OtherDialects.h"
#include "dialects/Conversion/GridToLoops/PartialWindows.h"
#include "dialects/Conversion/Passes.h"
#include "dialects/Grid/Analysis/RefOrigins.h"
#include "dialects/Grid/IR/SingleKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace gridir {
#define GEN_PASS_DEF_CONVERTGRIDTOLOOPSPASS
#include "dialects/Conversion/Passes.h.inc"
} // namespace gridir

using namespace mlir;
using namespace gridir;

namespace {

/// Calls `function` with each dialect's interface for loops.
void forEachDialect(
    MLIRContext *context,
    function_ref<void(const GridToLoopsDialectInterface &)> function) {
  for (Dialect *dialect : context->getLoadedDialects())
    if (auto *other =
            dialect->getRegisteredInterface<GridToLoopsDialectInterface>())
      function(*other);
}

/// Converts ops of other dialects to `grid`, by the patterns of their dialects.
void expandOtherDialects(grid::KernelOp kernel) {
  RewritePatternSet patterns(kernel.getContext());
  forEachDialect(kernel.getContext(),
                 [&](const GridToLoopsDialectInterface &dialect) {
                   dialect.populatePatterns(patterns);
                 });
  walkAndApplyPatterns(kernel, std::move(patterns));
}

/// Views and casts that every access has looked through, users first.
void eraseDeadViews(func::FuncOp function) {
  SmallVector<Operation *> views;
  function.walk([&](Operation *op) {
    if (isa<ViewLikeOpInterface, UnrealizedConversionCastOp>(op))
      views.push_back(op);
  });
  for (Operation *op : llvm::reverse(views))
    if (op->use_empty())
      op->erase();
}

/// Ops that no pattern converted have no meaning in a loop, or none yet. An op
/// of another dialect is found by the Ref that is still its operand.
LogicalResult checkConverted(KernelLowering &lowering) {
  auto isRef = [](Value value) {
    auto type = dyn_cast<MemRefType>(value.getType());
    return type && isa_and_nonnull<grid::MemorySpaceAttrInterface>(
                       type.getMemorySpace());
  };
  lowering.function.walk([&](Operation *op) {
    if (!op->isRegistered() ||
        isa_and_nonnull<grid::GridDialect>(op->getDialect()) ||
        llvm::any_of(op->getOperands(), isRef))
      (void)lowering.fail(op, "expected an op that can run in a loop over the "
                              "grid, got '" +
                                  op->getName().getStringRef() + "'");
    // MLIR's verifier does not compare the two types, but its patterns rely on
    // both.
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
        expand &&
        expand.getStaticOutputShape() != expand.getResultType().getShape())
      (void)lowering.fail(op, "expected the output shape of the result's type");
  });
  return failure(lowering.hasFailed());
}

class ConvertGridToLoopsPass
    : public gridir::impl::ConvertGridToLoopsPassBase<ConvertGridToLoopsPass> {
public:
  using ConvertGridToLoopsPassBase::ConvertGridToLoopsPassBase;

  void runOnOperation() override {
    FailureOr<grid::KernelOp> kernel = grid::getSingleKernel(getOperation());
    if (failed(kernel))
      return signalPassFailure();
    if (!*kernel)
      return;
    if (failed(convert(*kernel)))
      signalPassFailure();
  }

private:
  LogicalResult convert(grid::KernelOp kernel) {
    if (failed(grid::verifyRefs(kernel)))
      return failure();
    expandOtherDialects(kernel);
    eraseEmptyAccesses(kernel);
    AccessSet unchecked = separatePartialSlices(kernel, checkDiscarded);
    grid::RefHazards hazards(kernel);
    KernelLowering lowering(kernel, hazards);
    lowering.unchecked = std::move(unchecked);
    if (failed(buildGridLoops(lowering)))
      return failure();

    RewritePatternSet patterns(&getContext());
    populateViewPatterns(patterns, lowering);
    populateRefPatterns(patterns, lowering);
    populateAsyncPatterns(patterns, lowering);
    populateIndexedPatterns(patterns, lowering);
    populateRecordedAccessPatterns(patterns, lowering);
    populatePrngPatterns(patterns, lowering);
    populateValuePatterns(patterns, lowering);
    populateDotPatterns(patterns, lowering);
    populateRearrangePatterns(patterns, lowering);
    forEachDialect(&getContext(),
                   [&](const GridToLoopsDialectInterface &dialect) {
                     dialect.populateLoopPatterns(patterns, lowering);
                   });
    walkAndApplyPatterns(lowering.function, std::move(patterns));
    if (lowering.hasFailed())
      return failure();
    // A contraction over no elements was replaced by a loop before.
    eraseEmptyAccesses(lowering.function);
    eraseDeadViews(lowering.function);
    if (failed(checkConverted(lowering)))
      return failure();

    lowering.createABI(getOperation());
    kernel.erase();
    numBlocksInPlace += lowering.counts.blocksInPlace;
    numBlocksTested += lowering.counts.blocksTested;
    numSlicesProved += lowering.counts.slicesProved;
    numSlicesChecked += lowering.counts.slicesChecked;
    numLoadsCopied += lowering.counts.loadsCopied;
    return success();
  }
};

} // namespace
