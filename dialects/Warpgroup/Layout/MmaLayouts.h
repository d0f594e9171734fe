//===- MmaLayouts.h - How operands of mma.sync lie -------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_LAYOUT_MMALAYOUTS_H
#define GRIDIR_DIALECTS_WARPGROUP_LAYOUT_MMALAYOUTS_H

#include "dialects/Warpgroup/Layout/Layout.h"

namespace gridir::warpgroup {

/// The layouts of a product that each warp computes a part of with `mma.sync`.
/// One tile of each array is one instruction of each warp.
struct MmaLayouts {
  Layout lhs, rhs, acc;

  /// The layouts for operands with elements of this width. Of the four warps
  /// `rowWarps`, 1, 2 or 4, have different rows of the accumulator; the others
  /// have different columns.
  static MmaLayouts get(unsigned bits, int64_t rowWarps);

  /// Returns the layouts whose tiles divide an MMA of `m x k` and `k x n`
  /// elements, in descending order of warps along the rows.
  static llvm::SmallVector<MmaLayouts, 3> getFitting(unsigned bits, int64_t m,
                                                     int64_t n, int64_t k);
};

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_LAYOUT_MMALAYOUTS_H
