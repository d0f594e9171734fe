//===- TPUOps.td - All ops of the tpu dialect -------------*- tablegen -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_IR_TPUOPS_TD
#define GRIDIR_DIALECTS_TPU_IR_TPUOPS_TD

include "dialects/TPU/IR/TPUAsyncOps.td"
include "dialects/TPU/IR/TPUComputeOps.td"
include "dialects/TPU/IR/TPUMemoryOps.td"
include "dialects/TPU/IR/TPUProgramOps.td"
include "dialects/TPU/IR/TPUSparseCoreOps.td"

#endif // GRIDIR_DIALECTS_TPU_IR_TPUOPS_TD
