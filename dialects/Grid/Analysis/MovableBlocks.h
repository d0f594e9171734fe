//===- MovableBlocks.h - Blocks that may start earlier ---------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_MOVABLEBLOCKS_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_MOVABLEBLOCKS_H

#include "dialects/Grid/IR/Grid.h"

#include "llvm/ADT/SmallBitVector.h"

namespace gridir::grid {

/// The last block of a dimension may overhang its array. Where a program
/// computes each element, or each row, of its blocks from the same element or
/// row alone and does not depend on its index, it may as well use the last
/// block that lies inside: some elements are computed twice, to the same
/// values, and no block needs padding or a copy.
///
/// All blocks that depend on a grid dimension move together or not at all.
class MovableBlocks {
public:
  explicit MovableBlocks(KernelOp kernel);

  /// True if dimension `dim` of the blocks of operand `operandNumber` may start
  /// earlier, so that the block lies inside its array.
  bool isMovable(unsigned operandNumber, unsigned dim) const {
    return operandNumber < movable.size() && movable[operandNumber].test(dim);
  }

private:
  llvm::SmallVector<llvm::SmallBitVector> movable;
};

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_MOVABLEBLOCKS_H
