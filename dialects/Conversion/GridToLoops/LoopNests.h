//===- LoopNests.h - Loops over the elements of an array --------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_LOOPNESTS_H
#define GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_LOOPNESTS_H

#include "mlir/IR/Builders.h"

namespace gridir {

/// Loops over all indices of `shape`, in row-major order.
void createLoopNest(mlir::OpBuilder &builder, mlir::Location loc,
                    llvm::ArrayRef<int64_t> shape,
                    llvm::function_ref<void(mlir::OpBuilder &, mlir::Location,
                                            mlir::ValueRange)>
                        body);

/// The element of a tensor at indices.
mlir::Value extractAt(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value tensor, mlir::ValueRange indices);

} // namespace gridir

#endif // GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_LOOPNESTS_H
