//===- KernelChecks.h - What a kernel should never do ----------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Proofs about all programs of a kernel. Each check has one result for an
// operand, scratch Ref or dimension: proved, refuted with a counterexample, or
// unknown.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_KERNELCHECKS_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_KERNELCHECKS_H

#include "dialects/Grid/Analysis/BlockAccess.h"

namespace gridir::grid {

/// The result of one check for one subject.
struct CheckResult {
  enum Verdict { proved, unknown, refuted } verdict = proved;
  /// True if it is proved for every target except a TPU.
  bool isProvedElsewhere = false;
  /// One of the names that `grid-check` knows.
  llvm::StringRef check;
  /// An operand, a scratch Ref or a dimension.
  std::string subject;
  /// The reason why it is not proved; or additional facts about a proof.
  std::string reason;
  /// The program that is the witness, if there is one.
  mlir::SmallVector<int64_t> witness;
  /// The element of the subject that shows it, where one does.
  std::optional<mlir::SmallVector<int64_t>> element;
  mlir::Location loc;
  /// The location of the write that `loc` reads, if that refutes it.
  std::optional<mlir::Location> writtenAt;

  CheckResult(llvm::StringRef check, std::string subject, mlir::Location loc)
      : check(check), subject(std::move(subject)), loc(loc) {}

  /// Lowers the result; the first reason for it is kept.
  void lower(Verdict to, std::string why, mlir::Location where,
             llvm::ArrayRef<int64_t> program = {});
};

/// The result for an output that shares memory with an input. On a CPU or GPU
/// its block initially holds the input, so it is proved with `reason`. On a TPU
/// the block is uninitialized, and the result is `onTpu`.
CheckResult judgeAliasedOutput(KernelOp kernel, CheckResult onTpu,
                               std::string reason);

llvm::StringRef stringifyVerdict(CheckResult::Verdict verdict);

/// A program as the messages write it: "(0, 3)".
std::string formatProgram(llvm::ArrayRef<int64_t> ids);

/// An index that is not proved to stay within its dimension.
struct OpenIndex {
  /// The view of a Ref, or an access by arrays of indices; null for the block
  /// of an operand.
  mlir::Operation *op;
  unsigned operand;
  unsigned dim;
};

/// Checks that every block overlaps its array and every slice is inside its
/// Ref: a result for each operand with blocks, and for each sliced Ref. A
/// result has its first reason; `open` gets all indices without a proof.
mlir::SmallVector<CheckResult>
checkInBounds(BlockAccess &access,
              mlir::SmallVectorImpl<OpenIndex> *open = nullptr);

/// Checks that some program writes every element of each output.
CheckResult checkWritten(BlockAccess &access, unsigned output);

/// Checks that programs along each dimension that is declared parallel may run
/// in any order: a result for each such dimension.
mlir::SmallVector<CheckResult> checkDisjoint(BlockAccess &access);

/// Checks that no program reads by one name of an array an element that an
/// earlier program wrote by the other: a result for each input that shares
/// memory with an output. A TPU may fetch the block before it is written, and
/// the aliases of JAX 0.10 are functional.
mlir::SmallVector<CheckResult> checkAliases(BlockAccess &access);

/// Checks that nothing is read before it is written: a result for each Ref that
/// is initially uninitialized (scratch, Refs of scopes, and outputs).
mlir::SmallVector<CheckResult> checkInitialized(BlockAccess &access);

/// Checks that signals and waits match: a result for each semaphore of scratch
/// or of a scope.
mlir::SmallVector<CheckResult> checkBalanced(KernelOp kernel);

/// Checks that, in grid order, the programs of each output block are
/// consecutive.
CheckResult checkNoRevisit(BlockAccess &access, unsigned output);

/// Checks that no padding of an overhanging block reaches an output: a result
/// for each input with such blocks.
mlir::SmallVector<CheckResult> checkPadding(BlockAccess &access);

/// Checks that products of integers of less than 32 bits fit into their type: a
/// result for each of them.
mlir::SmallVector<CheckResult> checkOverflow(KernelOp kernel);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_KERNELCHECKS_H
