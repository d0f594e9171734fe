//===- TPU.cpp - from grid kernels to the body of a Mosaic call -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Pipelines/TPU.h"

#include "dialects/Conversion/Passes.h"
#include "dialects/Grid/IR/Grid.h"
#include "dialects/Grid/Transforms/Passes.h"
#include "dialects/Pipelines/CPU.h"
#include "dialects/Pipelines/Cleanup.h"
#include "dialects/TPU/Checks/Passes.h"
#include "dialects/TPU/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace gridir {

static void addPlanning(OpPassManager &pm) {
  OpPassManager &kernels = pm.nest<grid::KernelOp>();
  kernels.addPass(grid::createGridExpandSelectionsPass());
  kernels.addPass(grid::createGridCanonicalizeIndexMapsPass());
  // Mosaic, and tpu-elide-checks, check each position.
  kernels.addPass(grid::createGridLimitDiscardedLoadsPass());
  addMemoryPlanning(kernels, "tpu");
}

static void addOptimization(OpPassManager &pm,
                            const TPUPipelineOptions &options) {
  // Compute common subexpressions once, so that later passes see equal values
  // as one.
  addCSE(pm);
  pm.addPass(tpu::createTPUSimplifyIndicesPass());
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(tpu::createTPUMatchInstructionsPass());
  functions.addPass(tpu::createTPUExpandMathPass());
  // Before narrow divisions are widened, whose guards would not match.
  functions.addPass(tpu::createTPUExpandDivisionPass());
  functions.addPass(
      tpu::createTPUExpandArithmeticPass(tpu::TPUExpandArithmeticPassOptions{
          options.narrowIntegers, options.narrowVectors}));
  functions.addPass(tpu::createTPUSelectAccumulatorsPass());
  functions.addPass(tpu::createTPULowerLogisticPass(
      tpu::TPULowerLogisticPassOptions{options.logisticUnit}));
  // Reject modules on which Mosaic would abort, or that it would miscompile.
  pm.addPass(tpu::createTPUCheckContractPass());
}

void buildGridToTPUPipeline(OpPassManager &pm,
                            const TPUPipelineOptions &options) {
  if (options.stages.reaches(TPUStage::Planned))
    addPlanning(pm);
  if (options.stages.reaches(TPUStage::Converted))
    pm.addPass(createConvertGridToTPUPass());
  if (options.stages.reaches(TPUStage::Optimized)) {
    addOptimization(pm, options);
    // Must run last: it analyzes the module exactly as Mosaic will see it; only
    // the serialized form changes afterwards.
    if (options.elideChecks)
      pm.addPass(tpu::createTPUElideChecksPass());
    pm.addNestedPass<func::FuncOp>(tpu::createTPUFitSparseCorePass());
  }
  if (options.stages.reaches(TPUStage::Serialized))
    pm.addPass(tpu::createTPUSerializePass(
        tpu::TPUSerializePassOptions{options.version}));
}

void registerTPUPipelines() {
  PassPipelineRegistration<TPUPipelineOptions>(
      "grid-to-tpu", "Lower a grid kernel to the body of a Mosaic TPU call",
      buildGridToTPUPipeline);
  PassPipelineRegistration<CPUPipelineOptions>(
      "tpu-to-cpu", "Lower a Mosaic module to native code for a CPU",
      [](OpPassManager &pm, const CPUPipelineOptions &options) {
        if (options.stages.startAfter == CPUStage::Grid)
          pm.addPass(createConvertTPUToGridPass());
        buildGridToCPUPipeline(pm, options);
      });
}

} // namespace gridir
