//===- PartialReduction.h - A reduction by single threads ------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_PARTIALREDUCTION_H
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_PARTIALREDUCTION_H

#include "dialects/Warpgroup/Layout/Layout.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

namespace gridir::warpgroup {

/// A sum across threads, without its last step. The input is expanded by the
/// layout, so that each reduced dimension is in a register or in a thread. Only
/// those in registers are reduced. The result has the dimensions of the sum,
/// then those that distinguish threads.
class PartialReduction {
public:
  /// None unless `op` is a sum that begins with 0, each thread holds different
  /// elements of it, and the total would need no relayout.
  static std::optional<PartialReduction> get(mlir::linalg::LinalgOp op);

  mlir::linalg::LinalgOp getOp() const { return op; }
  /// The type of the sums of the threads.
  mlir::RankedTensorType getType() const { return partial; }
  /// The number of threads whose sums are the total.
  int64_t getNumThreads() const;

  mlir::Value create(mlir::OpBuilder &builder);

private:
  explicit PartialReduction(mlir::linalg::LinalgOp op) : op(op) {}
  /// Divides the reduced dimensions of the input.
  bool expand();
  void expandDim(int64_t dim, int64_t size, const Layout &layout);
  /// Finds the type of the sums of threads. False if their total has another
  /// layout than the result.
  bool project();

  mlir::linalg::LinalgOp op;
  mlir::RankedTensorType expanded, partial;
  llvm::SmallVector<mlir::ReassociationIndices> groups;
  Coordinates shape, tile;
  /// Dimensions of the expanded input: the reduced ones in registers and in
  /// threads, and those of the partial sums.
  llvm::SmallVector<int64_t> inRegisters, inThreads, sums;
};

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_PARTIALREDUCTION_H
