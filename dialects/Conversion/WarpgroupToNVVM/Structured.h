//===- Structured.h - What lowerings of linalg ops share -------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_STRUCTURED_H
#define GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_STRUCTURED_H

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/MapVector.h"

namespace gridir::warpgroup_to_nvvm {

/// Arrays whose elements in other threads the body of a structured op, or an
/// indexing map, reads: they are in shared memory.
class SharedArrays {
public:
  SharedArrays(mlir::Location loc, Lowering &lowering)
      : loc(loc), lowering(lowering) {}

  void add(mlir::Value array);
  bool contains(mlir::Value array) const { return views.contains(array); }
  /// The element of an array at i32 coordinates.
  mlir::Value load(mlir::Value array, llvm::ArrayRef<mlir::Value> coords) const;

private:
  mlir::Location loc;
  Lowering &lowering;
  llvm::MapVector<mlir::Value, View> views;
  int64_t bytes = 0;
};

/// The body of a structured op on one element of each operand; `indices` are
/// the indices of the loops, where the body reads them.
llvm::SmallVector<mlir::Value> inlineBody(Lowering &lowering,
                                          mlir::linalg::LinalgOp op,
                                          mlir::ValueRange elements,
                                          llvm::ArrayRef<mlir::Value> indices,
                                          const SharedArrays &arrays);

/// The dimensions that a map takes, in its order; none where it computes.
std::optional<llvm::SmallVector<int64_t>> getMapDims(mlir::AffineMap map);

/// The i32 results of a map of i32 numbers.
llvm::SmallVector<mlir::Value>
createMapped(mlir::OpBuilder &builder, mlir::Location loc, mlir::AffineMap map,
             llvm::ArrayRef<mlir::Value> indices);

/// Reports an op of another form than expected.
llvm::LogicalResult refuseStructured(mlir::linalg::LinalgOp op,
                                     llvm::StringRef expected);

/// Stores the arrays that a body asks for elements of. Reports one that does
/// anything else with an array.
llvm::LogicalResult addRead(mlir::linalg::LinalgOp op, SharedArrays &arrays);

/// An op some of whose loops combine elements, or that has several results.
llvm::LogicalResult lowerReduction(mlir::linalg::LinalgOp op,
                                   Lowering &lowering);

/// The same if a thread does not reduce its own elements: each computes its
/// results, one element after the other, from shared memory.
llvm::LogicalResult lowerMovedReduction(mlir::linalg::LinalgOp op,
                                        Lowering &lowering);

} // namespace gridir::warpgroup_to_nvvm

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_STRUCTURED_H
