//===- GridSystem.h - Constraints over programs of a grid ------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The integer points of one or more programs of a grid, the symbols of
// `ProgramValues` that the expressions in question read in each of them, and
// further variables. MLIR's Presburger library decides exactly whether there is
// any.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_GRIDSYSTEM_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_GRIDSYSTEM_H

#include "dialects/Grid/Analysis/ProgramValues.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Analysis/Presburger/PresburgerRelation.h"

namespace gridir::grid {

class GridSystem {
public:
  /// Has room for `numPrograms` programs and `numExtra` further variables.
  /// `reads` lists all expressions that queries will use.
  GridSystem(ProgramValues &values, llvm::ArrayRef<mlir::AffineExpr> reads,
             unsigned numPrograms, unsigned numExtra);

  unsigned getId(unsigned program, unsigned gridDim) const {
    return program * rank + gridDim;
  }
  unsigned getExtra(unsigned i) const {
    return programs * (rank + symbols.size()) + i;
  }
  mlir::AffineExpr dim(unsigned variable) const {
    return getAffineDimExpr(variable, context);
  }

  /// An expression of `ProgramValues` as one of the variables of a program.
  mlir::AffineExpr in(unsigned program, mlir::AffineExpr expr);

  /// `variable` is at least, at most or equal to an expression of variables.
  void add(mlir::presburger::BoundType type, unsigned variable,
           mlir::AffineExpr expr);

  /// An expression of variables is at least 0, or with `equal` it is 0.
  void require(mlir::AffineExpr expr, bool equal = false);

  bool isEmpty() const;

  /// Returns a point of a non-empty system: the lexicographically smallest one
  /// if it exists, since it is the simplest counterexample.
  mlir::SmallVector<llvm::DynamicAPInt> getPoint() const;

  /// Returns the ids of a program at a point. Ids fit i32; other variables are
  /// unbounded.
  mlir::SmallVector<int64_t>
  getProgram(llvm::ArrayRef<llvm::DynamicAPInt> point, unsigned program) const {
    return llvm::map_to_vector(
        point.slice(program * rank, rank),
        [](const llvm::DynamicAPInt &id) { return int64_t(id); });
  }

  /// The values that the extra variables take together, in all programs.
  mlir::presburger::PresburgerSet getExtras(unsigned numExtra) const;

  /// True if every constraint could be added; otherwise the system is too
  /// large.
  bool isComplete() const { return complete; }

private:
  unsigned getSymbol(unsigned program, unsigned i) const {
    return programs * rank + program * symbols.size() + i;
  }
  void bound(unsigned variable, Interval range);

  ProgramValues &values;
  unsigned rank;
  mlir::MLIRContext *context;
  unsigned programs;
  mlir::SmallVector<unsigned> symbols;
  mlir::FlatLinearConstraints constraints;
  bool complete = true;
};

/// The symbols that some expressions read, as numbers of `ProgramValues`.
mlir::SmallVector<unsigned>
getUsedSymbols(llvm::ArrayRef<mlir::AffineExpr> reads);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_GRIDSYSTEM_H
