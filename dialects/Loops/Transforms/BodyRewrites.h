//===- BodyRewrites.h - patterns on blocks of many ops ---------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_LOOPS_TRANSFORMS_BODYREWRITES_H
#define GRIDIR_DIALECTS_LOOPS_TRANSFORMS_BODYREWRITES_H

#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Support/LLVM.h"

namespace gridir::loops {

/// A body of fewer ops is read sooner than visited once more.
constexpr unsigned kManyOps = 256;

/// Folds ops and applies patterns, as `applyPatternsGreedily` does, in the
/// bodies of those loops below `root` that have `manyOps` or more.
///
/// After each change the greedy driver looks whether the ops around it are
/// dead, and reads a loop from its first op to its first write for that. In a
/// kernel that computes with values and stores the last one this takes the
/// square of the time. A driver that starts inside of the loop does not look at
/// it, and leaves little to change to one that does.
void applyPatternsInLargeLoops(mlir::Operation *root,
                               const mlir::FrozenRewritePatternSet &patterns,
                               unsigned manyOps = kManyOps);

/// Folds ops and applies patterns below `root` as `applyPatternsGreedily` does,
/// and leaves blocks unchanged: loops and conditions are still regions of one
/// block. Upstream's search for dead and equal ones reads every op several
/// times. Fails if the driver gives up; the IR is then valid.
llvm::LogicalResult
applyPatternsInBlocks(mlir::Operation *root,
                      const mlir::FrozenRewritePatternSet &patterns);

} // namespace gridir::loops

#endif // GRIDIR_DIALECTS_LOOPS_TRANSFORMS_BODYREWRITES_H
