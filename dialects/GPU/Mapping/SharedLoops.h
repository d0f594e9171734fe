//===- SharedLoops.h - loops that the threads of a CTA run together --*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GPU_MAPPING_SHAREDLOOPS_H
#define GRIDIR_DIALECTS_GPU_MAPPING_SHAREDLOOPS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gridir::gpu {

/// Distributes a loop to threads if every element that it writes can be written
/// by one thread alone, in the loop's order; returns true if it did. Any thread
/// may write `status`, the error report.
bool shareLoop(mlir::scf::ForOp loop, mlir::Value status, int64_t numThreads);

} // namespace gridir::gpu

#endif // GRIDIR_DIALECTS_GPU_MAPPING_SHAREDLOOPS_H
