//===- Planning.h - planning of kernels for any target ----------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_PIPELINES_PLANNING_H
#define GRIDIR_DIALECTS_PIPELINES_PLANNING_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace gridir {

/// The optional checks of a running kernel.
enum class RunTimeCheck { Uninitialized, Races, Semaphores, Bounds };

/// The names of checks in a list of them.
class RunTimeCheckParser : public llvm::cl::parser<RunTimeCheck> {
public:
  using parser::parser;

  /// Called after the option has its name; otherwise the values would be
  /// registered as options.
  void initialize() {
    addLiteralOption("uninitialized", RunTimeCheck::Uninitialized,
                     "Find reads of uninitialized memory");
    addLiteralOption("races", RunTimeCheck::Races, "Find unordered accesses");
    addLiteralOption("semaphores", RunTimeCheck::Semaphores,
                     "Find semaphores that are not zero at the end");
    addLiteralOption("bounds", RunTimeCheck::Bounds,
                     "Check also out-of-bounds loads whose value may be "
                     "discarded, and accesses with disabled bounds checks");
  }
  static void print(llvm::raw_ostream &stream, RunTimeCheck check) {
    static constexpr llvm::StringLiteral kNames[] = {"uninitialized", "races",
                                                     "semaphores", "bounds"};
    stream << kNames[static_cast<unsigned>(check)];
  }
};

/// The initial contents of memory.
enum class InitialMemory { None, NaN, Poison, Zero };

/// The options of planning, which register themselves in the options of a
/// pipeline.
struct PlanningOptions {
  explicit PlanningOptions(mlir::detail::PassOptions &owner);

  /// True if the check is enabled.
  bool has(RunTimeCheck check) const {
    return llvm::is_contained(checks, check);
  }

  mlir::detail::PassOptions::ListOption<RunTimeCheck, RunTimeCheckParser>
      checks;
  mlir::detail::PassOptions::Option<int64_t> scheduleSeed;
  mlir::detail::PassOptions::Option<bool> testBlocks;
  mlir::detail::PassOptions::Option<InitialMemory> fillMemory;
};

/// Options of the pipeline `grid-plan`.
struct PlanningPipelineOptions
    : public mlir::PassPipelineOptions<PlanningPipelineOptions> {
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("Set the target: cpu or gpu, or a chip such as "
                     "gpu:sm_90a"),
      llvm::cl::init("cpu")};
  PlanningOptions planning{*this};
};

/// Adds the passes that need the grid of a kernel, before it becomes loops.
/// They plan tasks, parallel dimensions, run-time checks and memory. `target`
/// is the full name of a target, such as "gpu:sm_90a".
void addPlanning(mlir::OpPassManager &pm, llvm::StringRef target,
                 const PlanningOptions &options);

/// Adds the passes on a `grid.kernel` that check its blocks and plan its memory
/// for a target.
void addMemoryPlanning(mlir::OpPassManager &kernels, llvm::StringRef target);

/// Registers `grid-plan` by name.
void registerPlanningPipeline();

} // namespace gridir

#endif // GRIDIR_DIALECTS_PIPELINES_PLANNING_H
