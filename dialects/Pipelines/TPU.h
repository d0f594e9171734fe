//===- TPU.h - from grid kernels to the body of a Mosaic call --*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_PIPELINES_TPU_H
#define GRIDIR_DIALECTS_PIPELINES_TPU_H

#include "dialects/Pipelines/Stages.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace gridir {

/// The stages of the pipeline, in order.
enum class TPUStage { Grid, Planned, Converted, Optimized, Serialized };

struct TPUPipelineOptions
    : public mlir::PassPipelineOptions<TPUPipelineOptions> {
  Option<int64_t> version{
      *this, "version",
      llvm::cl::desc("Set the version of the form that Mosaic reads"),
      llvm::cl::init(13)};
  Option<bool> elideChecks{
      *this, "elide-checks",
      llvm::cl::desc("Find the run-time checks that a proof makes unnecessary"),
      llvm::cl::init(true)};
  Option<bool> logisticUnit{
      *this, "logistic-unit",
      llvm::cl::desc("Compute the logistic function with the chip's unit"),
      llvm::cl::init(false)};
  Option<bool> narrowIntegers{
      *this, "narrow-integers",
      llvm::cl::desc("Shift and compare narrow integers without widening them"),
      llvm::cl::init(false)};
  Option<bool> narrowVectors{
      *this, "narrow-vectors",
      llvm::cl::desc("Compute with narrow vectors without widening them"),
      llvm::cl::init(false)};
  StageOptions<TPUStage> stages{
      *this, TPUStage::Grid, TPUStage::Serialized,
      llvm::cl::values(
          clEnumValN(TPUStage::Grid, "grid", "grid, as the frontend emits it"),
          clEnumValN(TPUStage::Planned, "grid-planned",
                     "grid, with blocks that a TPU can hold"),
          clEnumValN(TPUStage::Converted, "convert-grid-to-tpu",
                     "The tpu dialect, as converted"),
          clEnumValN(TPUStage::Optimized, "tpu",
                     "The tpu dialect, optimized and checked"),
          clEnumValN(TPUStage::Serialized, "tpu-serialized",
                     "The form that Mosaic reads"))};
};

/// Adds the whole pipeline, from a module with a `grid.kernel`.
void buildGridToTPUPipeline(mlir::OpPassManager &pm,
                            const TPUPipelineOptions &options);

/// Registers `grid-to-tpu`, and `tpu-to-cpu`, which executes its output.
void registerTPUPipelines();

} // namespace gridir

#endif // GRIDIR_DIALECTS_PIPELINES_TPU_H
