//===- SetDifference.h - The points of a set that others lack --*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `PresburgerRelation::subtract` of MLIR drops constraints. Where a local
// variable q has the bounds `0 <= e - d * q <= c`, it is `floor(e / d)` for
// every `c < d`, and the pair of bounds is taken for its definition, which
// always holds. So a set of the elements `8 * i + [0, 3]` is subtracted as if
// it held all of `8 * i + [0, 7]`.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_SETDIFFERENCE_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_SETDIFFERENCE_H

#include "mlir/Analysis/Presburger/PresburgerRelation.h"

namespace gridir::grid {

/// The points of `from` that are not in `what`; none where a local variable of
/// `what` is not known to be a division, and where they have too many pieces.
std::optional<mlir::presburger::PresburgerSet>
subtract(const mlir::presburger::PresburgerSet &from,
         const mlir::presburger::PresburgerSet &what);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_SETDIFFERENCE_H
