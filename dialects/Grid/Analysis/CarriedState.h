//===- CarriedState.h - What a program takes over from the last --*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scratch Refs, semaphores and the state of the random generator outlive a
// program, so the next program of the grid may read values of the last one. It
// does not if every element that it reads was written earlier in the same
// program.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_CARRIEDSTATE_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_CARRIEDSTATE_H

#include "dialects/Grid/Analysis/RefRegions.h"

namespace gridir::grid {

/// A read of something that the same program did not write before.
struct CarriedRead {
  mlir::Operation *op;
  /// The scratch Ref, or null for the random generator.
  mlir::Value ref;
  /// True if the program certainly reads it, and certainly wrote no part of it.
  bool certain;
  /// The part of the Ref that is read.
  ElementBox box = {};
};

/// State that flows along a grid dimension: of two adjacent programs one writes
/// scratch that the other one reads.
struct Carry {
  mlir::Operation *write, *read;
  mlir::Value ref;
  mlir::SmallVector<int64_t> writer, reader;
};

/// The condition, an `i1`, under which an op reads a Ref; null if it always
/// does.
mlir::Value getReadCondition(mlir::Operation *op, mlir::Value ref);

/// Returns true for an op that starts a write to `ref`, whose elements are
/// there only after a wait.
bool arrivesLater(mlir::Operation *op, mlir::Value ref);

/// The reads by which a program may take over state, among the programs whose
/// ids are 0 along all of `firstDims`: exactly these may not be the first of
/// their run if state must not flow from one run into the next.
mlir::SmallVector<CarriedRead>
findCarriedReads(KernelOp kernel, llvm::ArrayRef<unsigned> firstDims);

/// The elements that a copy or another asynchronous op writes. For the question
/// whose data a program reads, the op writes all of its destination when it
/// starts. For other questions it writes nothing, since no expression of the
/// ids tells which wait completes it.
enum class CopiesWrite { AtStart, Never };

/// The same of any Refs of the body, among them those of scopes.
mlir::SmallVector<CarriedRead>
findReadsBeforeWrites(KernelOp kernel, mlir::ValueRange refs,
                      llvm::ArrayRef<unsigned> firstDims,
                      CopiesWrite copies = CopiesWrite::AtStart);

/// Returns two programs between which state flows along dimension `dim`, or
/// none if that depends on values that are known only at run time.
std::optional<Carry> findCarry(KernelOp kernel, unsigned dim);

/// True if each of these programs writes all of an operand's Ref and reads only
/// elements that it has written before: the previous contents of the Ref are
/// lost.
bool beginsAnew(KernelOp kernel, mlir::BlockArgument ref,
                llvm::ArrayRef<unsigned> firstDims,
                CopiesWrite copies = CopiesWrite::AtStart);

/// True if each of these programs writes all of an operand's Ref.
bool writesAll(KernelOp kernel, mlir::BlockArgument ref,
               llvm::ArrayRef<unsigned> firstDims);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_CARRIEDSTATE_H
