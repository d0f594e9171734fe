//===- GridLoops.h - Loops over the dimensions of a grid -------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The number of CTAs of a warpgroup program is static. Loops of the body
// therefore replace the dimensions of a grid whose size a call defines, and the
// dimensions that run in order with them. Programs of parallel dimensions are
// distributed to a static number of programs.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_GRIDLOOPS_H
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_GRIDLOOPS_H

#include "dialects/Grid/IR/Grid.h"

namespace gridir::warpgroup {

class GridLoops {
public:
  explicit GridLoops(grid::KernelOp old);

  /// The number of sizes that a call defines: as many inputs of the changed
  /// kernel, which are its first ones, contain them.
  unsigned getNumSizes() const { return numSizes; }

  /// True if a map of program ids depends on a dimension that a loop replaces.
  bool dependsOnLoops(mlir::AffineMap map) const;

  /// A map of the remaining dimensions for one that does not depend on loops.
  mlir::AffineMap getRemaining(mlir::AffineMap map);

  /// The grid of the changed kernel.
  unsigned getRank() const;
  void changeDims(grid::KernelOp kernel);

  /// Moves all ops of the body of the changed kernel into loops. Returns the
  /// ids along the dimensions of the old kernel, and sets the insertion point
  /// to where they are known.
  llvm::SmallVector<mlir::Value> createLoops(mlir::OpBuilder &builder,
                                             grid::KernelOp kernel);

private:
  mlir::Value createCount(mlir::OpBuilder &builder,
                          llvm::ArrayRef<unsigned> dims);
  void createLoop(mlir::OpBuilder &builder, llvm::ArrayRef<unsigned> dims,
                  mlir::Value first, int64_t distance);
  void replaceAxis(mlir::OpBuilder &builder, mlir::Operation *op);

  grid::KernelOp old;
  unsigned numSizes;
  /// Dimensions that remain; parallel ones of unknown size; those whose
  /// programs run in order.
  llvm::SmallVector<unsigned> kept, distributed, ordered;
  /// The sizes and ids along each dimension, as i32.
  llvm::SmallVector<mlir::Value> sizes, ids;
};

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_GRIDLOOPS_H
