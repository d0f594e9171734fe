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

/// Reports a chip without tensor memory, and two CTAs that are not a pair:
/// their ranks in the cluster must differ in the last bit.
llvm::LogicalResult checkTensorCore(mlir::Operation *op, Lowering &lowering,
                                    mlir::StringAttr axis);

/// Emits `body` in the thread that acts for its warpgroup; for a pair of CTAs
/// along an axis only in the first one.
void createForTensorCore(Lowering &lowering, mlir::Location loc,
                         mlir::StringAttr axis,
                         llvm::function_ref<void()> body);

/// An arrival at a barrier, or at those of both CTAs, after all operations that
/// the thread has issued.
void createTensorCommit(Lowering &lowering, mlir::Location loc,
                        mlir::Value address, mlir::StringAttr axis);

} // namespace gridir::warpgroup_to_nvvm

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_TENSORCORE_H
