//===- ThreadLoops.h - linalg ops as loops over the threads of a CTA --*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GPU_MAPPING_THREADLOOPS_H
#define GRIDIR_DIALECTS_GPU_MAPPING_THREADLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace gridir::gpu {

using ThreadBody =
    llvm::function_ref<void(mlir::OpBuilder &, mlir::Location, mlir::Value)>;

/// Runs `body` for every number below `count`, each on one thread: consecutive
/// numbers on consecutive threads.
void createThreadLoop(mlir::OpBuilder &builder, mlir::Location loc,
                      int64_t numThreads, mlir::OpFoldResult count,
                      ThreadBody body);

/// Computes each point of the parallel dimensions of `op` on one thread, which
/// walks the reduction dimensions in order.
void createElementLoops(mlir::OpBuilder &builder, mlir::linalg::LinalgOp op,
                        int64_t numThreads);

/// A reduction whose result is too small to occupy the threads.
struct SplitReduction {
  /// Points of the result, elements reduced to each, threads for each.
  int64_t points, elements, lanes;
  /// The op that combines two partial results, and its initial value, for each
  /// result.
  llvm::SmallVector<mlir::Operation *> combiners;
  llvm::SmallVector<mlir::TypedAttr> neutrals;
  /// Bytes of the partial results.
  int64_t bytes;
};

/// Returns the split of `op`, if it pays off and partial results can be
/// combined.
std::optional<SplitReduction> matchSplitReduction(mlir::linalg::LinalgOp op,
                                                  int64_t numThreads);

/// Reduces with several threads for each point, then combines their results.
void createSplitReduction(mlir::OpBuilder &builder, mlir::linalg::LinalgOp op,
                          const SplitReduction &split, int64_t numThreads);

} // namespace gridir::gpu

#endif // GRIDIR_DIALECTS_GPU_MAPPING_THREADLOOPS_H
