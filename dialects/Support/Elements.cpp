//===- Elements.cpp - Tensors by the coordinates of their elements --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace gridir {

Value createEmpty(OpBuilder &builder, Location loc, RankedTensorType type) {
  return tensor::EmptyOp::create(builder, loc, type.getShape(),
                                 type.getElementType());
}

Value createElements(OpBuilder &builder, Location loc, RankedTensorType type,
                     CoordinateFn fn) {
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, TypeRange{type}, ValueRange{},
      ValueRange{createEmpty(builder, loc, type)},
      ArrayRef{builder.getMultiDimIdentityMap(type.getRank())}, loops,
      [&](OpBuilder &inner, Location loc, ValueRange) {
        SmallVector<Value> coordinates;
        for (int64_t dim = 0; dim < type.getRank(); ++dim)
          coordinates.push_back(linalg::IndexOp::create(inner, loc, dim));
        linalg::YieldOp::create(inner, loc, fn(inner, loc, coordinates));
      });
  return generic.getResult(0);
}

Value createModulo(OpBuilder &builder, Location loc, Value value,
                   Value extent) {
  Value rest = arith::RemSIOp::create(builder, loc, value, extent);
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(value.getType()));
  Value isNegative = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::slt, rest, zero);
  Value around = arith::AddIOp::create(builder, loc, rest, extent);
  return arith::SelectOp::create(builder, loc, isNegative, around, rest);
}

} // namespace gridir
