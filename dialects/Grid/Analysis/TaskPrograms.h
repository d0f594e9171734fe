//===- TaskPrograms.h - Programs that wait for one another ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_TASKPROGRAMS_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_TASKPROGRAMS_H

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Kernel/IR/Kernel.h"

namespace gridir::grid {

/// Returns the number of devices over which the call is mapped, or none if the
/// kernel does not access devices.
std::optional<int64_t> getNumDevices(KernelOp kernel);

/// Returns the strongest use of devices by an op of the kernel.
DeviceUse getDeviceUse(KernelOp kernel);

/// The decision of `grid-plan-tasks`; null for programs that run to completion.
kernel::TasksAttr getTasks(KernelOp kernel);

/// True if a dimension enumerates cores, CTAs of a cluster or warpgroups, which
/// run concurrently.
bool isMeshDim(KernelOp kernel, unsigned dim);

/// True if the programs along a dimension run concurrently: dimensions of a
/// mesh, and those declared parallel.
bool isConcurrent(KernelOp kernel, unsigned dim, DimSemantics claim);

/// True if a dimension enumerates cores that another program can name.
bool isCoreDim(KernelOp kernel, unsigned dim);

/// An op that needs a task even where there is one program; null for none.
mlir::Operation *findTaskOp(KernelOp kernel);

/// Returns the op by which a program depends on a concurrent one, or null if
/// each program can run to completion independently.
mlir::Operation *findSynchronization(KernelOp kernel);

/// True if all programs of a SparseCore share a Ref.
bool isOfSparseCore(mlir::MemRefType ref);

/// True if all concurrent programs share a Ref of scratch, or of a scope with
/// these `collective` dimensions.
bool isSharedByPrograms(KernelOp kernel, mlir::MemRefType ref,
                        mlir::ArrayAttr collective = {});

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_TASKPROGRAMS_H
