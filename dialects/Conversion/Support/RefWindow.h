//===- RefWindow.h - The part of a memory that a Ref names -----*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_SUPPORT_REFWINDOW_H
#define GRIDIR_DIALECTS_CONVERSION_SUPPORT_REFWINDOW_H

#include "dialects/Grid/IR/Grid.h"
#include "mlir/IR/Builders.h"

namespace gridir {

/// The i32 sum `offset + index * stride`, folded where it is known.
mlir::OpFoldResult createOffset(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::OpFoldResult offset,
                                mlir::OpFoldResult index, int64_t stride = 1);

/// The indices of a memory that the elements of a Ref have. A conversion
/// without SSA values for Refs adds the memory to it.
struct RefWindow {
  /// For each dimension of the memory. An offset is an i32 value or attribute.
  llvm::SmallVector<mlir::OpFoldResult> offsets;
  llvm::SmallVector<int64_t> strides;
  /// For each dimension of the Ref, that of the memory; -1 for one along which
  /// elements repeat.
  llvm::SmallVector<int64_t> dims;
  /// The shape of the Ref.
  llvm::SmallVector<int64_t> sizes;

  RefWindow() = default;
  /// The window of a whole memory.
  RefWindow(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape);

  bool hasUnitStrides() const;
  /// True if the dimensions of the Ref are in another order than those of the
  /// memory.
  bool isPermuted() const { return !llvm::is_sorted(dims); }
  /// The sizes of the window along all dimensions of the memory: 1 for those
  /// that the Ref does not have.
  llvm::SmallVector<int64_t> getMemorySizes() const;

  /// Makes this the window of a slice of the Ref. `getIndex` returns the
  /// converted value of a dynamic offset.
  void
  slice(mlir::OpBuilder &builder, grid::SliceRefOp op,
        llvm::function_ref<mlir::OpFoldResult(mlir::Value offset)> getIndex);
  /// Makes this the window of the Ref with permuted dimensions.
  void transpose(llvm::ArrayRef<int64_t> permutation);
};

} // namespace gridir

#endif // GRIDIR_DIALECTS_CONVERSION_SUPPORT_REFWINDOW_H
