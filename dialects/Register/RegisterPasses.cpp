//===- RegisterPasses.cpp - The one list of passes and pipelines ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Register/Register.h"

#include "dialects/CPU/Transforms/Passes.h"
#include "dialects/Conversion/Passes.h"
#include "dialects/GPU/Mapping/Passes.h"
#include "dialects/GPU/Transforms/Passes.h"
#include "dialects/Grid/Transforms/Passes.h"
#include "dialects/Loops/Transforms/Passes.h"
#include "dialects/Pipelines/CPU.h"
#include "dialects/Pipelines/GPU.h"
#include "dialects/Pipelines/TPU.h"
#include "dialects/Pipelines/WarpgroupTasks.h"
#include "dialects/TPU/Checks/Passes.h"
#include "dialects/TPU/Transforms/Passes.h"
#include "dialects/Test/Transforms/Passes.h"
#include "dialects/Warpgroup/Transforms/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/Transforms/Passes.h"
#include "mlir/Dialect/GPU/Pipelines/Passes.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/NVGPU/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/Transforms/Passes.h"
#include "mlir/Dialect/Transform/Transforms/Passes.h"
#include "mlir/Dialect/Vector/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// Registers upstream's transformations of every dialect that gridir registers.
static void registerUpstreamTransforms() {
  registerTransformsPasses();
  affine::registerAffinePasses();
  arith::registerArithPasses();
  bufferization::registerBufferizationPasses();
  func::registerFuncPasses();
  registerLinalgPasses();
  LLVM::registerLLVMPasses();
  math::registerMathPasses();
  memref::registerMemRefPasses();
  registerNVGPUPasses();
  registerSCFPasses();
  tensor::registerTensorPasses();
  transform::registerTransformPasses();
  vector::registerVectorPasses();

  // One by one: the others are for GPUs that gridir has no code generator for.
  registerGpuAsyncRegionPass();
  registerGpuDecomposeMemrefsPass();
  registerGpuEliminateBarriers();
  registerGpuKernelOutliningPass();
  registerGpuLaunchSinkIndexComputationsPass();
  registerGpuMapParallelLoopsPass();
  registerGpuModuleToBinaryPass();
  registerGpuNVVMAttachTarget();
  registerGpuRegisterHostBuffersPass();
}

/// Registers the upstream conversions on the way to a CPU or an NVIDIA GPU; the
/// rest (SPIR-V, ROCDL, EmitC, ...) would add a third to the native library.
static void registerUpstreamConversions() {
  registerArithToLLVMConversionPass();
  registerConvertAffineForToGPUPass();
  registerConvertBufferizationToMemRefPass();
  registerConvertComplexToLLVMPass();
  registerConvertComplexToLibm();
  registerConvertComplexToStandardPass();
  registerConvertControlFlowToLLVMPass();
  registerConvertFuncToLLVMPass();
  registerConvertGpuOpsToNVVMOps();
  registerConvertIndexToLLVMPass();
  registerConvertLinalgToStandardPass();
  registerConvertMathToFuncs();
  registerConvertMathToLLVMPass();
  registerConvertMathToLibmPass();
  registerConvertNVGPUToNVVMPass();
  registerConvertNVVMToLLVMPass();
  registerConvertPDLToPDLInterpPass();
  registerConvertParallelLoopToGpuPass();
  registerConvertTensorToLinalgPass();
  registerConvertToLLVMPass();
  registerConvertVectorToAMX();
  registerConvertVectorToGPU();
  registerConvertVectorToLLVMPass();
  registerConvertVectorToSCF();
  registerFinalizeMemRefToLLVMConversionPass();
  registerGpuToLLVMConversionPass();
  registerLiftControlFlowToSCFPass();
  registerLowerAffinePass();
  registerReconcileUnrealizedCastsPass();
  registerSCFToControlFlowPass();
  registerSetLLVMModuleDataLayoutPass();
  registerUBToLLVMConversionPass();
}

static void registerUpstreamPipelines() {
  bufferization::registerBufferizationPipelines();
  gpu::registerGPUToNVVMPipeline();
}

void gridir::registerAllPasses() {
  static bool registered = [] {
    grid::registerGridPasses();
    registerUpstreamTransforms();
    registerUpstreamConversions();
    registerUpstreamPipelines();
    registerAllTargets();
    registerConversionPasses();
    loops::registerLoopsPasses();
    cpu::registerCPUPasses();
    tpu::registerTPUPasses();
    tpu::registerTPUChecksPasses();
    gridir::gpu::registerGPUMappingPasses();
    gridir::gpu::registerGPUPasses();
    warpgroup::registerWarpgroupPasses();
    test::registerTestPasses();
    registerPlanningPipeline();
    registerWarpgroupTasksPipeline();
    registerCPUPipelines();
    registerTPUPipelines();
    registerGPUPipelines();
    return true;
  }();
  (void)registered;
}
