//===- TensorMemory.h - How Refs lie in tensor memory ----------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_IR_TENSORMEMORY_H
#define GRIDIR_DIALECTS_WARPGROUP_IR_TENSORMEMORY_H

#include "dialects/GPU/Target/Chip.h"
#include "dialects/Grid/IR/Grid.h"

namespace gridir::warpgroup {

using gpu::kTensorColumns;
using gpu::kTensorLanes;

/// The layout of matrices in the lanes and columns of tensor memory, which the
/// matrix unit determines.
struct TensorMemoryLayout {
  enum class Kind {
    /// 128 rows, each in the lane of its number.
    Rows,
    /// 64 rows of one block: 16 of them in each quarter of the lanes, with half
    /// of their columns, and the other half in the next 16 lanes.
    HalfLanes,
    /// 64 rows of each of two blocks: half of the columns in the lower 64
    /// lanes, the other half in the upper ones.
    HalfColumns,
    /// Scale factors: 32 rows by four, each with the bytes of four columns, in
    /// every quarter of the lanes.
    Scales,
    /// The same for the columns of two CTAs, each with its own quarters.
    PairedScales,
    /// Metadata: the positions of the elements of a sparse operand.
    Metadata,
  };
  Kind kind;
  /// Leading dimensions count matrices, one after the other.
  llvm::SmallVector<int64_t> shape;
  /// Elements that share a column of a lane.
  int64_t packing = 1;

  /// The columns of one matrix, and of all.
  int64_t getMatrixColumns() const;
  int64_t getNumColumns() const;

  /// The row and the column of the matrix that a lane and a column of tensor
  /// memory hold first.
  std::pair<int64_t, int64_t> getElement(int64_t lane, int64_t column) const;
};

/// Returns the layout of a Ref that a `grid.scoped` allocates, from its uses in
/// the kernel. Reports a Ref that tensor memory cannot hold.
mlir::FailureOr<TensorMemoryLayout> getTensorMemoryLayout(grid::ScopedOp scope,
                                                          unsigned number);

/// True if the elements of a Ref in shared memory are packed: they have less
/// than 8 bits, and only bulk copies and the tensor core access them.
bool isPackedForTensorCore(mlir::Value ref);

/// True if two CTAs share the MMAs of a kernel.
bool hasPairedBlocks(grid::KernelOp kernel);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_IR_TENSORMEMORY_H
