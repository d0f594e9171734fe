//===- ContractionPlan.h - panels and tiles of a contraction ---*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_CONTRACTIONPLAN_H
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_CONTRACTIONPLAN_H

#include "dialects/CPU/Transforms/DotProducts.h"
#include "dialects/CPU/Transforms/VectorTarget.h"

namespace gridir::cpu {

/// How an op out(m, n) += a(m, k) * b(k, n) is divided into panels of columns,
/// tiles of rows and parts of the reduction.
struct ContractionPlan {
  /// Fails for an op that is left to the tiling of other ops. A processor
  /// fetches nothing by itself of an array of `prefetchBytes`; 0 for no such
  /// array.
  static llvm::FailureOr<ContractionPlan>
  get(mlir::linalg::LinalgOp op, const VectorTarget &target,
      llvm::ArrayRef<std::string> dotProducts, int64_t prefetchBytes);

  mlir::linalg::LinalgOp op;
  VectorTarget target;
  int64_t prefetchBytes;
  llvm::SmallVector<int64_t> ranges;
  llvm::SmallVector<mlir::AffineMap> maps;
  /// The operands a and b, and the loops that the innermost tiles run over.
  unsigned lhs = 0, rhs = 1, m = 0, n = 0, k = 0;
  /// The types of the result, of the accumulators, and of packed operands.
  mlir::Type outType, computeType, packedType;
  /// The instruction for dot products, or none.
  std::optional<DotForm> form;
  /// True if the reduction begins at its last step.
  bool descends = false;
  /// Elements of a register, and columns of a full panel.
  int64_t lanes = 1, width = 1;
  /// True if the outermost loop runs over the steps of the reduction, so that
  /// the right operand is read along its rows.
  bool isRightStreamed = false;
  /// True if the outermost loop runs over the steps of the reduction, and
  /// copies the part of the left operand that they take.
  bool isLeftCopied = false;

  bool areStepsOutermost() const { return isRightStreamed || isLeftCopied; }
  /// Steps of each turn of that loop.
  int64_t getOutermostSteps() const;

  bool hasTiles() const { return form && form->product->hasTiles; }

  /// Rows and steps, rounded up to whole tiles.
  int64_t padRows(int64_t rows) const;
  int64_t padSteps(int64_t steps) const;

  int64_t getTileRows() const;

  int64_t getBytes(unsigned operand) const;
  mlir::Type getElementType(unsigned operand) const;

  /// The signedness that the body reads an input with, as an op.
  bool isUnsigned(unsigned operand) const;

  /// True if dimension `first` of an operand is after dimension `second`.
  bool isTransposed(unsigned operand, unsigned first, unsigned second) const;

  /// Steps per panel of `columns` columns. A single panel serves all columns,
  /// so that nothing reads the left operand again: its rows are read as far as
  /// a second-level cache keeps the panel.
  int64_t getDepth(int64_t columns) const;

  /// True if enough rows use a panel for a copy of it.
  bool isPackingWorthwhile() const;

  /// True if panels of the right operand have its elements as they are, and
  /// enough rows use them. The first tile can copy such a panel beside its
  /// additions.
  bool isRightOnlyCopied(int64_t columns, int64_t panelWidth) const;

  /// Rows of the next panel of `steps` rows that a tile fetches.
  int64_t getFetchedRows(int64_t steps, int64_t rows) const;

  /// True if another panel of the right operand is packed after one, by this op
  /// or by the next program of a kernel whose grid has the reduction last, and
  /// a processor does not fetch it by itself.
  bool isRightFollowed(int64_t depth, int64_t panelWidth) const;

  /// True if the array that the right operand is a part of has rows that this
  /// op does not read.
  bool hasRowsAfter() const;

private:
  int64_t getTileColumns() const;
  bool shouldCopyLeft() const;
  bool shouldStreamRight() const;
  mlir::MemRefType getRightArray() const;
  bool isRightLarge() const;
};

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_CONTRACTIONPLAN_H
