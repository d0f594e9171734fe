//===- ExpandIntegers.h - Integers that Mosaic lacks ------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_TRANSFORMS_EXPANDINTEGERS_H
#define GRIDIR_DIALECTS_TPU_TRANSFORMS_EXPANDINTEGERS_H

#include "mlir/IR/PatternMatch.h"

namespace gridir::tpu {

/// Adds the patterns of `tpu-expand-arithmetic` for integers of less than 32
/// bits, and for unsigned ones. `narrowIntegers` is the option of the pass.
void populateNarrowIntegerPatterns(mlir::RewritePatternSet &patterns,
                                   bool narrowIntegers);

} // namespace gridir::tpu

#endif // GRIDIR_DIALECTS_TPU_TRANSFORMS_EXPANDINTEGERS_H
