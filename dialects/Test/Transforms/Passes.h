//===- Passes.h - Passes that only tests run --------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TEST_TRANSFORMS_PASSES_H
#define GRIDIR_DIALECTS_TEST_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace gridir::test {

/// The ways to end a process from inside.
enum class CrashKind { Abort, Segfault, StackOverflow, FatalError };

#define GEN_PASS_DECL
#include "dialects/Test/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dialects/Test/Transforms/Passes.h.inc"

} // namespace gridir::test

#endif // GRIDIR_DIALECTS_TEST_TRANSFORMS_PASSES_H
