//===- DynamicSlices.cpp - Slices with dynamic offsets, and rotations -----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToTPU/Lowering.h"
#include "dialects/Support/Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace gridir::grid_to_tpu {
namespace {

/// The constant that a value is, folded from the ops that compute it.
Attribute evaluate(Value value) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant;
  auto result = dyn_cast<OpResult>(value);
  if (!result || result.getOwner()->getNumRegions() != 0 ||
      !isMemoryEffectFree(result.getOwner()))
    return {};
  Operation *op = result.getOwner();
  auto operands = llvm::map_to_vector(op->getOperands(), evaluate);
  if (!llvm::all_of(operands, [](Attribute attr) { return bool(attr); }))
    return {};
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(operands, folded)) || folded.empty())
    return {};
  OpFoldResult number = folded[result.getResultNumber()];
  if (auto attr = dyn_cast<Attribute>(number))
    return attr;
  return evaluate(cast<Value>(number));
}

/// The value that `source` is two concatenated copies of, if it is.
Value getRepeated(Value source, int64_t dim, int64_t size) {
  auto isInsertedAt = [&](tensor::InsertSliceOp op, int64_t start) {
    SmallVector<int64_t> offsets(op.getType().getRank(), 0);
    offsets[dim] = start;
    return op.getStaticOffsets() == ArrayRef(offsets) &&
           op.getSourceType().getShape() == op.getStaticSizes();
  };
  auto second = source.getDefiningOp<tensor::InsertSliceOp>();
  if (!second || !isInsertedAt(second, size) ||
      second.getSourceType().getDimSize(dim) != size ||
      second.getType().getDimSize(dim) != 2 * size)
    return {};
  auto first = second.getDest().getDefiningOp<tensor::InsertSliceOp>();
  if (!first || !isInsertedAt(first, 0) ||
      first.getSource() != second.getSource())
    return {};
  return second.getSource();
}

/// Rotates a value, in 32 bits, so that element `offset` comes first.
Value createRotated(Lowering &lowering, Location loc, Value value, Value offset,
                    int64_t dim) {
  OpBuilder &builder = lowering.builder;
  Type element = getElementTypeOrSelf(value);
  int64_t size = cast<VectorType>(value.getType()).getDimSize(dim);
  Value amount;
  if (auto constant = dyn_cast_if_present<IntegerAttr>(evaluate(offset))) {
    int64_t distance = (size - constant.getInt() % size) % size;
    if (distance == 0)
      return value;
    amount = createI32(builder, loc, distance);
  } else {
    amount = arith::SubIOp::create(builder, loc, createI32(builder, loc, size),
                                   toI32(builder, loc, lowering.get(offset)));
  }
  value = createElementCast(builder, loc, value, getWideElement(element));
  value = createRotate(builder, loc, value, amount, dim);
  return createElementCast(builder, loc, value, element);
}

} // namespace

/// Mosaic takes slices at constant offsets: the wanted elements are rotated to
/// the front first. A slice of two copies of a value is all of it, rotated.
LogicalResult lowerDynamicSlice(tensor::ExtractSliceOp op, Lowering &lowering) {
  if (!op.hasUnitStride())
    return op.emitError("expected a slice of a value without strides; slice "
                        "the Ref instead");
  FailureOr<Type> type = lowering.convertType(op, op.getType());
  if (failed(type))
    return failure();
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  SmallVector<int64_t> offsets(op.getStaticOffsets());
  SmallVector<std::pair<int64_t, Value>> dynamic;
  for (auto [dim, offset] : llvm::enumerate(op.getMixedOffsets()))
    if (auto value = dyn_cast<Value>(offset)) {
      dynamic.push_back({dim, value});
      offsets[dim] = 0;
    }
  if (dynamic.size() == 1) {
    auto [dim, offset] = dynamic.front();
    Value repeated = getRepeated(op.getSource(), dim, op.getStaticSizes()[dim]);
    if (repeated && repeated.getType() == op.getType()) {
      lowering.set(
          op.getResult(),
          createRotated(lowering, loc, lowering.get(repeated), offset, dim));
      return success();
    }
  }
  Value value = lowering.get(op.getSource());
  for (auto [dim, offset] : dynamic)
    value = createRotated(lowering, loc, value, offset, dim);
  for (auto [dim, sizes] : llvm::enumerate(op.getStaticSizes()))
    value = createPart(builder, loc, value, dim, offsets[dim], sizes);
  lowering.set(op.getResult(), createShapeCast(builder, loc, value, *type));
  return success();
}

/// An amount of a rotation that is not negative and less than `size`.
static Value createAmount(Lowering &lowering, Location loc, Value amount,
                          int64_t size) {
  OpBuilder &builder = lowering.builder;
  if (auto constant = dyn_cast_if_present<IntegerAttr>(evaluate(amount)))
    return createI32(builder, loc, (constant.getInt() % size + size) % size);
  return createModulo(builder, loc, toI32(builder, loc, lowering.get(amount)),
                      createI32(builder, loc, size));
}

/// Mosaic rotates 32 bits, and further from row to row where rows are those of
/// registers; other slices are rotated one by one.
LogicalResult lowerRotate(grid::RotateOp op, Lowering &lowering) {
  FailureOr<Type> converted = lowering.convertType(op, op.getType());
  if (failed(converted))
    return failure();
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  auto type = cast<VectorType>(*converted);
  int64_t dim = op.getDim(), rank = type.getRank(), size = type.getDimSize(dim);
  Value amount = createAmount(lowering, loc, op.getAmount(), size);
  Value value = createElementCast(builder, loc, lowering.get(op.getSource()),
                                  getWideElement(type.getElementType()));
  if (!op.getStride()) {
    if (!matchPattern(amount, m_Zero()))
      value = createRotate(builder, loc, value, amount, dim);
  } else if (int64_t along = *op.getStrideDim(),
             stride =
                 (static_cast<int64_t>(*op.getStride()) % size + size) % size;
             dim == rank - 1 && along == rank - 2) {
    value = tpu::DynamicRotateOp::create(
        builder, loc, value.getType(), value, amount,
        builder.getSI32IntegerAttr(dim), builder.getSI32IntegerAttr(stride),
        builder.getSI32IntegerAttr(along));
  } else {
    SmallVector<Value> parts;
    for (int64_t i = 0, end = type.getDimSize(along); i < end; ++i) {
      Value more = createI32(builder, loc, i * stride % size);
      Value sum = arith::AddIOp::create(builder, loc, amount, more);
      Value extent = createI32(builder, loc, size);
      Value isBeyond = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::sge, sum, extent);
      Value around = arith::SubIOp::create(builder, loc, sum, extent);
      parts.push_back(createRotate(
          builder, loc, createPart(builder, loc, value, along, i, 1),
          arith::SelectOp::create(builder, loc, isBeyond, around, sum), dim));
    }
    value = createConcat(builder, loc, parts, along);
  }
  lowering.set(op.getResult(),
               createElementCast(builder, loc, value, type.getElementType()));
  return success();
}

} // namespace gridir::grid_to_tpu
