//===- GPU.cpp - from grid kernels to PTX for an NVIDIA GPU ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Pipelines/GPU.h"

#include "dialects/Conversion/Passes.h"
#include "dialects/GPU/Mapping/Passes.h"
#include "dialects/GPU/Target/Chip.h"
#include "dialects/GPU/Transforms/Passes.h"
#include "dialects/Grid/Transforms/Passes.h"
#include "dialects/Loops/Transforms/Passes.h"
#include "dialects/Pipelines/CPU.h"
#include "dialects/Pipelines/Cleanup.h"
#include "dialects/Warpgroup/Transforms/Passes.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace gridir {
namespace {

/// Returns the corresponding stage of the CPU pipeline, at most the last one
/// that both pipelines share.
CPUStage getTensorStage(GPUStage stage) {
  switch (stage) {
  case GPUStage::Grid:
    return CPUStage::Grid;
  case GPUStage::Planned:
  case GPUStage::Program:
  case GPUStage::Layouts:
  case GPUStage::Memory:
    return CPUStage::Planned;
  case GPUStage::Loops:
    return CPUStage::Loops;
  default:
    return CPUStage::Bufferized;
  }
}

/// Planning for a chip. The number of CTAs must not depend on the contents of
/// arrays.
void addChipPlanning(OpPassManager &pm, const std::string &chip) {
  // More programs are proved independent by windows than by single elements.
  // Equal positions are one value, here and in the passes on windows.
  OpPassManager &kernels = pm.nest<grid::KernelOp>();
  addCSE(kernels);
  kernels.addPass(grid::createGridGathersToWindowsPass());
  PlanningPipelineOptions options;
  options.planning.testBlocks = false;
  addPlanning(pm, "gpu:" + chip, options.planning);
}

/// The passes that the CPU pipeline shares: the grid becomes loops, tensors
/// become memory.
void addTensorStages(OpPassManager &pm, CPUStage startAfter,
                     CPUStage stopAfter) {
  CPUPipelineOptions options;
  options.stages.startAfter = startAfter;
  options.stages.stopAfter = stopAfter;
  if (options.stages.reaches(CPUStage::Loops))
    pm.addPass(createConvertGridToLoopsPass());
  buildLoopsToCPUPipeline(pm, options);
}

/// Kernels of blocks that tensor cores or wide accesses make faster become
/// warpgroup programs, as the kernels of Pallas' Mosaic GPU backend are. The
/// others are left to the passes that map them to threads.
void addProgram(OpPassManager &pm, const GPUPipelineOptions &options) {
  OpPassManager &kernels = pm.nest<grid::KernelOp>();
  if (options.path != GPUPath::Mapped) {
    kernels.addPass(grid::createGridExpandValuesPass());
    kernels.addPass(grid::createGridHoistScopesPass());
    // Rows of one contraction are more than those of a part of it.
    kernels.addPass(grid::createGridMergeDimensionsPass());
    kernels.addPass(warpgroup::createWarpgroupSplitBatchesPass());
  }
  kernels.addPass(grid::createGridFlattenBlocksPass());
  kernels.addPass(grid::createGridSqueezeBlocksPass());
  if (options.path != GPUPath::Mapped)
    kernels.addPass(warpgroup::createWarpgroupExtendBlocksPass());
  kernels.addPass(grid::createGridGathersToWindowsPass());
  if (options.path != GPUPath::Mapped)
    kernels.addPass(grid::createGridExpandScattersPass());
  kernels.addPass(grid::createGridSlicesToWindowsPass());
  kernels.addPass(grid::createGridDropMasksPass());
  if (options.path != GPUPath::Mapped) {
    warpgroup::WarpgroupWindowBlocksPassOptions windows;
    windows.chip = options.chip;
    pm.addPass(warpgroup::createWarpgroupWindowBlocksPass(windows));
  }
  OpPassManager &programs = pm.nest<grid::KernelOp>();
  if (options.path != GPUPath::Mapped) {
    // Passes before this one compare positions by their values.
    programs.addPass(grid::createGridRematerializePositionsPass());
    warpgroup::WarpgroupPadBlocksPassOptions padding;
    padding.chip = options.chip;
    programs.addPass(warpgroup::createWarpgroupPadBlocksPass(padding));
  }
  if (options.path != GPUPath::Mapped) {
    // A program of warpgroups checks positions of windows, not of elements.
    grid::GridLimitDiscardedLoadsPassOptions loads;
    loads.gathers = true;
    programs.addPass(grid::createGridLimitDiscardedLoadsPass(loads));
  }
  warpgroup::WarpgroupPrepareContractionsPassOptions contractions;
  contractions.chip = options.chip;
  programs.addPass(
      warpgroup::createWarpgroupPrepareContractionsPass(contractions));
  if (options.path != GPUPath::Mapped) {
    warpgroup::WarpgroupSplitReductionsPassOptions reductions;
    reductions.chip = options.chip;
    programs.addPass(warpgroup::createWarpgroupSplitReductionsPass(reductions));
  }
  warpgroup::WarpgroupChooseSchedulePassOptions schedule;
  schedule.chip = options.chip;
  schedule.numWarps = options.numWarps;
  schedule.mapped = options.path == GPUPath::Mapped;
  schedule.schedule = options.schedule;
  programs.addPass(warpgroup::createWarpgroupChooseSchedulePass(schedule));
  programs.addPass(warpgroup::createWarpgroupCheckWindowsPass());
  programs.addPass(warpgroup::createWarpgroupExpandContractionsPass());
  programs.addPass(warpgroup::createWarpgroupStageOperandsPass());
  programs.addPass(warpgroup::createWarpgroupSplitBlocksPass());
  warpgroup::WarpgroupAssignTensorMemoryPassOptions accumulators;
  accumulators.chip = options.chip;
  programs.addPass(
      warpgroup::createWarpgroupAssignTensorMemoryPass(accumulators));
  // Parts of a program check their own indices.
  programs.addPass(warpgroup::createWarpgroupCheckGathersPass());
  ConvertGridToWarpgroupPassOptions conversion;
  conversion.chip = options.chip;
  pm.addPass(createConvertGridToWarpgroupPass(conversion));
  // The loop does nothing of the first and the last step.
  pm.addNestedPass<grid::KernelOp>(arith::createIntRangeOptimizationsPass());
}

/// The layout of each array of a warpgroup program.
void addLayouts(OpPassManager &pm) {
  pm.addPass(warpgroup::createWarpgroupShareMembersPass());
  // Offsets that are known make addresses that are known.
  pm.addPass(createCanonicalizerPass());
  addCSE(pm);
  // The cost of accesses of shared memory depends on its layouts.
  pm.addPass(warpgroup::createWarpgroupAssignSharedLayoutsPass());
  pm.addPass(warpgroup::createWarpgroupInferLayoutsPass());
  // The number of registers of an array depends on its layout.
  pm.addPass(warpgroup::createWarpgroupSplitStoresPass());
  // The layout specifies which summands are in other threads.
  pm.addNestedPass<grid::KernelOp>(
      warpgroup::createWarpgroupDeferReductionsPass());
}

/// The offsets of the Refs of a warpgroup program, and fences between accesses
/// to them.
void addProgramMemory(OpPassManager &pm, StringRef chip) {
  warpgroup::WarpgroupPlanMemoryPassOptions memory;
  memory.chip = chip.str();
  pm.addPass(warpgroup::createWarpgroupPlanMemoryPass(memory));
  // The plan specifies which Refs share bytes.
  pm.addPass(warpgroup::createWarpgroupInsertProxyFencesPass());
  warpgroup::WarpgroupSpillAccumulatorsPassOptions accumulators;
  accumulators.chip = chip.str();
  pm.addPass(warpgroup::createWarpgroupSpillAccumulatorsPass(accumulators));
  // A fence synchronizes threads, too.
  pm.addPass(warpgroup::createWarpgroupInsertBarriersPass());
  pm.addNestedPass<grid::KernelOp>(
      warpgroup::createWarpgroupAssignPhasesPass());
}

/// A warpgroup program to the code of a thread.
void addProgramConversion(OpPassManager &pm, StringRef chip) {
  ConvertWarpgroupToNVVMPassOptions conversion;
  conversion.chip = chip.str();
  pm.addPass(createConvertWarpgroupToNVVMPass(conversion));
  pm.addPass(createCanonicalizerPass());
  addCSE(pm);
  pm.addPass(gpu::createGPUCarryAlternatingPass());
  addCSE(pm);
}

/// Loops over memrefs to a mapped kernel: a program on a CTA, each op on arrays
/// on all of its threads.
void addMapping(OpPassManager &pm, const GPUPipelineOptions &options) {
  pm.addPass(gpu::createGPUMapBlocksPass());
  gpu::GPUMapThreadsPassOptions threads;
  threads.numWarps = options.numWarps;
  pm.addPass(gpu::createGPUMapThreadsPass(threads));
}

/// The memory and the error report of a mapped kernel from any mapper.
void addMappedMemory(OpPassManager &pm, const GPUPipelineOptions &options) {
  pm.addPass(gpu::createGPUCheckContractPass());
  pm.addPass(gpu::createGPUAtomicReportsPass());
  // After every pass that makes a buffer.
  gpu::GPUPlanMemoryPassOptions memory;
  memory.chip = options.chip;
  memory.workspaceLimit = options.workspaceLimit;
  pm.addPass(gpu::createGPUPlanMemoryPass(memory));
  pm.addPass(createCanonicalizerPass());
  addCSE(pm);
}

/// Kernels in a `gpu.module`, from any producer, to the llvm and nvvm dialects.
/// Math functions are those of libdevice if a toolkit is named, otherwise
/// gridir's own code.
void addGPULowering(OpPassManager &pm, StringRef chip, StringRef toolkit) {
  bool libdevice = !toolkit.empty();
  OpPassManager &module = pm.nest<mlir::gpu::GPUModuleOp>();
  // Functions of narrow floats are those of f32, rounded.
  module.addPass(math::createMathExtendToSupportedTypes());
  if (!libdevice)
    module.addPass(gpu::createGPUExpandMathPass());
  gpu::GPUApproximateMathPassOptions math;
  math.libdevice = libdevice;
  module.addPass(gpu::createGPUApproximateMathPass(math));
  // bf16 and floats of a byte are stored, and computed with as f32 that is
  // rounded; f16 is computed with.
  module.addPass(loops::createLoopsExpandSmallFloatsPass());
  module.addPass(loops::createLoopsExpandExtremaPass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeF8E8M0 = true;
  module.addPass(arith::createArithExpandOpsPass(expand));
  module.addPass(memref::createExpandStridedMetadataPass());
  module.addPass(createLowerAffinePass());
  module.addPass(createConvertSCFToBranchesPass());
  module.addPass(createCanonicalizerPass());
  addCSE(module);
  // Before the conversion of gpu ops, which would call libdevice for functions
  // that are instructions.
  if (!libdevice)
    module.addPass(gpu::createGPUConvertArithPass());
  ConvertGpuOpsToNVVMOpsOptions nvvm;
  // A memref argument is one pointer: shapes are static.
  nvvm.useBarePtrCallConv = true;
  module.addPass(createConvertGpuOpsToNVVMOps(nvvm));
  // Ops of nvvm that are inline assembly.
  module.addPass(createConvertNVVMToLLVMPass());
  module.addPass(createReconcileUnrealizedCastsPass());
  module.addPass(createCanonicalizerPass());
  addCSE(module);

  GpuNVVMAttachTargetOptions target;
  target.chip = chip.str();
  target.optLevel = 3;
  if (const gpu::Chip *known = gpu::lookupChip(chip))
    target.features = known->ptxFeature.str();
  pm.addPass(createGpuNVVMAttachTarget(target));
}

/// The llvm and nvvm dialects to PTX.
void addPTX(OpPassManager &pm, StringRef toolkit) {
  // The lines of the author's file become `.loc`, without other debug
  // information.
  LLVM::DIScopeForLLVMFuncOpPassOptions lines;
  lines.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
  pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass(lines));
  gpu::GPUEmitPTXPassOptions ptx;
  ptx.toolkitPath = toolkit.str();
  pm.addPass(gpu::createGPUEmitPTXPass(ptx));
}

} // namespace

