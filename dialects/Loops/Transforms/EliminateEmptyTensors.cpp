//===- EliminateEmptyTensors.cpp - compute where a value is inserted ------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Transforms/Passes.h"
#include "dialects/Loops/Transforms/TrialBufferization.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"

namespace gridir::loops {
#define GEN_PASS_DEF_LOOPSELIMINATEEMPTYTENSORSPASS
#include "dialects/Loops/Transforms/Passes.h.inc"
} // namespace gridir::loops

using namespace mlir;

namespace {

LogicalResult eliminate(Operation *op) {
  bufferization::OneShotBufferizationOptions options;
  options.allowReturnAllocsFromLoops = true;
  bufferization::OneShotAnalysisState state(op, options);
  IRRewriter rewriter(op->getContext());
  return failure(
      failed(bufferization::analyzeOp(op, state)) ||
      failed(bufferization::eliminateEmptyTensors(rewriter, op, state)));
}

class LoopsEliminateEmptyTensorsPass
    : public gridir::loops::impl::LoopsEliminateEmptyTensorsPassBase<
          LoopsEliminateEmptyTensorsPass> {
public:
  using LoopsEliminateEmptyTensorsPassBase::LoopsEliminateEmptyTensorsPassBase;

  void runOnOperation() override {
    Operation *op = getOperation();
    if (!gridir::loops::handsOnTensors(op)) {
      if (failed(eliminate(op)))
        signalPassFailure();
    } else if (failed(gridir::loops::changeIfBufferizable(op, eliminate))) {
      ++numKept;
    }
  }
};

} // namespace
