//===- Builders.cpp - Small builders that conversions share ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/Builders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace gridir {

Value createIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value createI32(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}

Value createI64(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 64);
}

Value toIndex(OpBuilder &builder, Location loc, OpFoldResult value) {
  if (auto attr = dyn_cast<Attribute>(value))
    return createIndex(builder, loc, cast<IntegerAttr>(attr).getInt());
  auto number = cast<Value>(value);
  if (number.getType().isIndex())
    return number;
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    number);
}

Value toI32(OpBuilder &builder, Location loc, OpFoldResult value) {
  if (auto attr = dyn_cast<Attribute>(value))
    return createI32(builder, loc, cast<IntegerAttr>(attr).getInt());
  auto number = cast<Value>(value);
  Type i32 = builder.getI32Type();
  if (number.getType().isIndex())
    return arith::IndexCastOp::create(builder, loc, i32, number);
  if (number.getType() == i32)
    return number;
  if (number.getType().getIntOrFloatBitWidth() > 32)
    return arith::TruncIOp::create(builder, loc, i32, number);
  return arith::ExtSIOp::create(builder, loc, i32, number);
}

Value toI64(OpBuilder &builder, Location loc, Value value) {
  Type i64 = builder.getI64Type();
  if (value.getType().isIndex())
    return arith::IndexCastOp::create(builder, loc, i64, value);
  if (value.getType() != i64)
    return arith::ExtSIOp::create(builder, loc, i64, value);
  return value;
}

Value createZero(OpBuilder &builder, Location loc, Type type) {
  if (auto complexType = dyn_cast<ComplexType>(type)) {
    Attribute zero = builder.getZeroAttr(complexType.getElementType());
    return complex::ConstantOp::create(builder, loc, type,
                                       builder.getArrayAttr({zero, zero}));
  }
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

Value createFloat(OpBuilder &builder, Location loc, Type type, double number) {
  return createScalarOrSplatConstant(
      builder, loc, type,
      builder.getFloatAttr(getElementTypeOrSelf(type), number).getValue());
}

Value createInteger(OpBuilder &builder, Location loc, Type type,
                    int64_t number) {
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return createScalarOrSplatConstant(
      builder, loc, type,
      APInt(width, number, /*isSigned=*/true, /*implicitTrunc=*/true));
}

Value createAdd(OpBuilder &builder, Location loc, Value a, Value b) {
  Type type = getElementTypeOrSelf(a);
  if (isa<ComplexType>(type))
    return complex::AddOp::create(builder, loc, a, b);
  if (isa<FloatType>(type))
    return arith::AddFOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, a, b);
}

Value createTransposed(OpBuilder &builder, Location loc, Value matrix) {
  auto type = cast<RankedTensorType>(matrix.getType());
  Value empty = tensor::EmptyOp::create(
      builder, loc, {type.getDimSize(1), type.getDimSize(0)},
      type.getElementType());
  return linalg::TransposeOp::create(builder, loc, matrix, empty,
                                     ArrayRef<int64_t>{1, 0})
      ->getResult(0);
}

Type withElementType(Type like, Type type) {
  if (isa<RankedTensorType, VectorType>(like))
    return cast<ShapedType>(like).clone(type);
  return type;
}

Value createElementwise(OpBuilder &builder, Location loc, Type resultType,
                        ValueRange operands, ElementFn fn) {
  auto tensorType = dyn_cast<RankedTensorType>(resultType);
  if (!tensorType)
    return fn(builder, loc, operands);
  Value empty = tensor::EmptyOp::create(builder, loc, tensorType.getShape(),
                                        tensorType.getElementType());
  unsigned rank = tensorType.getRank();
  SmallVector<AffineMap> maps;
  for (Value operand : operands)
    maps.push_back(isa<RankedTensorType>(operand.getType())
                       ? builder.getMultiDimIdentityMap(rank)
                       : AffineMap::get(rank, 0, builder.getContext()));
  maps.push_back(builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, tensorType, operands, empty, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        linalg::YieldOp::create(builder, loc,
                                fn(builder, loc, args.drop_back()));
      });
  return generic.getResult(0);
}

Operation *createLike(OpBuilder &builder, Operation *op, ValueRange operands,
                      TypeRange types) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(types);
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (unsigned i = 0; i < op->getNumRegions(); ++i)
    state.addRegion();
  return builder.create(state);
}

} // namespace gridir
