//===- WindowPositions.h - Windows that may be out of bounds ----*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_WINDOWPOSITIONS_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_WINDOWPOSITIONS_H

#include "dialects/Grid/Analysis/ProgramValues.h"

namespace gridir::grid {

/// The last offset along a dimension at which a window is inside of its Ref.
int64_t getLastOffset(SliceRefOp slice, unsigned dim);

/// The dimensions of known extent along which a window is not proved to be
/// inside of its Ref.
llvm::SmallVector<unsigned> getUnprovedDims(SliceRefOp slice,
                                            ProgramValues &values);

/// The operand that is the offset along a dimension, which has one.
mlir::OpOperand &getOffset(SliceRefOp slice, unsigned dim);

/// Sets the offset along a dimension to the nearest one at which the window is
/// inside of its Ref.
void limitOffset(SliceRefOp slice, unsigned dim);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_WINDOWPOSITIONS_H
