//===- InitializedRuns.h - Reads of what programs wrote --------*- C++ -*--===//
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

/// Those of `refs`, arguments of the body or of scopes that hold nothing at
/// first, of which a program may read what nothing has written. Found by
/// following the programs in the order of the grid, where the ids decide what
/// they do; all of `refs` where they do not.
llvm::DenseSet<mlir::Value> findRefsReadEarly(BlockAccess &access,
                                              llvm::ArrayRef<mlir::Value> refs);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_INITIALIZEDRUNS_H
