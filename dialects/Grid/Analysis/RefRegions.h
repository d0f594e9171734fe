//===- RefRegions.h - The part of a Ref that an access touches --*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_REFREGIONS_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_REFREGIONS_H

#include "dialects/Grid/Analysis/ProgramValues.h"
#include "dialects/Grid/IR/GridWindowInterface.h"

namespace gridir::grid {

/// A box of elements. Along dimension `d` it holds `sizes[d]` elements from
/// `lows[d]`, an expression of `ProgramValues`.
struct ElementBox {
  mlir::SmallVector<mlir::AffineExpr> lows;
  mlir::SmallVector<int64_t> sizes;
  /// True if the box is exact; otherwise it is a hull.
  bool exact = true;

  unsigned getRank() const { return sizes.size(); }

  /// All of a shape.
  static ElementBox whole(llvm::ArrayRef<int64_t> shape,
                          mlir::MLIRContext *context);

  bool operator==(const ElementBox &other) const {
    return lows == other.lows && sizes == other.sizes && exact == other.exact;
  }
};

/// A part of a Ref that no view makes: an argument of the body or of a
/// `grid.scoped`. Without a root it may be any part of any Ref.
struct RefRegion {
  mlir::Value root;
  ElementBox box;
};

/// The parts of roots that the Ref `ref` may name, found by following its
/// views. There is more than one where a Ref is selected; then none of them is
/// exact. `values` reads the offsets.
mlir::SmallVector<RefRegion> getRefRegions(mlir::Value ref,
                                           ProgramValues &values);

/// The parts of roots that a box of `ref` names.
mlir::SmallVector<RefRegion> getRefRegions(mlir::Value ref, ElementBox box,
                                           ProgramValues &values);

/// The window of an op as a box of its Ref, as if its predicate were true.
ElementBox getWindowBox(WindowOpInterface window, ProgramValues &values);

/// The same, of the part of `ref` that `op` accesses: its window, if it has one
/// there. The box includes its part outside of `ref`.
mlir::SmallVector<RefRegion>
getAccessedRegions(mlir::Operation *op, mlir::Value ref, ProgramValues &values);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_REFREGIONS_H
