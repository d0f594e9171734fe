//===- CPU.cpp - from grid kernels to native code on a CPU ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Pipelines/CPU.h"

#include "dialects/CPU/Transforms/Passes.h"
#include "dialects/Conversion/Passes.h"
#include "dialects/Grid/IR/Grid.h"
#include "dialects/Grid/Transforms/Passes.h"
#include "dialects/Loops/Transforms/Passes.h"
#include "dialects/Pipelines/Cleanup.h"
#include "dialects/Pipelines/WarpgroupTasks.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace gridir {
namespace {

/// Canonicalizes ops. Region simplification is disabled: regions consist of one
/// block, so upstream's search for dead and equal blocks would only cost time.
void addCanonicalizer(OpPassManager &pm) {
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  pm.addPass(createCanonicalizerPass(config));
}

/// Tensors to buffers: each value is computed where it is stored, if the
/// program allows it.
void addBufferization(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(loops::createLoopsCanonicalizeBodiesPass());
  addCanonicalizer(pm);
  addCSE(pm);
  // Fuse while values are tensors: their uses determine which ones need a
  // separate loop.
  pm.addNestedPass<func::FuncOp>(loops::createLoopsFuseElementwisePass());
  addCanonicalizer(pm);
  addCSE(pm);
  // Keep a carried tensor in one buffer, so that no iteration allocates.
  pm.addNestedPass<func::FuncOp>(loops::createLoopsAnchorTensorsPass());
  // Compute a value in the memory of its store, if no op in between can observe
  // it.
  pm.addNestedPass<func::FuncOp>(loops::createLoopsComputeInPlacePass());
  pm.addNestedPass<func::FuncOp>(loops::createLoopsEliminateEmptyTensorsPass());
  pm.addPass(bufferization::createOneShotBufferizePass());
  // Run while copies are still single ops and nothing is vectorized.
  pm.addPass(loops::createLoopsWidenStoragePass());
  addCanonicalizer(pm);
  addCSE(pm);
}

/// A second-level cache keeps a smaller right operand of a contraction, and a
/// smaller result.
constexpr int64_t kLeastPrefetchedBytes = 512 << 10;

/// Linalg on memrefs to loops over a few vector registers.
void addVectorization(OpPassManager &pm, const CPUPipelineOptions &options) {
  auto withTarget = [&](auto passOptions) {
    passOptions.vectorBytes = options.vectorBytes;
    passOptions.vectorRegisters = options.vectorRegisters;
    return passOptions;
  };
  // Contractions first: the copies that pack their panels are tiled next.
  auto contractions = withTarget(cpu::CPUTileContractionsPassOptions());
  contractions.dotProducts.assign(options.dotProducts.begin(),
                                  options.dotProducts.end());
  contractions.prefetchBytes =
      options.cacheBytes > 0 ? kLeastPrefetchedBytes : 0;
  pm.addNestedPass<func::FuncOp>(
      cpu::createCPUTileContractionsPass(contractions));
  auto bodies = withTarget(cpu::CPUTileBodyPassOptions());
  bodies.cacheBytes = options.cacheBytes;
  pm.addNestedPass<func::FuncOp>(cpu::createCPUTileBodyPass(bodies));
  pm.addNestedPass<func::FuncOp>(cpu::createCPUVectorizeBodyPass(
      withTarget(cpu::CPUVectorizeBodyPassOptions())));
  // Run while the elements that each iteration writes are still visible in the
  // loops.
  pm.addPass(cpu::createCPUStreamStoresPass({options.cacheBytes}));
  // After every pass that makes a buffer, before any that lowers one.
  pm.addPass(cpu::createCPUPlanArenaPass());
  // A prefetch may be any access to the plan.
  pm.addPass(cpu::createCPUPrefetchReadsPass(
      {options.cacheBytes,
       options.cacheBytes > 0 ? kLeastPrefetchedBytes : 0}));
  pm.addNestedPass<func::FuncOp>(cpu::createCPUNarrowVectorsPass(
      {options.overlapBytes, options.cacheBytes}));
  // After prefetches, which belong to the loops that move through rows.
  pm.addNestedPass<func::FuncOp>(cpu::createCPUUnrollReductionsPass());
}

/// Loops, memrefs, vectors and scalars to the llvm dialect.
void addLowering(OpPassManager &pm) {
  // Convert ops that were not vectorized to scalar loops, which are always
  // correct.
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  // Convert complex arithmetic to arithmetic on pairs of floats.
  pm.addPass(createConvertComplexToStandardPass());
  // Math functions as accurate as XLA's, while vectors are still whole. Those
  // of f16 and bf16 have rules of their own.
  math::MathExtendToSupportedTypesOptions extended;
  SmallVector<std::string> supported{"bf16", "f16"};
  extended.extraTypeStrs = supported;
  pm.addPass(math::createMathExtendToSupportedTypes(extended));
  pm.addPass(cpu::createCPUApproximateMathPass());
  // Arithmetic on bf16 and on floats of a byte is f32 arithmetic that rounds;
  // the conversions are a few integer instructions.
  pm.addPass(loops::createLoopsExpandSmallFloatsPass());
  pm.addPass(loops::createLoopsExpandExtremaPass());
  pm.addPass(loops::createLoopsClampConversionsPass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  expand.includeF8E8M0 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
  // The previous pass makes divisions of those that round in other ways.
  pm.addPass(cpu::createCPUDivideAsFloatsPass());
  pm.addPass(cpu::createCPUResolveViewsPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(cpu::createCPUUnrollTransfersPass());
  pm.addPass(createConvertSCFToBranchesPass());
  addCanonicalizer(pm);
  addCSE(pm);
  // Math before vectors: a vector of a function that only the library has must
  // still be taken apart. Intrinsics before the library: fma, floor and rsqrt
  // are instructions.
  ConvertMathToLLVMPassOptions math;
  math.approximateLog1p = false;
  pm.addPass(createConvertMathToLLVMPass(math));
  pm.addPass(createConvertMathToLibmPass());
  // No fast-math flags: the order of additions is the same on every CPU.
  pm.addPass(cpu::createCPULowerVectorsPass());
  // The lowering of vectors makes new address computations.
  pm.addPass(cpu::createCPUResolveViewsPass());
  pm.addPass(createLowerAffinePass());
  // A memref argument is one pointer: shapes are static, so the runtime hands
  // over XLA's buffers as they are.
  ConvertFuncToLLVMPassOptions functions;
  functions.useBarePtrCallConv = true;
  pm.addPass(createConvertFuncToLLVMPass(functions));
  // Convert the ops whose conversions have no options in one walk.
  ConvertToLLVMPassOptions others;
  SmallVector<std::string> dialects{"amx",   "arith",  "cf", "complex",
                                    "index", "memref", "ub", "vector"};
  others.filterDialects = dialects;
  others.allowPatternRollback = false;
  pm.addPass(createConvertToLLVMPass(others));
  pm.addPass(createReconcileUnrealizedCastsPass());
  // LLVM would keep a bf16 vector that outlives a block as floats.
  pm.addPass(cpu::createCPUMoveAsIntegersPass());
  addCanonicalizer(pm);
  addCSE(pm);
  pm.addPass(cpu::createCPUCheckContractPass());
}

} // namespace

void buildLoopsToCPUPipeline(OpPassManager &pm,
                             const CPUPipelineOptions &options) {
  if (options.stages.reaches(CPUStage::Bufferized))
    addBufferization(pm);
  if (options.stages.reaches(CPUStage::Vectorized))
    addVectorization(pm, options);
  if (options.stages.reaches(CPUStage::LLVM))
    addLowering(pm);
}

void buildGridToCPUPipeline(OpPassManager &pm,
                            const CPUPipelineOptions &options) {
  if (options.stages.reaches(CPUStage::Planned)) {
    buildWarpgroupsAsTasksPipeline(pm);
    addPlanning(pm, "cpu", options.planning);
  }
  if (options.stages.reaches(CPUStage::Loops)) {
    // The plan runs before, so that its remarks refer to the kernel's own
    // blocks.
    pm.addNestedPass<grid::KernelOp>(grid::createGridFlattenBlocksPass());
    pm.addNestedPass<grid::KernelOp>(grid::createGridWidenBlocksPass());
    pm.addPass(createConvertGridToLoopsPass(
        {options.planning.has(RunTimeCheck::Bounds)}));
    // Before fusion, which makes producers part of the first reduction. Its
    // result would be shared memory on a GPU, which has little.
    pm.addNestedPass<func::FuncOp>(loops::createLoopsSplitReductionsPass());
  }
  buildLoopsToCPUPipeline(pm, options);
}

void registerCPUPipelines() {
  PassPipelineRegistration<CPUPipelineOptions>(
      "grid-to-cpu", "Lower a grid kernel to native code for a CPU",
      buildGridToCPUPipeline);
  PassPipelineRegistration<CPUPipelineOptions>(
      "loops-to-cpu",
      "Lower a kernel in the form of loops to native code for a CPU",
      buildLoopsToCPUPipeline);
}

} // namespace gridir
