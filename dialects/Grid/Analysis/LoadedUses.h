//===- LoadedUses.h - What becomes of a value that is loaded ---*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load of uninitialized memory is harmless as long as nothing depends on its
// value: `jnp.where(k == 0, 0, acc_ref[...])` loads in every program and uses
// the value in all but the first. A load is therefore followed to the ops that
// depend on it, and the scalar conditions of selects on the def-use chain are
// kept. The chain ends where a mask selects, element by element, or an op takes
// a part of the value.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_LOADEDUSES_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_LOADEDUSES_H

#include "dialects/Grid/IR/Grid.h"

namespace gridir::grid {

class ProgramValues;

/// An op that depends on a loaded value if all of its conditions hold.
struct LoadedUse {
  mlir::Operation *op;
  mlir::SmallVector<std::pair<mlir::Value, bool>> conditions;
  /// True if it may depend on only some elements of the value; the others are
  /// then padding.
  bool isPartial = false;
};

/// The uses of the value that an op reads from a Ref; the op itself for one
/// that does more than load.
mlir::SmallVector<LoadedUse> findLoadedUses(mlir::Operation *read);

/// True if no program that `values` describes uses the result of `read`.
bool isDiscarded(mlir::Operation *read, ProgramValues &values);

/// True if all programs that `values` describes and that run `read` use its
/// result.
bool isCertainlyUsed(mlir::Operation *read, ProgramValues &values);

/// True if every element that `op` loads may be unused: a selection, a masked
/// store, an op that takes a part of the value, or a branch that may be skipped
/// separates the value from each op that depends on it.
bool mayBeDiscarded(mlir::Operation *op);

/// True if all accesses through a view, and through its views, are loads whose
/// value may be discarded.
bool isLoadedToDiscard(mlir::Value ref);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_LOADEDUSES_H
