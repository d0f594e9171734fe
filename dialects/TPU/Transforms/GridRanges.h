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
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gridir::tpu {

/// Ranges of integers, of which those of the grid's indices are given.
class GridRangeAnalysis : public mlir::dataflow::IntegerRangeAnalysis {
public:
  GridRangeAnalysis(mlir::DataFlowSolver &solver, mlir::func::FuncOp function,
                    llvm::ArrayRef<int64_t> bounds)
      : IntegerRangeAnalysis(solver), function(function), bounds(bounds) {}

  void
  setToEntryState(mlir::dataflow::IntegerValueRangeLattice *lattice) override;

private:
  mlir::func::FuncOp function;
  llvm::ArrayRef<int64_t> bounds;
};

/// A kernel, and the functions that say where its windows lie.
llvm::SmallVector<mlir::func::FuncOp> getFunctions(mlir::func::FuncOp kernel);

/// The first sum, difference, product or shift of scalars in a kernel's
/// functions that may wrap around; null where none does.
mlir::Operation *findWrapping(mlir::func::FuncOp kernel);

/// The first op by which a function that says where a window lies may read
/// beyond a Ref; null where none does.
mlir::Operation *findReadBeyond(mlir::func::FuncOp kernel);

} // namespace gridir::tpu

#endif // GRIDIR_DIALECTS_TPU_TRANSFORMS_GRIDRANGES_H
