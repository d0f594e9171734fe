//===- Passes.h - passes on warpgroup programs -----------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_PASSES_H
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_PASSES_H

#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"

namespace gridir::warpgroup {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "dialects/Warpgroup/Transforms/Passes.h.inc"

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_PASSES_H
