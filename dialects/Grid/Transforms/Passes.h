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

#define GEN_PASS_DECL
#include "dialects/Grid/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dialects/Grid/Transforms/Passes.h.inc"

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_TRANSFORMS_PASSES_H
