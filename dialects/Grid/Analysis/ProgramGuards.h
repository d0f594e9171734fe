//===- ProgramGuards.h - When an op of a kernel runs -----------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conditions on program ids and loop counters under which an op runs, read
// from the branches and loops around it.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_PROGRAMGUARDS_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_PROGRAMGUARDS_H

#include "dialects/Grid/Analysis/GridSystem.h"

namespace gridir::grid {

/// A condition: an expression of `ProgramValues` is at least 0, or is 0.
struct Guard {
  mlir::AffineExpr expr;
  bool equal;
};

struct ProgramGuards {
  mlir::SmallVector<Guard> conditions;
  /// True if the op runs whenever the conditions hold; otherwise it runs only
  /// if they hold.
  bool exact = true;
  /// The counters of loops around the op, which take all values of their range.
  mlir::SmallVector<mlir::Value> counters;

  /// The expressions of the conditions.
  mlir::SmallVector<mlir::AffineExpr> getReads() const;

  /// Requires the conditions of a program.
  void require(GridSystem &system, unsigned program) const;

  /// True if expressions read only program ids and such counters.
  bool decide(llvm::ArrayRef<mlir::AffineExpr> reads,
              ProgramValues &values) const;
};

ProgramGuards getGuards(mlir::Operation *op, ProgramValues &values);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_PROGRAMGUARDS_H
