//===- CPU.h - from grid kernels to native code on a CPU -------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_PIPELINES_CPU_H
#define GRIDIR_DIALECTS_PIPELINES_CPU_H

#include "dialects/Pipelines/Planning.h"
#include "dialects/Pipelines/Stages.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace gridir {

/// The stages of the pipeline, in order.
enum class CPUStage { Grid, Planned, Loops, Bufferized, Vectorized, LLVM };

/// Options of the code generator. The defaults fit any x86-64 machine of the
/// last ten years; the runtime passes the host's features.
struct CPUPipelineOptions
    : public mlir::PassPipelineOptions<CPUPipelineOptions> {
  Option<unsigned> vectorBytes{
      *this, "vector-bytes",
      llvm::cl::desc("Set the width of a vector register in bytes"),
      llvm::cl::init(32)};
  Option<unsigned> vectorRegisters{
      *this, "vector-registers",
      llvm::cl::desc("Set the number of vector registers"), llvm::cl::init(16)};
  Option<int64_t> cacheBytes{
      *this, "cache-bytes",
      llvm::cl::desc("Set the size of the caches in bytes; 0 for no streaming "
                     "stores"),
      llvm::cl::init(0)};
  Option<int64_t> overlapBytes{
      *this, "overlap-bytes",
      llvm::cl::desc("Set the width of registers for overlapping windows of "
                     "large operands in bytes; 0 for that of all"),
      llvm::cl::init(0)};
  ListOption<std::string> dotProducts{
      *this, "dot-products",
      llvm::cl::desc("Set the dot-product instructions")};
  PlanningOptions planning{*this};
  StageOptions<CPUStage> stages{
      *this, CPUStage::Grid, CPUStage::LLVM,
      llvm::cl::values(
          clEnumValN(CPUStage::Grid, "grid", "grid, as the frontend emits it"),
          clEnumValN(CPUStage::Planned, "grid-planned", "grid, with memory"),
          clEnumValN(CPUStage::Loops, "loops", "Loops over tensors in blocks"),
          clEnumValN(CPUStage::Bufferized, "bufferized", "Loops over memrefs"),
          clEnumValN(CPUStage::Vectorized, "vectorized", "Loops over vectors"),
          clEnumValN(CPUStage::LLVM, "llvm", "The llvm dialect"))};
};

/// Adds the part of the pipeline from a kernel as loops (after
/// `convert-grid-to-loops`) to the llvm dialect.
void buildLoopsToCPUPipeline(mlir::OpPassManager &pm,
                             const CPUPipelineOptions &options);

/// Adds the whole pipeline, from a module with a `grid.kernel`.
void buildGridToCPUPipeline(mlir::OpPassManager &pm,
                            const CPUPipelineOptions &options);

/// Registers `grid-to-cpu` and `loops-to-cpu` by name.
void registerCPUPipelines();

} // namespace gridir

#endif // GRIDIR_DIALECTS_PIPELINES_CPU_H
