//===- Builders.h - Small builders that conversions share ------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_SUPPORT_BUILDERS_H
#define GRIDIR_DIALECTS_SUPPORT_BUILDERS_H

#include "mlir/IR/Builders.h"

namespace gridir {

/// Constants.
mlir::Value createIndex(mlir::OpBuilder &builder, mlir::Location loc,
                        int64_t value);
mlir::Value createI32(mlir::OpBuilder &builder, mlir::Location loc,
                      int64_t value);
mlir::Value createI64(mlir::OpBuilder &builder, mlir::Location loc,
                      int64_t value);

/// A signed integer or index in another type; an attribute as a constant.
mlir::Value toIndex(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::OpFoldResult value);
mlir::Value toI32(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::OpFoldResult value);
mlir::Value toI64(mlir::OpBuilder &builder, mlir::Location loc,
                  mlir::Value value);

/// The zero of a type of numbers, or of vectors or tensors of them.
mlir::Value createZero(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Type type);

/// One float on every element of `type`.
mlir::Value createFloat(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Type type, double number);

/// One integer, cut to its width, on every element of `type`.
mlir::Value createInteger(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Type type, int64_t number);

/// The sum of two numbers of any element type.
mlir::Value createAdd(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value a, mlir::Value b);

/// A matrix with its dimensions exchanged.
mlir::Value createTransposed(mlir::OpBuilder &builder, mlir::Location loc,
                             mlir::Value matrix);

/// `type`, or a vector or tensor of it, as `like` is one.
mlir::Type withElementType(mlir::Type like, mlir::Type type);

/// One element of arithmetic inside an elementwise op.
using ElementFn = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

/// Applies `fn` to scalars at once, or to tensors of one shape element by
/// element.
mlir::Value createElementwise(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Type resultType, mlir::ValueRange operands,
                              ElementFn fn);

/// The same op on other values, with empty regions.
mlir::Operation *createLike(mlir::OpBuilder &builder, mlir::Operation *op,
                            mlir::ValueRange operands, mlir::TypeRange types);

} // namespace gridir

#endif // GRIDIR_DIALECTS_SUPPORT_BUILDERS_H
