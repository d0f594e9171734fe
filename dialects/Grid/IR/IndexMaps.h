//===- IndexMaps.h - Index maps as regions and as affine maps -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_INDEXMAPS_H
#define GRIDIR_DIALECTS_GRID_IR_INDEXMAPS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Region.h"
#include <optional>

namespace gridir::grid {

/// What `op` computes from two integers, where that is affine in them for all
/// of their values; null where it is not.
mlir::AffineExpr getAffineExpr(mlir::Operation *op, mlir::AffineExpr lhs,
                               mlir::AffineExpr rhs);

/// Reads an index map as an affine map of its first `rank` arguments, the
/// program ids. Gives nothing when the region is not affine in them.
std::optional<mlir::AffineMap> readAffineIndexMap(mlir::Region &region,
                                                  unsigned rank);

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