void buildMappedToGPUPipeline(OpPassManager &pm,
                              const GPUPipelineOptions &options) {
  const StageOptions<GPUStage> &stages = options.stages;
  if (stages.reaches(GPUStage::Mapped))
    addMappedMemory(pm, options);
  if (stages.reaches(GPUStage::GPU)) {
    pm.addPass(gpu::createGPULowerPrintsPass());
    pm.addPass(gpu::createGPUOutlineKernelPass());
    pm.addPass(createCanonicalizerPass());
    addCSE(pm);
  }
  if (stages.reaches(GPUStage::NVVM))
    addGPULowering(pm, options.chip, options.toolkit);
  if (stages.reaches(GPUStage::PTX))
    addPTX(pm, options.toolkit);
}

void buildGridToGPUPipeline(OpPassManager &pm,
                            const GPUPipelineOptions &options) {
  if (options.stages.reaches(GPUStage::Planned)) {
    pm.addNestedPass<grid::KernelOp>(grid::createGridCompleteCopiesPass());
    // Reject unsupported kernels while operands have names.
    gpu::GPULegalizeKernelPassOptions legalize;
    legalize.chip = options.chip;
    pm.addPass(gpu::createGPULegalizeKernelPass(legalize));
  }
  const StageOptions<GPUStage> &stages = options.stages;
  CPUStage first = getTensorStage(stages.startAfter),
           last = getTensorStage(stages.stopAfter);
  if (stages.reaches(GPUStage::Planned))
    addChipPlanning(pm, options.chip.getValue());
  if (stages.reaches(GPUStage::Program))
    addProgram(pm, options);
  if (stages.reaches(GPUStage::Layouts))
    addLayouts(pm);
  if (stages.reaches(GPUStage::Memory))
    addProgramMemory(pm, options.chip);
  // While only its arrays are tensors: bufferization takes all of a module.
  if (stages.reaches(GPUStage::Loops))
    addProgramConversion(pm, options.chip);
  addTensorStages(pm, std::max(first, CPUStage::Planned), last);
  if (options.stages.reaches(GPUStage::Mapped))
    addMapping(pm, options);
  buildMappedToGPUPipeline(pm, options);
}

void registerGPUPipelines() {
  PassPipelineRegistration<GPUPipelineOptions>(
      "grid-to-gpu", "Lower a grid kernel to PTX for an NVIDIA GPU",
      buildGridToGPUPipeline);
  PassPipelineRegistration<GPUPipelineOptions>(
      "mapped-to-gpu",
      "Lower a kernel that is already mapped to CTAs and threads to PTX",
      buildMappedToGPUPipeline);
}

} // namespace gridir
