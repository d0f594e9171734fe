//===- GridParallelism.h - What may run in any order -----------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A set of grid dimensions is parallel when the programs may be partitioned by
// their ids along these dimensions, each partition running in grid order, and
// every array ends up as if the whole grid had run in order. It is so when
//
// - no two programs of different partitions touch an element that one of them
//   writes (`BlockAccess`),
// - the first program of a partition takes over no state from the previous
//   program of the grid, in scratch, semaphores or the random generator
//   (`CarriedState`), and
// - the order of the programs has no observable effect.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_GRIDPARALLELISM_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_GRIDPARALLELISM_H

#include "dialects/Grid/Analysis/BlockAccess.h"
#include "llvm/ADT/SetVector.h"

namespace gridir::grid {

/// The facts about one grid dimension. All `proved` dimensions together are
/// parallel, also together with any that are promised and not `refuted`.
/// Together with `testable` dimensions they are parallel if no two programs of
/// different partitions access the same block of any of the operands to be
/// tested, which the call of the kernel determines.
struct DimVerdict {
  enum Kind { proved, testable, unknown, refuted } kind = proved;
  /// Why it is not proved, and where.
  std::string reason;
  std::optional<mlir::Location> loc;
  /// The location of the write that `loc` reads, if that refutes it.
  std::optional<mlir::Location> writtenAt = std::nullopt;
  /// The operands to be tested.
  llvm::SmallSetVector<unsigned, 4> tested = {};
};

/// Examines every dimension of the kernel's grid. With `ownState` each
/// partition begins with prefetched scalars, scratch and semaphores of its own,
/// as the cores of a TPU do; scratch that is certainly read first is carried
/// even so.
mlir::SmallVector<DimVerdict> analyzeParallelism(BlockAccess &access,
                                                 bool ownState = false);

/// True if programs along a dimension of these semantics run in any order.
bool isParallel(DimSemantics semantics);

/// Returns the author's claims for every dimension, from the kernel's own
/// semantics or from the first record of compiler parameters that has any. They
/// leave out the dimensions of `jax.vmap`, whose programs are independent.
mlir::SmallVector<DimSemantics> getClaimedSemantics(KernelOp kernel);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_GRIDPARALLELISM_H
