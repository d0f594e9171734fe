//===- ContiguousLoops.h - loops over adjacent memory ----------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_CONTIGUOUSLOOPS_H
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_CONTIGUOUSLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace gridir::cpu {

/// Collapses parallel loops whose elements are contiguous in every operand into
/// one loop. This halves the code and leaves no remainder at the end of each
/// row. Returns the op that replaces `op`.
mlir::linalg::GenericOp collapseContiguousLoops(mlir::RewriterBase &rewriter,
                                                mlir::linalg::GenericOp op);

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_CONTIGUOUSLOOPS_H
