//===- TensorCore.h - The thread that asks the tensor core -----*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_TENSORCORE_H
#define GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_TENSORCORE_H

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

namespace gridir::warpgroup_to_nvvm {

/// Reports a chip without tensor memory, and two blocks that are no pair: their
/// numbers in the cluster must differ in the last bit.
llvm::LogicalResult checkTensorCore(mlir::Operation *op, Lowering &lowering,
                                    mlir::StringAttr axis);

/// Emits what `body` emits for the thread that acts for its warpgroup, and of a
/// pair of blocks along an axis only for that of the first one. The threads
/// meet before where one has loaded or stored what the tensor core may touch
/// of these Refs, or may still wait for a phase that it completes.
void createForTensorCore(Lowering &lowering, mlir::Location loc,
                         mlir::ValueRange refs, bool arrives,
                         mlir::StringAttr axis,
                         llvm::function_ref<void()> body);

/// An arrival at a barrier, or at those of both blocks, behind all that the
/// thread has asked for.
void createTensorCommit(Lowering &lowering, mlir::Location loc,
                        mlir::Value address, mlir::StringAttr axis);

} // namespace gridir::warpgroup_to_nvvm

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_TENSORCORE_H
