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

/// The VMEM of the chips that have most of it, from v5e on.
inline constexpr int64_t kTPUVmemBytes = int64_t(128) << 20;

/// Checks one array operand against the tiles of a TPU's memory: a block ends
/// where a tile of its array does, or is as long as the array.
llvm::LogicalResult checkTPUOperand(KernelOp kernel, unsigned operand);

/// Checks the scratch Refs against what a TPU can hold.
llvm::LogicalResult checkTPUScratch(KernelOp kernel);

/// The extents that a block of an array, or scratch, takes in VMEM, which holds
/// whole tiles, and the bits of an element there.
std::pair<llvm::SmallVector<int64_t>, int64_t>
padToTPUTiles(llvm::ArrayRef<int64_t> block, llvm::ArrayRef<int64_t> array,
              mlir::Type elementType);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_TRANSFORMS_TPUBLOCKS_H
