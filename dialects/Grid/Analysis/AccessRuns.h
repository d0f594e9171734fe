//===- AccessRuns.h - Accesses of programs followed one by one -*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_ACCESSRUNS_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_ACCESSRUNS_H

#include "dialects/Grid/Analysis/BoxCoverage.h"
#include "dialects/Grid/Analysis/ProgramRuns.h"

namespace gridir::grid {

/// The elements of an access: a box, and constant ends around it.
struct AccessedElements {
  ElementBox box;
  ConstantBox hull;
};

/// True if an op depends on no element of its Ref, though it has the effect of
/// a read: the Ref of a wait for a copy only defines its size, and elements
/// that a scatter does not replace stay as they are.
bool dependsOnNoElement(mlir::Operation *op);

/// Programs that are followed with their accesses to Refs.
class AccessRuns : public ProgramRuns {
protected:
  using ProgramRuns::ProgramRuns;

  /// Marks the ops that access Refs, semaphores and barriers, and the scopes.
  void addAccesses();

  /// Returns true if an op may write to a Ref.
  static bool isWritten(mlir::Operation *op, mlir::Value ref);

  /// Returns false if nothing depends on what an op reads from a Ref in this
  /// program and iteration.
  bool mayRead(mlir::Operation *op, mlir::Value ref);

  /// Returns the elements that an op replaces: those that it has written when
  /// it ends, or with `later` those that are written later.
  mlir::SmallVector<RefRegion> getWrites(mlir::Operation *op, bool later);

  /// Returns the elements of a region in this program and iteration: all of the
  /// Ref if they are known only at run time, none if its shape is.
  std::optional<AccessedElements> getElements(const RefRegion &region);

  /// Adds a box to those of a Ref, if it is exact and not inside another one.
  static void add(mlir::SmallVectorImpl<ElementBox> &boxes, ElementBox box);
};

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_ACCESSRUNS_H
