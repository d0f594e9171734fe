//===- ContractionPadding.h - Sizes that matrix units compute --*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_CONTRACTIONPADDING_H
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_CONTRACTIONPADDING_H

#include "dialects/GPU/Target/Chip.h"
#include "dialects/Grid/Analysis/BlockAxes.h"

namespace gridir::warpgroup {

/// An axis that is extended.
struct AxisPadding {
  unsigned axis;
  int64_t size, padded;
};

/// True if an operand of a contraction is a vector or has a single row, and the
/// chip has matrix units for the types.
bool isOfVector(grid::DotOp dot, const gpu::Chip &chip);

/// Replaces the vector or single row of an operand by equal rows, so that
/// matrix units compute the contraction; the result is the first row of the new
/// one. Does nothing and returns false if they do not divide the other sizes.
/// `axes` are those along which positions can be added.
bool repeatVector(grid::DotOp dot, const grid::BlockAxes &axes);

/// True if matrix units compute a contraction after axes are extended.
bool canPad(grid::DotOp dot, const grid::BlockAxes &axes,
            const gpu::Chip &chip);

/// Returns the axes that are extended so that matrix units compute all
/// contractions of a kernel; none if they compute them as they are. Fails if
/// some contraction remains that they do not compute. `axes` are those along
/// which positions can be added.
mlir::FailureOr<llvm::SmallVector<AxisPadding>>
findContractionPadding(grid::KernelOp kernel, const grid::BlockAxes &axes,
                       const gpu::Chip &chip);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_CONTRACTIONPADDING_H
