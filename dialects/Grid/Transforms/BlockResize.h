//===- BlockResize.h - Blocks of another size -------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_TRANSFORMS_BLOCKRESIZE_H
#define GRIDIR_DIALECTS_GRID_TRANSFORMS_BLOCKRESIZE_H

#include "dialects/Grid/Analysis/BlockAxes.h"

namespace gridir::grid {

/// True if all programs of a kernel may run in any order, and have nothing but
/// blocks of arrays at positions that follow from their numbers.
bool hasOnlyBlocks(KernelOp kernel);

/// Changes the sizes of all Refs and tensors along an axis, and the attributes
/// of ops that repeat it.
void resizeValues(const BlockAxes &axes, unsigned axis,
                  llvm::function_ref<int64_t(int64_t)> getSize);

/// A dimension of a block as a dimension of the array, and as the number of its
/// index.
struct BlockDimPlace {
  unsigned arrayDim = 0, index = 0;
};

/// Returns the place of a dimension of a block's Ref.
BlockDimPlace findBlockDim(OperandAttr spec, unsigned refDim);

/// Changes the size of a block along a dimension of its array.
void resizeBlock(KernelOp kernel, unsigned operand, unsigned arrayDim,
                 int64_t size);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_TRANSFORMS_BLOCKRESIZE_H
