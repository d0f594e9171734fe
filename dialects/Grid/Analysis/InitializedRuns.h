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

/// A read of a Ref that may come before it is written.
struct EarlyRead {
  /// Null if it is not known.
  mlir::Operation *op = nullptr;
  /// The ids of a program that certainly reads elements between the start of
  /// the copy that first writes them and the first wait for its semaphore;
  /// empty if none is known.
  std::optional<mlir::SmallVector<int64_t>> unawaited;
};

/// Returns those of `refs`, initially uninitialized arguments of the body or of
/// scopes, that a program may read before they are written, each with the first
/// such read. Follows the programs in grid order, if the ids decide their
/// control flow; otherwise returns all of `refs`, with null.
llvm::DenseMap<mlir::Value, EarlyRead>
findRefsReadEarly(BlockAccess &access, llvm::ArrayRef<mlir::Value> refs);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_INITIALIZEDRUNS_H
