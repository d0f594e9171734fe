//===- Planning.cpp - planning of kernels for any target ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Pipelines/Planning.h"

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Grid/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace gridir {
namespace {

/// A check fills memory if no option specifies a value.
grid::MemoryFill getFill(InitialMemory fill) {
  switch (fill) {
  case InitialMemory::None:
  case InitialMemory::NaN:
    return grid::MemoryFill::NaN;
  case InitialMemory::Poison:
    return grid::MemoryFill::Poison;
  case InitialMemory::Zero:
    return grid::MemoryFill::Zero;
  }
  llvm_unreachable("all fills are handled");
}

} // namespace

PlanningOptions::PlanningOptions(detail::PassOptions &owner)
    : checks(owner, "checks", llvm::cl::desc("Check the kernel at run time")),
      scheduleSeed(owner, "schedule-seed",
                   llvm::cl::desc("Run programs and copies as tasks, in a "
                                  "pseudo-random order with this seed; "
                                  "negative for program order"),
                   llvm::cl::init(-1)),
      testBlocks(owner, "test-blocks",
                 llvm::cl::desc("Let each call test claims that depend on "
                                "prefetched scalars"),
                 llvm::cl::init(true)),
      fillMemory(
          owner, "fill-memory", llvm::cl::desc("Fill uninitialized memory"),
          llvm::cl::init(InitialMemory::None),
          llvm::cl::values(clEnumValN(InitialMemory::None, "none", "Leave it"),
                           clEnumValN(InitialMemory::NaN, "nan",
                                      "NaN, or the highest integer"),
                           clEnumValN(InitialMemory::Poison, "poison",
                                      "NaN, true or the lowest integer"),
                           clEnumValN(InitialMemory::Zero, "zero", "Zero"))) {}

void addMemoryPlanning(OpPassManager &kernels, StringRef target) {
  // Reject blocks that the target cannot hold, by the name of the operand.
  kernels.addPass(grid::createGridLegalizeBlocksPass({target.str()}));
  grid::GridPlanMemoryPassOptions memory;
  memory.target = target.str();
  kernels.addPass(grid::createGridPlanMemoryPass(memory));
}

void addPlanning(OpPassManager &pm, StringRef target,
                 const PlanningOptions &options) {
  bool findsRaces = options.has(RunTimeCheck::Races);
  bool findsUnwritten = options.has(RunTimeCheck::Uninitialized);
  OpPassManager &kernels = pm.nest<grid::KernelOp>();
  // Later analyses of blocks require affine index maps.
  kernels.addPass(grid::createGridCanonicalizeIndexMapsPass());
  // Find the programs that must run concurrently.
  grid::GridPlanTasksPassOptions tasks;
  bool needsTasks = llvm::any_of(options.checks, [](RunTimeCheck check) {
    return check != RunTimeCheck::Bounds;
  });
  tasks.always = needsTasks || options.scheduleSeed >= 0;
  tasks.races = findsRaces;
  tasks.uninitialized = findsUnwritten;
  tasks.semaphores = options.has(RunTimeCheck::Semaphores);
  tasks.seed = options.scheduleSeed;
  kernels.addPass(grid::createGridPlanTasksPass(tasks));
  // Infer parallel dimensions. Privatize the state of cores first, so that no
  // two programs share it.
  kernels.addPass(grid::createGridPrivatizeWindowsPass());
  grid::GridInferDimensionSemanticsPassOptions semantics;
  semantics.testBlocks = options.testBlocks;
  kernels.addPass(grid::createGridInferDimensionSemanticsPass(semantics));
  // Record accesses before memory is filled, since filling is not an access of
  // the kernel.
  if (findsRaces || findsUnwritten)
    kernels.addPass(grid::createGridRecordAccessesPass());
  // Optional: fill memory so that reads of uninitialized memory become visible.
  if (findsUnwritten || options.fillMemory != InitialMemory::None)
    kernels.addPass(
        grid::createGridPoisonMemoryPass({getFill(options.fillMemory)}));
  addMemoryPlanning(kernels, target);
}

void registerPlanningPipeline() {
  PassPipelineRegistration<PlanningPipelineOptions>(
      "grid-plan",
      "Plan the tasks, parallel dimensions and memory of a grid kernel",
      [](OpPassManager &pm, const PlanningPipelineOptions &options) {
        addPlanning(pm, options.target, options.planning);
      });
}

} // namespace gridir
