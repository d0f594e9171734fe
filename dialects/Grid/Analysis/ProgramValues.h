//===- ProgramValues.h - Integers in terms of program ids ------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Describes an integer scalar of a kernel in terms of the running program: an
// affine expression of the program ids, and a range. All queries about blocks,
// offsets and conditions of a kernel use this.
//
// Index arithmetic on dynamic sizes is assumed not to wrap around, because an
// index that wraps is outside of every array.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_PROGRAMVALUES_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_PROGRAMVALUES_H

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Support/CarriedRanges.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace gridir::grid {

/// Reads integer scalars of the body and the index maps of one kernel.
class ProgramValues {
public:
  explicit ProgramValues(KernelOp kernel);

  /// A value that no affine expression of the program ids describes. A uniform
  /// one is the same in all programs of a call.
  struct Symbol {
    mlir::Value value;
    Interval range;
    bool uniform;
  };

  KernelOp getKernel() const { return kernel; }

  /// The values that the id along a grid dimension takes.
  Interval getIdRange(unsigned dim) const { return idRanges[dim]; }

  /// Restricts the analysis to programs whose id along `dim` is in `range`.
  /// Earlier results are forgotten.
  void restrictId(unsigned dim, Interval range);

  /// The values that `value` takes in all programs.
  Interval getRange(mlir::Value value) { return read(value).range; }

  /// The values that an expression of this reader takes, or more.
  Interval getRange(mlir::AffineExpr expr) const;

  /// `value` as an affine expression: dimension `d` is the program id along
  /// grid dimension `d`, symbol `s` is `getSymbols()[s]`.
  mlir::AffineExpr getExpr(mlir::Value value) { return read(value).expr; }

  /// `value` as an affine expression of the program ids alone; null when it is
  /// not one.
  mlir::AffineExpr getExprOfIds(mlir::Value value);

  llvm::ArrayRef<Symbol> getSymbols() const { return symbols; }

  /// The grid dimension whose program id `value` is.
  std::optional<unsigned> getIdDim(mlir::Value value) const;

private:
  struct Fact {
    mlir::AffineExpr expr;
    Interval range;
  };

  Fact read(mlir::Value value);
  Fact compute(mlir::Value value);
  Fact computeFromOperands(mlir::Operation *op);
  Fact computeSelect(mlir::Operation *op);
  /// Reads all that a loop carries, and gives `value` of it.
  Fact readCarried(mlir::scf::ForOp loop, mlir::Value value);
  Fact unknown(mlir::Value value, Interval range, bool uniform = false);
  Fact constant(int64_t value);

  /// True if the result of an op may wrap, so that no affine expression
  /// describes it: all operands are known numbers of a static grid, or have few
  /// bits, as in a hash of the program ids.
  bool mayWrap(mlir::Operation *op, llvm::ArrayRef<Fact> args,
               llvm::ArrayRef<Interval> ranges) const;

  /// Decides a comparison that has the same result for both arms of a select,
  /// for example whether a divisor is 0 after a select has replaced 0 by 1.
  std::optional<bool> decideByArms(mlir::Operation *op);

  /// Decides `op` with `lhs` as its left operand, if `condition` is `holds`.
  std::optional<bool> decideGiven(mlir::arith::CmpIOp op, mlir::Value lhs,
                                  mlir::Value condition, bool holds);

  /// The affine expression of an op of two operands; null for none.
  static mlir::AffineExpr computeExpr(mlir::Operation *op, const Fact &a,
                                      const Fact &b);

  /// Which arm of a select all programs take, found by looking at program id 0
  /// and at the others apart. JAX's floor division selects by `sign(id)`, which
  /// differs between the two, though its result does not.
  std::optional<bool> splitSelect(mlir::Operation *op);

  KernelOp kernel;
  mlir::SmallVector<Interval> idRanges;
  mlir::SmallVector<Symbol> symbols;
  /// The ranges of the symbols, in one array: there may be thousands, and each
  /// query about an expression needs them.
  mlir::SmallVector<Interval> symbolRanges;
  llvm::DenseMap<mlir::Value, Fact> facts;
  unsigned depth = 0;
  bool maySplit = true;
};

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_PROGRAMVALUES_H
