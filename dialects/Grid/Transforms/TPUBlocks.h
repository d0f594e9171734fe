//===- TPUBlocks.h - What a TPU can hold -----------------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_TRANSFORMS_TPUBLOCKS_H
#define GRIDIR_DIALECTS_GRID_TRANSFORMS_TPUBLOCKS_H

#include "dialects/Grid/IR/Grid.h"

namespace gridir::grid {

/// Checks one array operand against the tiles of a TPU's memory: a block ends
/// where a tile of its array does, or is as long as the array.
llvm::LogicalResult checkTPUOperand(KernelOp kernel, unsigned operand);

/// Checks the scratch Refs against what a TPU can hold.
llvm::LogicalResult checkTPUScratch(KernelOp kernel);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_TRANSFORMS_TPUBLOCKS_H
