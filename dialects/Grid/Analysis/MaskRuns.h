//===- MaskRuns.h - Consecutive elements with one condition -----*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Masks restrict accesses to the elements that an array has. Where they are
// comparisons of positions with a multiple of 4, four consecutive elements have
// the same condition, and one access moves them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_MASKRUNS_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_MASKRUNS_H

#include "dialects/Grid/Analysis/ElementPositions.h"

namespace gridir::grid {

class MaskRuns {
public:
  explicit MaskRuns(PositionReader &reader) : reader(reader) {}

  /// Returns a power of two `n`: a mask is the same for the `n` elements from
  /// each multiple of `n` on along its last dimension.
  int64_t get(mlir::Value mask);

private:
  int64_t compute(mlir::Value mask);
  int64_t computeInside(mlir::linalg::GenericOp op, mlir::Value condition);

  PositionReader &reader;
  llvm::DenseMap<mlir::Value, int64_t> runs;
};

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_MASKRUNS_H
