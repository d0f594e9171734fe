//===- TensorParts.h - Parts of the result of an op on tensors --*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_SUPPORT_TENSORPARTS_H
#define GRIDIR_DIALECTS_SUPPORT_TENSORPARTS_H

#include "mlir/IR/Builders.h"

namespace gridir {

/// A tensor operand whose elements the result has at the same positions.
struct PartOperand {
  mlir::Value value;
  /// For each dimension of the operand, that of the result; -1 for one of a
  /// single element that the result does not have.
  mlir::SmallVector<int64_t> dims;
};

/// Returns the tensor operands of an op that computes each element of its
/// result from elements at the same position: a constant of one value, a fill,
/// a splat, a broadcast, a transpose, an elementwise op, a reshape that adds or
/// drops dimensions of one element, or elements that depend on their position
/// alone. Fails for other ops.
mlir::FailureOr<mlir::SmallVector<PartOperand>>
getPartOperands(mlir::Operation *op);

/// Creates such an op for a part of its result, at offsets and of a shape, from
/// parts of the operands that `getPartOperands` returns.
mlir::Value createPart(mlir::OpBuilder &builder, mlir::Operation *op,
                       llvm::ArrayRef<mlir::OpFoldResult> offsets,
                       llvm::ArrayRef<int64_t> shape,
                       mlir::ValueRange operands);

} // namespace gridir

#endif // GRIDIR_DIALECTS_SUPPORT_TENSORPARTS_H
