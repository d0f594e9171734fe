//===- FoldComparisons.h - Comparisons of fewer instructions -----*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_TRANSFORMS_FOLDCOMPARISONS_H
#define GRIDIR_DIALECTS_TPU_TRANSFORMS_FOLDCOMPARISONS_H

#include "mlir/IR/PatternMatch.h"

namespace gridir::tpu {

/// Adds patterns that say comparisons, and choices by them, in a form that
/// takes fewer instructions. They read floats that are compared in the ordered
/// ways.
void populateFoldComparisonPatterns(mlir::RewritePatternSet &patterns);

} // namespace gridir::tpu

#endif // GRIDIR_DIALECTS_TPU_TRANSFORMS_FOLDCOMPARISONS_H
