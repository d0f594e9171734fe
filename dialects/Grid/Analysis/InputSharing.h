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

/// How an input is protected from stores of the kernel. An input that shares no
/// memory with an output is a value that the kernel may overwrite. One that
/// does is that output's memory, and programs see stores of earlier programs in
/// it, unless the aliases of the kernel are functional: then it keeps its
/// value.
struct Sharing {
  enum Kind { InPlace, CopiedIfRevisited, CopiedWhole };
  Kind kind = InPlace;
  /// True if its block is copied before each program.
  bool copiesBlocks = false;
};

/// Decides it for operand `operandNumber`.
Sharing getSharing(KernelOp kernel, const RefHazards &hazards,
                   unsigned operandNumber);

/// True if the memory of an operand changes when the body writes the operand
/// that shares it, so that the next program may find another value.
bool mayChangeByAlias(KernelOp kernel, const RefHazards &hazards,
                      unsigned operandNumber);

/// True if the blocks of an operand are in a core's memory while a program
/// runs, and not in memory that all cores share.
bool hasWindows(KernelOp kernel, unsigned operandNumber);

/// Returns how most of the copied inputs are kept: an input that is copied
/// whole must be copied before any program writes the output that shares its
/// memory, since another thread could be ahead.
Sharing::Kind getSharingOfInputs(KernelOp kernel, const RefHazards &hazards);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_INPUTSHARING_H
