//===- Warpgroup.h - from warpgroup programs to PTX ------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_PIPELINES_WARPGROUP_H
#define GRIDIR_DIALECTS_PIPELINES_WARPGROUP_H

#include "dialects/Pipelines/Stages.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace gridir {

/// The stages of the pipeline of warpgroup kernels, in order.
enum class WarpgroupStage { Grid, Layouts, Planned, GPU, NVVM, PTX };

/// The target of a kernel and its toolkit.
struct WarpgroupPipelineOptions
    : public mlir::PassPipelineOptions<WarpgroupPipelineOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("Set the chip, with LLVM's name"),
                           llvm::cl::init("sm_90a")};
  Option<std::string> toolkit{
      *this, "toolkit",
      llvm::cl::desc(
          "Set the directory of a CUDA toolkit whose libdevice computes math "
          "functions; by default gridir's own code does"),
      llvm::cl::init("")};
  StageOptions<WarpgroupStage> stages{
      *this, WarpgroupStage::Grid, WarpgroupStage::PTX,
      llvm::cl::values(
          clEnumValN(WarpgroupStage::Grid, "grid",
                     "grid and warpgroup, as the frontend emits them"),
          clEnumValN(WarpgroupStage::Layouts, "layouts",
                     "grid and warpgroup, with a layout of each array"),
          clEnumValN(WarpgroupStage::Planned, "grid-planned",
                     "grid and warpgroup, with offsets in shared memory"),
          clEnumValN(WarpgroupStage::GPU, "gpu",
                     "The code of a thread, in a gpu.module"),
          clEnumValN(WarpgroupStage::NVVM, "nvvm",
                     "The llvm and nvvm dialects"),
          clEnumValN(WarpgroupStage::PTX, "ptx", "PTX in a gpu.binary"))};
};

/// Adds the whole pipeline, from a module with a `grid.kernel`.
/// The layout of each array of a warpgroup program.
void addWarpgroupLayouts(mlir::OpPassManager &pm);

/// The offsets of its Refs, and fences between accesses to them.
void addWarpgroupMemory(mlir::OpPassManager &pm, llvm::StringRef chip);

/// The code of a thread.
void addWarpgroupConversion(mlir::OpPassManager &pm, llvm::StringRef chip);

void buildWarpgroupToGPUPipeline(mlir::OpPassManager &pm,
                                 const WarpgroupPipelineOptions &options);

/// Registers `warpgroup-to-gpu` by name.
void registerWarpgroupPipelines();

} // namespace gridir

#endif // GRIDIR_DIALECTS_PIPELINES_WARPGROUP_H
