//===- ElementRanges.h - Ranges of the elements of tensors *- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_ELEMENTRANGES_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_ELEMENTRANGES_H

#include "dialects/Grid/Analysis/ProgramValues.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace gridir::grid {

/// Ranges of the elements of integer tensors, over all elements and programs.
class ElementRanges {
public:
  explicit ElementRanges(ProgramValues &values) : values(values) {}

  /// The range of a scalar, or of all elements of a tensor.
  Interval get(mlir::Value value);

private:
  Interval compute(mlir::Operation *op, mlir::OpResult result,
                   Interval unknown);
  mlir::SmallVector<Interval> getAll(mlir::ValueRange operands);
  Interval computeBody(mlir::linalg::GenericOp op, unsigned result,
                       Interval unknown);

  ProgramValues &values;
  llvm::DenseMap<mlir::Value, Interval> ranges;
};

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_ELEMENTRANGES_H
