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

/// How an input is kept from what the kernel writes. An input that shares no
/// memory with an output is a value that the kernel may scribble on. One that
/// does is that output's memory, and programs see in it what earlier programs
/// wrote, unless the aliases of the kernel are functional: then it keeps its
/// value.
struct Sharing {
  enum Kind { InPlace, CopiedIfRevisited, CopiedWhole };
  Kind kind = InPlace;
  /// Whether its block is copied before each program.
  bool copiesBlocks = false;
};

/// Decides it for operand `operandNumber`.
Sharing getSharing(KernelOp kernel, const RefHazards &hazards,
                   unsigned operandNumber);

/// Whether the memory of an operand changes when the body writes the operand
/// that shares it, so that what one program found there is no longer true in
/// the next one.
bool mayChangeByAlias(KernelOp kernel, const RefHazards &hazards,
                      unsigned operandNumber);

/// Whether the blocks of an operand are in the memory of a core while a program
/// runs, and not where all cores see them.
bool hasWindows(KernelOp kernel, unsigned operandNumber);

/// How the inputs of which most is copied are kept: what is copied whole must
/// be so before any program writes the output that shares its memory, since
/// another thread could be ahead.
Sharing::Kind getSharingOfInputs(KernelOp kernel, const RefHazards &hazards);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_INPUTSHARING_H
