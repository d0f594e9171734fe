//===- TrialBufferization.cpp - changes that can be bufferized ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Transforms/TrialBufferization.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/Threading.h"

using namespace mlir;

bool gridir::loops::handsOnTensors(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        int64_t numTensors = llvm::count_if(inner->getResultTypes(),
                                            llvm::IsaPred<RankedTensorType>);
        bool isFound = isa<scf::IfOp, scf::IndexSwitchOp>(inner)
                           ? numTensors > 0
                           : isa<LoopLikeOpInterface>(inner) && numTensors > 1;
        return isFound ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// True if an op is valid and one-shot bufferization accepts the ops in it.
static bool isBufferizable(Operation *op) {
  bufferization::OneShotBufferizationOptions options;
  bufferization::OneShotAnalysisState state(op, options);
  return succeeded(verify(op)) &&
         succeeded(bufferization::analyzeOp(op, state));
}

LogicalResult gridir::loops::changeIfBufferizable(
    Operation *op, function_ref<LogicalResult(Operation *)> change) {
  uint64_t thread = llvm::get_threadid();
  ScopedDiagnosticHandler silence(op->getContext(), [&](Diagnostic &) {
    return success(llvm::get_threadid() == thread);
  });
  OwningOpRef<Operation *> trial = op->clone();
  if (failed(change(*trial)) || !isBufferizable(*trial))
    return failure();
  for (auto [region, changed] :
       llvm::zip_equal(op->getRegions(), trial->getRegions()))
    region.takeBody(changed);
  return success();
}
