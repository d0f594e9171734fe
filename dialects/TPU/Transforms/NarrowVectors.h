//===- NarrowVectors.h - What libtpu does in 8 and 16 bits ------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_TRANSFORMS_NARROWVECTORS_H
#define GRIDIR_DIALECTS_TPU_TRANSFORMS_NARROWVECTORS_H

#include "mlir/IR/PatternMatch.h"

namespace gridir::tpu {

/// True if an op is in a function for a TensorCore.
bool isOnTensorCore(mlir::Operation *op);

/// Adds the patterns of `tpu-expand-arithmetic` that narrow what was widened
/// for every chip. The arguments are the options of the pass.
void populateNarrowVectorPatterns(mlir::RewritePatternSet &patterns,
                                  bool narrowIntegers, bool narrowVectors);

} // namespace gridir::tpu

#endif // GRIDIR_DIALECTS_TPU_TRANSFORMS_NARROWVECTORS_H
