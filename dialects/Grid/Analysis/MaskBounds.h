//===- MaskBounds.h - Positions of elements that masks select ---*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_MASKBOUNDS_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_MASKBOUNDS_H

#include "dialects/Grid/Analysis/ElementPositions.h"

namespace gridir::grid {

/// The comparisons of positions that a mask requires.
class MaskBounds {
public:
  MaskBounds(PositionReader &reader, ElementRanges &ranges)
      : reader(reader), ranges(ranges) {}

  /// Returns the values of a tensor of positions of this shape.
  Interval getRange(const Positions &positions, llvm::ArrayRef<int64_t> shape);

  /// True if positions of this shape are at least 0 and less than `extent` for
  /// all elements that a mask selects. The mask may be null.
  bool areInside(mlir::Value mask, const Positions &positions,
                 llvm::ArrayRef<int64_t> shape, int64_t extent);

private:
  struct Comparison {
    mlir::arith::CmpIPredicate predicate;
    Positions lhs, rhs;
  };

  std::vector<Comparison> collect(mlir::Value mask);

  PositionReader &reader;
  ElementRanges &ranges;
};

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_MASKBOUNDS_H
