//===- FollowedAccesses.h - Accesses of followed programs -------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conditions and offsets that loops carry, such as the slots of a ring of
// buffers, are not functions of program ids. If sets of elements do not decide
// a check, the programs are simulated one after the other.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_FOLLOWEDACCESSES_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_FOLLOWEDACCESSES_H

#include "dialects/Grid/Analysis/BlockAccess.h"

namespace gridir::grid {

/// True if the stores of simulated programs write every element of an output.
bool writesEverything(BlockAccess &access, unsigned output);

/// An offset of a view along a dimension of its source.
using ViewOffset = std::pair<mlir::Operation *, unsigned>;

/// Returns those of the given offsets that are inside the dimension in every
/// execution of the view; nothing if the simulation is incomplete.
llvm::DenseSet<ViewOffset>
findOffsetsInBounds(BlockAccess &access, llvm::ArrayRef<ViewOffset> offsets);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_FOLLOWEDACCESSES_H
