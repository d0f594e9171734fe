//===- Passes.h - Target-independent passes on grid ------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_TRANSFORMS_PASSES_H
#define GRIDIR_DIALECTS_GRID_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace gridir::grid {

/// The initial contents of memory: NaN or the highest integer, as in JAX's
/// interpreter of TPU kernels; NaN, true or the lowest integer, as in Mosaic;
/// or 0.
enum class MemoryFill { NaN, Poison, Zero };

#define GEN_PASS_DECL
#include "dialects/Grid/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dialects/Grid/Transforms/Passes.h.inc"

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_TRANSFORMS_PASSES_H
