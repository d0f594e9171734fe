//===- GatheredRows.h - loads of rows at indices that are data -*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_GATHEREDROWS_H
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_GATHEREDROWS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace gridir::cpu {

/// Emits loops around `op` that iterate over the dimensions that indices of
/// its loads depend on as data, such as `i` in `x[rows[i], j]`. In the op that
/// replaces `op` these indices are the same for all elements. Returns `op` if
/// no load reads a row.
mlir::linalg::GenericOp walkGatheredRows(mlir::RewriterBase &rewriter,
                                         mlir::linalg::GenericOp op);

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_GATHEREDROWS_H
