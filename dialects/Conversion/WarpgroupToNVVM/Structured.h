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

namespace gridir::warpgroup_to_nvvm {

/// The body of a structured op on one element of each operand; `place` has the
/// numbers of the loops, where the body reads them.
llvm::SmallVector<mlir::Value> inlineBody(Lowering &lowering,
                                          mlir::linalg::LinalgOp op,
                                          mlir::ValueRange elements,
                                          llvm::ArrayRef<mlir::Value> place);

/// The dimensions that a map takes, in its order; none where it computes.
std::optional<llvm::SmallVector<int64_t>> getMapDims(mlir::AffineMap map);

/// An op some of whose loops combine elements.
llvm::LogicalResult lowerReduction(mlir::linalg::LinalgOp op,
                                   Lowering &lowering);

} // namespace gridir::warpgroup_to_nvvm

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_STRUCTURED_H
