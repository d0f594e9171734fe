//===- Views.h - The memory that a Ref names ------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_VIEWS_H
#define GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_VIEWS_H

#include "dialects/Conversion/GridToLoops/Lowering.h"

namespace gridir {

/// A Ref as a memref and a list of pending views, which a memref cannot
/// represent and which accesses apply to values.
struct RefView {
  mlir::Value memref;
  llvm::SmallVector<mlir::Operation *> pending;
};

RefView resolveRef(mlir::Value ref);

/// The memref of a Ref that is one, or nothing.
mlir::Value getMemRef(mlir::Value ref);

/// The strides of a slice, 1 for a dimension of one element. Upstream
/// distinguishes unit dimensions by their strides.
llvm::SmallVector<mlir::OpFoldResult> getStrides(mlir::OpBuilder &builder,
                                                 grid::SliceRefOp slice);

/// True if a slice has a stride and drops dimensions. One op that does both may
/// have unit dimensions that upstream cannot distinguish, so it becomes two.
bool stridesAndDrops(grid::SliceRefOp slice);

/// The memref of a slice, whose offsets are in range.
mlir::Value createSlicedMemRef(mlir::OpBuilder &builder, mlir::Location loc,
                               grid::SliceRefOp slice, mlir::Value memref,
                               llvm::ArrayRef<mlir::OpFoldResult> offsets);

/// Returns a strided memref of the Ref's shape, or null if its elements are not
/// strided.
mlir::Value createStridedMemRef(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value ref);

/// The value that a Ref holds, with the shape of the Ref, as a tensor. It is
/// read in place: a tensor of the memory itself, where no view is pending.
mlir::Value readRef(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value ref, bool mayOverwrite = false);

/// Replaces the contents of a Ref by a tensor.
void writeRef(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
              mlir::Value ref);

/// A loaded value of rank 0 is a scalar; memory holds a tensor of rank 0.
mlir::Value toScalar(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value tensor);
mlir::Value toTensor(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value);

} // namespace gridir

#endif // GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_VIEWS_H
