//===- WarpgroupTasks.cpp - warpgroup programs as tasks -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Pipelines/WarpgroupTasks.h"

#include "dialects/Conversion/Passes.h"
#include "dialects/Grid/IR/Grid.h"
#include "dialects/Warpgroup/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace gridir {

void buildWarpgroupsAsTasksPipeline(OpPassManager &pm) {
  // Reject warpgroup kernels that exceed the shared memory of a GPU.
  pm.addPass(warpgroup::createWarpgroupShareMembersPass());
  warpgroup::WarpgroupPlanMemoryPassOptions memory;
  memory.chip = "";
  memory.verifyOnly = true;
  pm.addPass(warpgroup::createWarpgroupPlanMemoryPass(memory));
  // Accesses to MMA operands become loads and stores.
  pm.addNestedPass<grid::KernelOp>(createConvertWarpgroupToGridPass());
}

void registerWarpgroupTasksPipeline() {
  PassPipelineRegistration<>(
      "warpgroups-as-tasks",
      "Execute warpgroups as tasks, with their ops on grid",
      buildWarpgroupsAsTasksPipeline);
}

} // namespace gridir
