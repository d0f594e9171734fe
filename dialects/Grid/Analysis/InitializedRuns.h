//===- InitializedRuns.h - Reads of written elements -----------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_INITIALIZEDRUNS_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_INITIALIZEDRUNS_H

#include "dialects/Grid/Analysis/BlockAccess.h"

namespace gridir::grid {

/// Returns those of `refs`, initially uninitialized arguments of the body or of
/// scopes, that a program may read before they are written, each with the first
/// such read. Follows the programs in grid order, if the ids decide their
/// control flow; otherwise returns all of `refs`, with null.
llvm::DenseMap<mlir::Value, mlir::Operation *>
findRefsReadEarly(BlockAccess &access, llvm::ArrayRef<mlir::Value> refs);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_INITIALIZEDRUNS_H
