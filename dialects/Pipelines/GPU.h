//===- GPU.h - from grid kernels to PTX for an NVIDIA GPU ------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_PIPELINES_GPU_H
#define GRIDIR_DIALECTS_PIPELINES_GPU_H

#include "dialects/Pipelines/Stages.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace gridir {

/// The stages of the pipeline, in order.
enum class GPUStage {
  Grid,
  Planned,
  Program,
  Layouts,
  Memory,
  Loops,
  Bufferized,
  Mapped,
  GPU,
  NVVM,
  PTX
};

/// The passes that lower a kernel of blocks.
enum class GPUPath { Auto, Mapped };

/// The target of a kernel and its toolkit.
struct GPUPipelineOptions
    : public mlir::PassPipelineOptions<GPUPipelineOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("Set the chip, with LLVM's name"),
                           llvm::cl::init("sm_90a")};
  Option<unsigned> numWarps{
      *this, "num-warps",
      llvm::cl::desc(
          "Set the warps of a CTA; 0 for the kernel's own number, or 4"),
      llvm::cl::init(0)};
  Option<GPUPath> path{
      *this, "path",
      llvm::cl::desc("Set the passes that lower a kernel of blocks"),
      llvm::cl::init(GPUPath::Auto),
      llvm::cl::values(
          clEnumValN(GPUPath::Auto, "auto",
                     "As a warpgroup program if it can become one"),
          clEnumValN(GPUPath::Mapped, "mapped",
                     "Mapped to CTAs and threads, without matrix units"))};
  Option<std::string> schedule{
      *this, "schedule",
      llvm::cl::desc("Set the schedule of kernels that have none, as the text "
                     "of a #warpgroup.schedule; by default it is chosen"),
      llvm::cl::init("")};
  Option<int64_t> workspaceLimit{
      *this, "workspace-limit",
      llvm::cl::desc(
          "Limit the global memory for temporaries of all CTAs, in bytes"),
      llvm::cl::init(int64_t(1) << 30)};
  Option<std::string> toolkit{
      *this, "toolkit",
      llvm::cl::desc(
          "Set the directory of a CUDA toolkit whose libdevice computes math "
          "functions; by default gridir's own code does"),
      llvm::cl::init("")};
  StageOptions<GPUStage> stages{
      *this, GPUStage::Grid, GPUStage::PTX,
      llvm::cl::values(
          clEnumValN(GPUStage::Grid, "grid", "grid, as the frontend emits it"),
          clEnumValN(GPUStage::Planned, "grid-planned", "grid, with memory"),
          clEnumValN(GPUStage::Program, "program",
                     "A warpgroup program, or a kernel to map to threads"),
          clEnumValN(GPUStage::Layouts, "layouts",
                     "A warpgroup program with a layout of each array"),
          clEnumValN(GPUStage::Memory, "memory",
                     "A warpgroup program with offsets in shared memory"),
          clEnumValN(GPUStage::Loops, "loops",
                     "Loops over tensors in blocks; the code of a thread of a "
                     "warpgroup program"),
          clEnumValN(GPUStage::Bufferized, "bufferized", "Loops over memrefs"),
          clEnumValN(GPUStage::Mapped, "mapped", "Loops over CTAs and threads"),
          clEnumValN(GPUStage::GPU, "gpu", "A kernel of the gpu dialect"),
          clEnumValN(GPUStage::NVVM, "nvvm", "The llvm and nvvm dialects"),
          clEnumValN(GPUStage::PTX, "ptx", "PTX in a gpu.binary"))};
};

/// Adds the part of the pipeline from a mapped kernel (see
/// `gpu-check-contract`) to PTX.
void buildMappedToGPUPipeline(mlir::OpPassManager &pm,
                              const GPUPipelineOptions &options);

/// Adds the whole pipeline, from a module with a `grid.kernel`.
void buildGridToGPUPipeline(mlir::OpPassManager &pm,
                            const GPUPipelineOptions &options);

/// Registers `grid-to-gpu` and `mapped-to-gpu` by name.
void registerGPUPipelines();

} // namespace gridir

#endif // GRIDIR_DIALECTS_PIPELINES_GPU_H
