//===- LayoutModels.h - What ops demand of layouts -------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_INFERENCE_LAYOUTMODELS_H
#define GRIDIR_DIALECTS_WARPGROUP_INFERENCE_LAYOUTMODELS_H

#include "dialects/Warpgroup/Inference/LayoutFrame.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace gridir::warpgroup {

/// Returns the sizes of the largest tile that composes a window of an array of
/// `shape`. Returns none if threads would hold copies in such tiles: the window
/// could not have the layout of its array, which the types of the ops require.
std::optional<Coordinates>
getWindowTile(mlir::OffsetSizeAndStrideOpInterface op, Shape shape,
              Shape window);

/// Attaches `LayoutOpInterface` to the ops that take windows of tensors and
/// put them in.
void attachSliceModels(mlir::MLIRContext &context);

/// Attaches it to the ops of `grid` that access Refs, and to those of
/// `warpgroup` that access Refs of other CTAs.
void attachAccessModels(mlir::MLIRContext &context);
void attachClusterAccessModels(mlir::MLIRContext &context);

/// Elements take a power of two of bits in memory, a byte at least.
unsigned getMemoryBits(mlir::RankedTensorType type);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_INFERENCE_LAYOUTMODELS_H
