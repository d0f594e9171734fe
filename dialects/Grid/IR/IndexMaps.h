//===- IndexMaps.h - Index maps as regions and as affine maps -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_INDEXMAPS_H
#define GRIDIR_DIALECTS_GRID_IR_INDEXMAPS_H

#include "dialects/Support/Intervals.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Region.h"
#include <optional>

namespace gridir::grid {

/// The range of program ids along each dimension of a grid.
mlir::SmallVector<Interval> getIdRanges(llvm::ArrayRef<int64_t> gridShape);

/// Returns the affine expression of `op` on two integers; null if it is not
/// affine for all values. The left operand may be known to be non-negative.
mlir::AffineExpr getAffineExpr(mlir::Operation *op, mlir::AffineExpr lhs,
                               mlir::AffineExpr rhs, bool isNeverNegative);

/// Reads an index map as an affine map of its first arguments, the program ids
/// of a grid of that shape, in its simplest form. Returns none if the region is
/// not affine in them, or if a result wraps around for some id of a static
/// grid.
std::optional<mlir::AffineMap>
readAffineIndexMap(mlir::Region &region, llvm::ArrayRef<int64_t> gridShape);

/// Fills an empty region with the index map that `map` describes. The block
/// takes `rank` i32 program ids and then `indexRefs`; the results are
/// `indexType`.
void buildAffineIndexMap(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Region &region, mlir::AffineMap map,
                         unsigned rank, mlir::TypeRange indexRefs,
                         mlir::Type indexType);

/// Computes an affine expression of the program ids, which are the first
/// arguments of the index map `block`, as `arith` ops on integers of `type`.
mlir::Value buildAffineExpr(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Block &block, mlir::AffineExpr expr,
                            mlir::Type type);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_IR_INDEXMAPS_H
