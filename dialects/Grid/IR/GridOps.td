//===- GridOps.td - All ops of the grid dialect -----------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_GRIDOPS_TD
#define GRIDIR_DIALECTS_GRID_IR_GRIDOPS_TD

include "dialects/Grid/IR/GridAsyncOps.td"
include "dialects/Grid/IR/GridComputeOps.td"
include "dialects/Grid/IR/GridKernelOps.td"
include "dialects/Grid/IR/GridRefOps.td"

#endif // GRIDIR_DIALECTS_GRID_IR_GRIDOPS_TD
