//===- BoxCoverage.h - Boxes of elements that cover others -----*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_BOXCOVERAGE_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_BOXCOVERAGE_H

#include "dialects/Grid/Analysis/RefRegions.h"

namespace gridir::grid {

/// Half-open ranges of elements, one per dimension.
using ConstantBox = mlir::SmallVector<std::pair<int64_t, int64_t>>;

/// Returns the ranges of a box, or none if one of them is not constant.
std::optional<ConstantBox> getConstantBox(const ElementBox &box);

/// True if one box has the same lows as another and is at most as large.
bool isInside(const ElementBox &box, const ElementBox &outer);

/// True if every element of `box` is in one of `written`. `hull` is a box with
/// constant ends around it.
bool isCovered(const ElementBox &box, const ConstantBox &hull,
               llvm::ArrayRef<ElementBox> written);

/// Removes `hole` from a set of disjoint boxes. Removes nothing if too many
/// boxes would remain.
void remove(mlir::SmallVector<ConstantBox> &boxes, const ConstantBox &hole);

/// True if two boxes have known ends and overlap.
bool certainlyMeet(const ElementBox &a, const ElementBox &b);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_BOXCOVERAGE_H
