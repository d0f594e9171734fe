//===- Elements.h - Tensors by the coordinates of their elements -*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_SUPPORT_ELEMENTS_H
#define GRIDIR_DIALECTS_SUPPORT_ELEMENTS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace gridir {

/// A tensor without contents.
mlir::Value createEmpty(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::RankedTensorType type);

/// An element from its coordinates, which are index values.
using CoordinateFn = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, llvm::ArrayRef<mlir::Value>)>;

/// A tensor whose elements are computed from their coordinates.
mlir::Value createElements(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::RankedTensorType type, CoordinateFn fn);

/// A signed integer or index modulo a positive one, which is not negative.
mlir::Value createModulo(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, mlir::Value extent);

} // namespace gridir

#endif // GRIDIR_DIALECTS_SUPPORT_ELEMENTS_H
