//===- ValueSlices.h - Parts of values along a dimension -------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers do not hold an operand of a contraction in its whole depth. A loop
// computes parts of it instead, from windows of blocks.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_VALUESLICES_H
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_VALUESLICES_H

#include "dialects/Grid/IR/Grid.h"
#include "llvm/ADT/MapVector.h"

namespace gridir::warpgroup {

/// True if elementwise ops, transposes, reshapes of other dimensions and
/// contractions of matrices compute a tensor of the body from constants and
/// from blocks and windows of inputs, or of scratch that does not change
/// afterwards.
bool canSlice(mlir::Value value, int64_t dim);

/// Returns the contractions that are computed again for each part of a value.
llvm::SmallVector<grid::DotOp> getSlicedContractions(mlir::Value value,
                                                     int64_t dim);

/// Creates parts of values at one position.
class ValueSlicer {
public:
  /// Sets the first position of the parts along their dimension, and their
  /// size.
  void setPosition(mlir::Value newOffset, int64_t newSize);

  /// Returns the part of a value along a dimension. The value is one that can
  /// be sliced, or a whole block.
  mlir::Value create(mlir::OpBuilder &builder, mlir::Value value, int64_t dim);

private:
  mlir::Value createLoad(mlir::OpBuilder &builder, grid::LoadOp load,
                         int64_t dim);
  mlir::Value createDot(mlir::OpBuilder &builder, grid::DotOp dot, int64_t dim);
  mlir::Value createOther(mlir::OpBuilder &builder, mlir::Operation *op,
                          int64_t dim);

  mlir::Value offset;
  int64_t size = 0;
  /// The parts of values, and of the blocks of Refs.
  llvm::MapVector<std::pair<mlir::Value, int64_t>, mlir::Value> parts;
};

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_VALUESLICES_H
