//===- Passes.h - The passes of this project -------------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MY_PASSES_H
#define MY_PASSES_H

#include "mlir/Pass/Pass.h"

namespace my {
#define GEN_PASS_DECL
#include "Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "Passes.h.inc"
} // namespace my

#endif // MY_PASSES_H
