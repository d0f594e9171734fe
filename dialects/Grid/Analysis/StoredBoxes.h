//===- StoredBoxes.h - Boxes that masked stores fill ------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose blocks do not divide its array stores with a mask that is true
// for the elements that the array has. Such a store fills its box as far as the
// array goes. So does a store to indices that count up from one element.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_STOREDBOXES_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_STOREDBOXES_H

#include "dialects/Grid/Analysis/BlockAccess.h"

namespace gridir::grid {

/// The elements that a store writes, as far as its array has them.
struct StoredBox {
  ElementBox box;
  /// It writes them only if this is true; null for always.
  mlir::Value predicate;
};

/// Returns the box that a store fills, or none if it is not known to fill one.
std::optional<StoredBox> findStoredBox(const ArrayAccess &store,
                                       BlockAccess &access);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_STOREDBOXES_H
