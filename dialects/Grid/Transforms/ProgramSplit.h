//===- ProgramSplit.h - Programs of fewer positions along an axis *- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_TRANSFORMS_PROGRAMSPLIT_H
#define GRIDIR_DIALECTS_GRID_TRANSFORMS_PROGRAMSPLIT_H

#include "dialects/Grid/Analysis/BlockAxes.h"

namespace gridir::grid {

/// Splits each program of a kernel into equal `parts` along an axis, which a
/// new dimension of this kind numbers. They divide the sizes of all dimensions
/// along the axis. `axes` stays valid for the other axes.
void splitProgram(KernelOp kernel, const BlockAxes &axes, unsigned axis,
                  int64_t parts, DimKind kind);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_TRANSFORMS_PROGRAMSPLIT_H
