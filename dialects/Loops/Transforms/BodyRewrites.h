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

/// Bodies with fewer ops are not worth a separate visit.
constexpr unsigned kManyOps = 256;

/// Folds ops and applies patterns, as `applyPatternsGreedily` does, in the
/// bodies of those loops below `root` that have `manyOps` or more.
///
/// After each change, the greedy driver checks if the enclosing ops are dead,
/// which scans a loop up to its first write. For a loop that stores only at its
/// end, this takes quadratic time. A driver that starts inside of the loop
/// avoids the scan, and leaves few changes for a driver that starts outside.
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
