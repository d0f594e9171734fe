//===- RepeatOperands.h - Contractions of repeated rows ---------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_REPEATOPERANDS_H
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_REPEATOPERANDS_H

#include "dialects/GPU/Target/Chip.h"
#include "dialects/Grid/IR/Grid.h"

namespace gridir::warpgroup {

/// True if matrix units compute a contraction of matrices whose rows, columns
/// and depth are repeated.
bool canRepeatOperands(grid::DotOp dot, const gpu::Chip &chip);

/// Repeats the rows, columns and depth of the operands of such a contraction.
/// The result is the first part of the new one. Only one part of the depth is
/// not zero.
void repeatOperands(grid::DotOp dot, const gpu::Chip &chip);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_REPEATOPERANDS_H
