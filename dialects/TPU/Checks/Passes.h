//===- Passes.h - Run-time checks of Mosaic modules -----------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_CHECKS_PASSES_H
#define GRIDIR_DIALECTS_TPU_CHECKS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace gridir::tpu {

#define GEN_PASS_DECL
#include "dialects/TPU/Checks/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dialects/TPU/Checks/Passes.h.inc"

} // namespace gridir::tpu

#endif // GRIDIR_DIALECTS_TPU_CHECKS_PASSES_H
