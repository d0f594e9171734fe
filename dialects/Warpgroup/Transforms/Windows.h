//===- Windows.h - Windows that no layout has ------------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_WINDOWS_H
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_WINDOWS_H

namespace mlir {
class Region;
} // namespace mlir

namespace gridir::warpgroup {

/// Rewrites each window of an array with dynamic offsets, or that does not
/// consist of whole tiles, as a structured op that reads single elements. A
/// rank-reduced window becomes a window of full rank and a reshape, if that
/// consists of tiles.
void rewriteWindows(mlir::Region &region);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_WINDOWS_H
