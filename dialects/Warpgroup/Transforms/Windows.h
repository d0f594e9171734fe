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

/// Writes each window of an array that is not made of whole tiles, or whose
/// offsets are not known, as a structured op that reads single elements. One of
/// fewer dimensions becomes one of all and a reshape, where that has tiles.
void rewriteWindows(mlir::Region &region);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_WINDOWS_H
