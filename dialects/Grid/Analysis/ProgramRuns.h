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
// them. If no affine expression of the ids decides a check, for example for a
// slot that alternates in each iteration, the programs are simulated.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_PROGRAMRUNS_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_PROGRAMRUNS_H

#include "dialects/Grid/Analysis/ProgramValues.h"
#include "dialects/Grid/Analysis/RefRegions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallBitVector.h"

namespace gridir::grid {

class ProgramRuns {
public:
  using Number = std::optional<int64_t>;

  /// A semaphore: the Ref that it is an element of, and its number there.
  using Key = std::pair<mlir::Value, int64_t>;

  virtual ~ProgramRuns() = default;

protected:
  explicit ProgramRuns(KernelOp kernel)
      : kernel(kernel), values(kernel), readDims(kernel.getRank()),
        concurrentDims(kernel.getRank()) {}

  /// Follows all programs. Returns the reason why the simulation stopped; null
  /// if it is complete.
  const char *follow() { return follow(kernel.getGridShape()); }
  /// Follows the programs whose ids are in `shape`.
  const char *follow(llvm::ArrayRef<int64_t> shape);

  /// Marks `op`, and the ops around it, for simulation.
  void addRelevant(mlir::Operation *op);

  /// Returns an integer in the current program and iteration, or none if it is
  /// known only at run time.
  Number read(mlir::Value value);
  mlir::SmallVector<Number> read(mlir::ValueRange values);
  /// Returns the semaphore that a Ref selects, or none if it is ambiguous.
  std::optional<Key> readSemaphore(mlir::Value ref);
  /// Returns the amount that a change adds to a semaphore or subtracts from it.
  /// For a copy this is the size in bytes of a Ref of its shape.
  Number readAmount(const SemaphoreChange &change);
  /// Returns a box in the current program, or none if it depends on values that
  /// are known only at run time. `reader` defines the symbols of its bounds.
  std::optional<ElementBox> readBox(ElementBox box, ProgramValues &reader);
  llvm::ArrayRef<int64_t> getProgram() const { return program; }
  /// The dimensions whose ids decided any number so far.
  const llvm::SmallBitVector &getReadDims() const { return readDims; }

  virtual void beginProgram() {}
  virtual void endProgram() {}
  virtual void enter(ScopedOp) {}
  virtual void leave(ScopedOp) {}
  /// Visits a relevant op that is not control flow.
  virtual void visit(mlir::Operation *op) = 0;
  /// An op with a part whose execution depends on the call.
  virtual void lose(mlir::Operation *op) = 0;

  KernelOp kernel;
  ProgramValues values;

private:
  /// Finds the Refs of scratch and scopes whose integers can be followed, and
  /// marks their loads and stores.
  void findMemory();
  void followMemory(mlir::Operation *op);
  /// The integers of a Ref become unknown.
  void forgetMemory(mlir::Value root);

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
  llvm::SmallBitVector readDims;
  /// Counters of loops, carried values, and results.
  llvm::DenseMap<mlir::Value, Number> carried;
  llvm::DenseMap<mlir::Value, Number> known;
  llvm::DenseSet<mlir::Operation *> relevant;
  /// The integers that the programs have stored, the loads and stores, and
  /// those of them that are followed for no other reason.
  llvm::DenseMap<Key, int64_t> stored;
  llvm::DenseSet<mlir::Operation *> memoryOps, onlyMemoryOps;
  llvm::SmallBitVector concurrentDims;
  int64_t steps = 0;
};

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_PROGRAMRUNS_H
