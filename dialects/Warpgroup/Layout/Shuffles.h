//===- Shuffles.h - Conversions between the lanes of a warp ----*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_LAYOUT_SHUFFLES_H
#define GRIDIR_DIALECTS_WARPGROUP_LAYOUT_SHUFFLES_H

#include "dialects/Warpgroup/Layout/Conversion.h"

namespace gridir::warpgroup {

/// The rounds of a conversion within warps; none if a thread needs elements of
/// another warp, or if the tiles of the layouts do not divide each other.
std::optional<Conversion> planShuffles(const Layout &source, const Layout &dest,
                                       Shape shape, unsigned elementBits);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_LAYOUT_SHUFFLES_H
