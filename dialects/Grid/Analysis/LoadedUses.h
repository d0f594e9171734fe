//===- LoadedUses.h - What becomes of a value that is loaded ---*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To load what nothing has written is no fault as long as nothing depends on
// it: `jnp.where(k == 0, 0, acc_ref[...])` loads in every program and uses in
// all but the first. So a load is followed to the ops that something depends
// on, and the scalar conditions of selects on the def-use chain are kept. The
// chain ends where a mask decides, element by element, or an op takes a part of
// the value.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_LOADEDUSES_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_LOADEDUSES_H

#include "dialects/Grid/IR/Grid.h"

namespace gridir::grid {

class ProgramValues;

/// An op that depends on a loaded value where all of its conditions are so.
struct LoadedUse {
  mlir::Operation *op;
  mlir::SmallVector<std::pair<mlir::Value, bool>> conditions;
  /// Whether it may depend on some elements of the value and not on others,
  /// which are padding then.
  bool isPartial = false;
};

/// The uses of what an op reads from a Ref; the op itself for one that does
/// more than load.
mlir::SmallVector<LoadedUse> findLoadedUses(mlir::Operation *read);

/// Whether no program that `values` looks at uses what `read` reads.
bool isDiscarded(mlir::Operation *read, ProgramValues &values);

/// Whether all programs that `values` looks at, and that run `read`, use what
/// it reads.
bool isCertainlyUsed(mlir::Operation *read, ProgramValues &values);

/// Whether every element of what `op` loads may be unused: a choice, a masked
/// store, an op that takes a part of the value or a branch that need not be
/// taken stands between the value and each op that depends on it.
bool mayBeDiscarded(mlir::Operation *op);

/// Whether all accesses through a view, and through the views of it, are loads
/// whose value may be discarded.
bool isLoadedToDiscard(mlir::Value ref);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_LOADEDUSES_H
