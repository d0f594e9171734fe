//===- Tiling.h - tile sizes of one op, and the order of loops -*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_TILING_H
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_TILING_H

#include "dialects/CPU/Transforms/MirroredReads.h"
#include "dialects/CPU/Transforms/VectorTarget.h"

namespace gridir::cpu {

/// The tiling of an op: a tile size for each loop, and the order of the loops.
struct Tiling {
  int vectorDim = -1;
  /// A second dimension that another operand has innermost: a transpose.
  int secondDim = -1;
  bool reducesVector = false;
  /// The accumulators of a reduction along `vectorDim`: element i of a row goes
  /// to the one at i modulo their number.
  int64_t accumulators = 1;
  /// The dimension of a reduction across rows that is cut into groups of
  /// `groupRows` rows. It is twice in the order: outside of the columns for the
  /// groups, and innermost for the rows of a group.
  int groupDim = -1;
  int64_t groupRows = 1;
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<unsigned> order;
  /// The loops that walk each operand backwards.
  MirroredLoops mirrored;
};

/// Chooses the tiling of an op, without the accumulators of a reduced row. A
/// part of an argument of the function with `cacheBytes` exceeds the caches; 0
/// if none does.
Tiling chooseTiling(mlir::linalg::GenericOp op, const VectorTarget &target,
                    int64_t cacheBytes);

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_TILING_H
