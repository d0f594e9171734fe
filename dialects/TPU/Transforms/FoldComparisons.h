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

/// Adds patterns that rewrite comparisons, and selects on them, to forms with
/// fewer instructions. They expect ordered comparisons of floats.
void populateFoldComparisonPatterns(mlir::RewritePatternSet &patterns);

} // namespace gridir::tpu

#endif // GRIDIR_DIALECTS_TPU_TRANSFORMS_FOLDCOMPARISONS_H
