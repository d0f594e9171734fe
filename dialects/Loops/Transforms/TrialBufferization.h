//===- TrialBufferization.h - changes that can be bufferized ---*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_LOOPS_TRANSFORMS_TRIALBUFFERIZATION_H
#define GRIDIR_DIALECTS_LOOPS_TRANSFORMS_TRIALBUFFERIZATION_H

#include "mlir/IR/Operation.h"

namespace gridir::loops {

/// True if a branch in `op` has a tensor as its result, or a loop carries
/// several. Bufferization looks for conflicts in sets of tensors that may share
/// a buffer, and these ops put several values in one set; other ops cause no
/// conflict that it cannot resolve by a copy.
bool handsOnTensors(mlir::Operation *op);

/// Applies `change` to a copy of `op`. The copy replaces the regions of `op` if
/// it is valid and one-shot bufferization accepts it; otherwise nothing is
/// changed and nothing is emitted.
mlir::LogicalResult changeIfBufferizable(
    mlir::Operation *op,
    llvm::function_ref<mlir::LogicalResult(mlir::Operation *)> change);

} // namespace gridir::loops

#endif // GRIDIR_DIALECTS_LOOPS_TRANSFORMS_TRIALBUFFERIZATION_H
