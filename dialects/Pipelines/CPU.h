//===- CPU.h - from grid kernels to native code on a CPU -------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_PIPELINES_CPU_H
#define GRIDIR_DIALECTS_PIPELINES_CPU_H

#include "dialects/Pipelines/Stages.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace gridir {

/// The optional checks of a running kernel.
enum class CPUCheck { Uninitialized, Races, Semaphores, Bounds };

/// The names of checks in a list of them.
class CPUCheckParser : public llvm::cl::parser<CPUCheck> {
public:
  using parser::parser;

  /// Called after the option has its name; otherwise the values would be
  /// registered as options.
  void initialize() {
    addLiteralOption("uninitialized", CPUCheck::Uninitialized,
                     "Find reads of uninitialized memory");
    addLiteralOption("races", CPUCheck::Races, "Find unordered accesses");
    addLiteralOption("semaphores", CPUCheck::Semaphores,
                     "Find semaphores that are not zero at the end");
    addLiteralOption("bounds", CPUCheck::Bounds,
                     "Check also out-of-bounds loads whose value may be "
                     "discarded, and accesses with disabled bounds checks");
  }
  static void print(llvm::raw_ostream &stream, CPUCheck check) {
    static constexpr llvm::StringLiteral kNames[] = {"uninitialized", "races",
                                                     "semaphores", "bounds"};
    stream << kNames[static_cast<unsigned>(check)];
  }
};

/// The initial contents of memory.
enum class CPUFill { None, NaN, Poison, Zero };

/// The stages of the pipeline, in order.
enum class CPUStage { Grid, Planned, Loops, Bufferized, Vectorized, LLVM };

/// Options of the code generator. The defaults fit any x86-64 machine of the
/// last ten years; the runtime passes the host's features.
struct CPUPipelineOptions
    : public mlir::PassPipelineOptions<CPUPipelineOptions> {
  /// The target whose blocks and memory are planned, for pipelines that begin
  /// with this one.
  std::string target = "cpu";

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
  ListOption<std::string> dotProducts{
      *this, "dot-products",
      llvm::cl::desc("Set the dot-product instructions")};
  ListOption<CPUCheck, CPUCheckParser> checks{
      *this, "checks", llvm::cl::desc("Check the kernel at run time")};
  Option<int64_t> scheduleSeed{
      *this, "schedule-seed",
      llvm::cl::desc("Run programs and copies as tasks, in a pseudo-random "
                     "order with this seed; negative for program order"),
      llvm::cl::init(-1)};
  Option<bool> testBlocks{
      *this, "test-blocks",
      llvm::cl::desc(
          "Let each call test claims that depend on prefetched scalars"),
      llvm::cl::init(true)};
  Option<CPUFill> fillMemory{
      *this, "fill-memory", llvm::cl::desc("Fill uninitialized memory"),
      llvm::cl::init(CPUFill::None),
      llvm::cl::values(
          clEnumValN(CPUFill::None, "none", "Leave it"),
          clEnumValN(CPUFill::NaN, "nan", "NaN, or the highest integer"),
          clEnumValN(CPUFill::Poison, "poison",
                     "NaN, true or the lowest integer"),
          clEnumValN(CPUFill::Zero, "zero", "Zero"))};
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
