//===- InputSharing.h - Inputs that share memory with an output ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_INPUTSHARING_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_INPUTSHARING_H

#include "dialects/Grid/Analysis/RefHazards.h"

namespace gridir::grid {

/// How an input is kept from what the kernel writes. As in JAX, an input is a
/// value that the kernel may scribble on, and that does not change with the
/// output that shares its memory.
struct Sharing {
  enum Kind { InPlace, CopiedIfRevisited, CopiedWhole };
  Kind kind = InPlace;
  /// Whether its block is copied before each program.
  bool copiesBlocks = false;
};

/// Decides it for operand `operandNumber`.
Sharing getSharing(KernelOp kernel, const RefHazards &hazards,
                   unsigned operandNumber);

/// How the inputs of which most is copied are kept: what is copied whole must
/// be so before any program writes the output that shares its memory, since
/// another thread could be ahead.
Sharing::Kind getSharingOfInputs(KernelOp kernel, const RefHazards &hazards);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_INPUTSHARING_H
