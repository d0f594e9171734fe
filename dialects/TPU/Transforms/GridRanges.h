//===- GridRanges.h - How far the integers of a kernel go ------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_TRANSFORMS_GRIDRANGES_H
#define GRIDIR_DIALECTS_TPU_TRANSFORMS_GRIDRANGES_H

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace gridir::tpu {

/// Ranges of integers, given the ranges of the grid's indices. The range of a
/// vector covers all its elements.
class GridRangeAnalysis : public mlir::dataflow::IntegerRangeAnalysis {
public:
  GridRangeAnalysis(mlir::DataFlowSolver &solver, mlir::func::FuncOp function,
                    llvm::ArrayRef<int64_t> bounds)
      : IntegerRangeAnalysis(solver), function(function), bounds(bounds) {}

  void
  setToEntryState(mlir::dataflow::IntegerValueRangeLattice *lattice) override;

  /// Upstream treats a carried value as any number as soon as it changes. A
  /// counter that restarts when it reaches an end keeps its range. The range of
  /// a vector of indices is known.
  mlir::LogicalResult visitOperation(
      mlir::Operation *op,
      llvm::ArrayRef<const mlir::dataflow::IntegerValueRangeLattice *> operands,
      llvm::ArrayRef<mlir::dataflow::IntegerValueRangeLattice *> results)
      override;

private:
  mlir::func::FuncOp function;
  llvm::ArrayRef<int64_t> bounds;
};

/// The ranges of the integers of one of a kernel's functions, as long as the
/// function does not change.
class FunctionRanges {
public:
  FunctionRanges(mlir::func::FuncOp kernel, mlir::func::FuncOp function);

  /// The range of an integer; none if it is computed by dead code.
  std::optional<mlir::ConstantIntRanges> getRange(mlir::Value value) const;

  /// True if an integer is known to be at least 0 and less than `bound`.
  bool isIndex(mlir::Value value, int64_t bound) const;

private:
  mlir::DataFlowSolver solver;
  bool isKnown;
};

/// The transform function of each window of a kernel; null for windows without
/// one.
llvm::SmallVector<mlir::func::FuncOp> getTransforms(mlir::func::FuncOp kernel);

/// A kernel and the transform functions of its windows.
llvm::SmallVector<mlir::func::FuncOp> getFunctions(mlir::func::FuncOp kernel);

/// The ranges of the integers of all functions of a kernel.
class KernelRanges {
public:
  explicit KernelRanges(mlir::func::FuncOp kernel);

  /// The ranges of one of the kernel's functions, computed at the first query:
  /// many functions are never queried.
  const FunctionRanges &getRanges(mlir::func::FuncOp function) const;

  /// The sums, differences, products and shifts of scalars that may wrap
  /// around.
  llvm::SmallVector<mlir::Operation *> findWrapping() const;

  /// The ops by which transform functions may read out of bounds.
  llvm::SmallVector<mlir::Operation *> findReadsBeyond() const;

private:
  mlir::func::FuncOp kernel;
  llvm::SmallVector<mlir::func::FuncOp> functions;
  mutable llvm::DenseMap<mlir::func::FuncOp, std::unique_ptr<FunctionRanges>>
      ofFunctions;
};

} // namespace gridir::tpu

#endif // GRIDIR_DIALECTS_TPU_TRANSFORMS_GRIDRANGES_H
