//===- Warpgroup.cpp - from warpgroup programs to PTX ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Pipelines/Warpgroup.h"

#include "dialects/Conversion/Passes.h"
#include "dialects/GPU/Transforms/Passes.h"
#include "dialects/Pipelines/Cleanup.h"
#include "dialects/Pipelines/GPU.h"
#include "dialects/Warpgroup/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace gridir {

void addWarpgroupLayouts(OpPassManager &pm) {
  pm.addPass(warpgroup::createWarpgroupShareMembersPass());
  // Offsets that are known make addresses that are known.
  pm.addPass(createCanonicalizerPass());
  addCSE(pm);
  pm.addPass(warpgroup::createWarpgroupInferLayoutsPass());
  // The number of registers of an array depends on its layout.
  pm.addPass(warpgroup::createWarpgroupSplitStoresPass());
}

void addWarpgroupMemory(OpPassManager &pm, StringRef chip) {
  warpgroup::WarpgroupPlanMemoryPassOptions memory;
  memory.chip = chip.str();
  pm.addPass(warpgroup::createWarpgroupPlanMemoryPass(memory));
  // The plan specifies which Refs share bytes.
  pm.addPass(warpgroup::createWarpgroupInsertProxyFencesPass());
}

void addWarpgroupConversion(OpPassManager &pm, StringRef chip) {
  ConvertWarpgroupToNVVMPassOptions conversion;
  conversion.chip = chip.str();
  pm.addPass(createConvertWarpgroupToNVVMPass(conversion));
  pm.addPass(createCanonicalizerPass());
  addCSE(pm);
  pm.addPass(gpu::createGPUCarryAlternatingPass());
  addCSE(pm);
}

void buildWarpgroupToGPUPipeline(OpPassManager &pm,
                                 const WarpgroupPipelineOptions &options) {
  const StageOptions<WarpgroupStage> &stages = options.stages;
  if (stages.reaches(WarpgroupStage::Layouts))
    addWarpgroupLayouts(pm);
  if (stages.reaches(WarpgroupStage::Planned))
    addWarpgroupMemory(pm, options.chip);
  if (stages.reaches(WarpgroupStage::GPU))
    addWarpgroupConversion(pm, options.chip);
  if (stages.reaches(WarpgroupStage::NVVM))
    // Use 32-bit indices: no array of such a kernel needs more, and 64-bit
    // arithmetic takes twice the instructions, without uniform registers.
    addGPULowering(pm, options.chip, options.toolkit, /*indexBitwidth=*/32);
  if (stages.reaches(WarpgroupStage::PTX))
    addPTX(pm, options.toolkit);
}

void registerWarpgroupPipelines() {
  PassPipelineRegistration<WarpgroupPipelineOptions>(
      "warpgroup-to-gpu",
      "Lower a kernel whose threads are warpgroups to PTX for an NVIDIA GPU",
      buildWarpgroupToGPUPipeline);
}

} // namespace gridir
