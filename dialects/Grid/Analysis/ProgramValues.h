//===- ProgramValues.h - Integers in terms of program ids ------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an integer scalar of a kernel is in terms of the running program: an
// affine expression of the program ids, and a range. Every question about
// blocks, offsets and conditions of a kernel starts here.
//
// Index arithmetic of sizes that only the call knows is taken not to wrap
// around: an index that does is outside every array.
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

  /// Looks only at the programs whose id along `dim` is in `range`. What was
  /// read before is forgotten.
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

  /// Whether the result of an op may be another number than that which it
  /// computes, so that no affine expression is it: where all operands are known
  /// numbers of a static grid, or of few bits, as in a hash of the program ids.
  bool mayWrap(mlir::Operation *op, llvm::ArrayRef<Fact> args,
               llvm::ArrayRef<Interval> ranges) const;

  /// Whether a comparison holds that is the same for both arms of a select, as
  /// whether a divisor is 0 that a select has replaced by 1 where it was.
  std::optional<bool> decideByArms(mlir::Operation *op);

  /// Whether `op` holds with `lhs` as its left operand, where `condition` is
  /// `holds`.
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
  /// Those of the symbols, side by side: there may be thousands, and each
  /// question about an expression needs them.
  mlir::SmallVector<Interval> symbolRanges;
  llvm::DenseMap<mlir::Value, Fact> facts;
  unsigned depth = 0;
  bool maySplit = true;
};

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_PROGRAMVALUES_H
