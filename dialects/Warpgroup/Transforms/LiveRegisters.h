//===- LiveRegisters.h - Registers of values that are live -----*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_LIVEREGISTERS_H
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_LIVEREGISTERS_H

#include "dialects/Grid/IR/Grid.h"

namespace gridir::warpgroup {

/// True if a loop carries the sum of a contraction and another value, or
/// scratch or an output has it, and it has no other use.
bool isSumKept(grid::DotOp dot);

/// True if a loop carries the sum of a contraction and another value, or a Ref
/// has it, and it has no other use.
bool isSumKept(grid::DotOp dot);

/// Returns the most registers of the values of a body that are live at once, if
/// kept sums of contractions are in tensor memory. `count` returns the
/// registers of an array. An op may overwrite an operand. Values that are
/// computed from rows and numbers only are computed again where they are used.
int64_t countLiveRegisters(grid::KernelOp kernel,
                           llvm::function_ref<int64_t(mlir::Value)> count);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_LIVEREGISTERS_H
