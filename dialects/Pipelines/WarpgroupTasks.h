//===- WarpgroupTasks.h - warpgroup programs as tasks -----------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_PIPELINES_WARPGROUPTASKS_H
#define GRIDIR_DIALECTS_PIPELINES_WARPGROUPTASKS_H

#include "mlir/Pass/PassManager.h"

namespace gridir {

/// Adds the passes before planning for a target that executes each warpgroup
/// of a kernel as a task: they reject a program that no GPU has the shared
/// memory for, and make ops of warpgroups ops on grid. They do not change
/// other kernels.
void buildWarpgroupsAsTasksPipeline(mlir::OpPassManager &pm);

/// Registers `warpgroups-as-tasks` by name.
void registerWarpgroupTasksPipeline();

} // namespace gridir

#endif // GRIDIR_DIALECTS_PIPELINES_WARPGROUPTASKS_H
