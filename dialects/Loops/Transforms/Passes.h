//===- Passes.h - passes on loops, of every target --------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_LOOPS_TRANSFORMS_PASSES_H
#define GRIDIR_DIALECTS_LOOPS_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace gridir::loops {

#define GEN_PASS_DECL
#include "dialects/Loops/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dialects/Loops/Transforms/Passes.h.inc"

} // namespace gridir::loops

#endif // GRIDIR_DIALECTS_LOOPS_TRANSFORMS_PASSES_H
