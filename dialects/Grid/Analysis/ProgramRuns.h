//===- ProgramRuns.h - Programs followed one by one ------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs of a kernel in grid order, as far as numbers determine their
// control flow: ids, loop counters, carried values, and values that follow from
// them. A check that no expression of the ids decides, such as that of a slot
// which flips in each iteration, is decided by simulating the programs.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_PROGRAMRUNS_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_PROGRAMRUNS_H

#include "dialects/Grid/Analysis/ProgramValues.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseSet.h"

namespace gridir::grid {

class ProgramRuns {
public:
  using Number = std::optional<int64_t>;

  /// A semaphore: the Ref that it is an element of, and its number there.
  using Key = std::pair<mlir::Value, int64_t>;

  virtual ~ProgramRuns() = default;

protected:
  explicit ProgramRuns(KernelOp kernel) : kernel(kernel), values(kernel) {}

  /// Why programs are not followed to their end; null where they were.
  const char *follow();

  /// Makes `op`, and the ops around it, such that are followed.
  void addRelevant(mlir::Operation *op);

  /// An integer in the program and the iteration that run; none where it
  /// depends on the call.
  Number read(mlir::Value value);
  mlir::SmallVector<Number> read(mlir::ValueRange values);
  /// The one semaphore that a Ref names; none if it is not plain which.
  std::optional<Key> readSemaphore(mlir::Value ref);
  /// How much a change adds to a semaphore or takes from it. Of a copy these
  /// are the bytes that a Ref of its shape holds.
  Number readAmount(const SemaphoreChange &change);
  llvm::ArrayRef<int64_t> getProgram() const { return program; }

  virtual void beginProgram() {}
  virtual void enter(ScopedOp) {}
  virtual void leave(ScopedOp) {}
  /// A relevant op that is no control flow.
  virtual void visit(mlir::Operation *op) = 0;
  /// An op with a part whose execution depends on the call.
  virtual void lose(mlir::Operation *op) = 0;

  KernelOp kernel;
  ProgramValues values;

private:
  void run(mlir::Block &block);
  void run(mlir::Region &region);
  void run(mlir::Operation &op);
  void run(mlir::scf::ForOp loop);
  void run(mlir::scf::WhileOp loop);
  void giveUp(mlir::Operation *op);

  /// Sets the carried values and counter of a loop in its next iteration.
  void set(mlir::ValueRange variables, llvm::ArrayRef<Number> numbers);
  Number compute(mlir::Value value);
  static Number computeArith(mlir::Operation *op, int64_t a, int64_t b);

  mlir::SmallVector<int64_t> program;
  /// Counters of loops, carried values, and results.
  llvm::DenseMap<mlir::Value, Number> carried;
  llvm::DenseMap<mlir::Value, Number> known;
  llvm::DenseSet<mlir::Operation *> relevant;
  int64_t steps = 0;
};

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_PROGRAMRUNS_H
