//===- MaskedWindows.h - Windows of which a mask hides a part -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_MASKEDWINDOWS_H
#define GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_MASKEDWINDOWS_H

#include "dialects/Conversion/GridToLoops/Lowering.h"

namespace gridir {

/// Gives accesses without a mask slices of their own where they name the same
/// as one that has a mask: those must lie inside, and only where they happen.
void separateMaskedSlices(grid::KernelOp kernel);

/// Gives each access through `slice`, if they have masks, a memref of its own:
/// the part of `array` where that lies inside, else a private buffer. An
/// element outside of `array` that the mask lets through is reported, and what
/// it hides is neither read nor written there. Returns whether this was done;
/// then `slice` is gone.
bool createMaskedWindows(mlir::PatternRewriter &rewriter,
                         KernelLowering &lowering, grid::SliceRefOp slice,
                         llvm::ArrayRef<mlir::OpFoldResult> offsets,
                         mlir::Value array);

} // namespace gridir

#endif // GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_MASKEDWINDOWS_H
