//===- PartialWindows.h - Windows that may be partly outside ---*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A window may exceed its Ref if a mask excludes the elements outside, or if no
// op depends on the loaded elements outside.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_PARTIALWINDOWS_H
#define GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_PARTIALWINDOWS_H

#include "dialects/Conversion/GridToLoops/Lowering.h"

namespace gridir {

using AccessSet = llvm::SmallDenseSet<mlir::Operation *>;

/// Finds the accesses whose indices need no check: loads on whose outside
/// elements nothing depends, unless `checksDiscarded`, and accesses that the
/// author excludes from checks. Gives each of them, and each masked access,
/// views of its own, since another access to the same elements must lie inside.
/// Erases loads without a use.
AccessSet separatePartialSlices(grid::KernelOp kernel, bool checksDiscarded);

/// Lowers a slice that may leave its source where all accesses through it may.
/// An element outside that a mask lets through is reported. Any other element
/// outside is not written, and has an unspecified value where it is read.
/// Returns whether this was done; then `slice` is replaced.
bool createPartialWindows(mlir::PatternRewriter &rewriter,
                          KernelLowering &lowering, grid::SliceRefOp slice,
                          llvm::ArrayRef<mlir::OpFoldResult> offsets);

} // namespace gridir

#endif // GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_PARTIALWINDOWS_H
