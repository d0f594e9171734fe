//===- Values.cpp - Small builders of ops on vectors ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToTPU/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gridir::grid_to_tpu {

Value createShapeCast(OpBuilder &builder, Location loc, Value value,
                      Type type) {
  if (value.getType() == type)
    return value;
  auto from = dyn_cast<VectorType>(value.getType());
  auto to = dyn_cast<VectorType>(type);
  if (!from) {
    // The element of a vector remains a vector, since Mosaic has no scalars of
    // less than 32 bits.
    if (auto extract = value.getDefiningOp<vector::ExtractOp>();
        extract && extract.getSourceVectorType().getNumElements() == 1 &&
        to.getRank() > 0)
      value =
          createShapeCast(builder, loc, extract.getSource(),
                          VectorType::get(SmallVector<int64_t>(to.getRank(), 1),
                                          to.getElementType()));
    if (value.getType() == to)
      return value;
    return vector::BroadcastOp::create(builder, loc, to, value);
  }
  if (!to)
    return vector::ExtractOp::create(builder, loc, value,
                                     SmallVector<int64_t>(from.getRank(), 0));
  // Mosaic splits only 32-bit elements into columns.
  Type element = to.getElementType(), wide = getWideElement(element);
  if (wide != element && from.getRank() > 1 && from.getShape().back() > 1 &&
      to.getShape().back() == 1) {
    value = createElementCast(builder, loc, value, wide);
    value = createShapeCast(builder, loc, value, to.clone(wide));
    return createElementCast(builder, loc, value, element);
  }
  return builder.createOrFold<vector::ShapeCastOp>(loc, to, value);
}

Value createRow(OpBuilder &builder, Location loc, Value value) {
  auto type = cast<VectorType>(value.getType());
  return createShapeCast(
      builder, loc, value,
      VectorType::get({1, type.getDimSize(0)}, type.getElementType()));
}

/// A vector of `shape` whose dimensions `dims`, in order, are those of `value`.
Value createBroadcast(OpBuilder &builder, Location loc, Value value,
                      ArrayRef<int64_t> dims, ArrayRef<int64_t> shape) {
  Type element = getElementTypeOrSelf(value);
  auto result = VectorType::get(shape, element);
  if (value.getType() == result)
    return value;
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return vector::BroadcastOp::create(builder, loc, result, value);
  SmallVector<int64_t> unit(shape.size(), 1);
  for (auto [from, to] : llvm::enumerate(dims))
    unit[to] = type.getDimSize(from);
  value = createShapeCast(builder, loc, value, VectorType::get(unit, element));
  if (value.getType() == result)
    return value;
  return vector::BroadcastOp::create(builder, loc, result, value);
}

Value createTranspose(OpBuilder &builder, Location loc, Value value,
                      ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return value;
  auto type = cast<VectorType>(value.getType());
  SmallVector<int64_t> shape = llvm::map_to_vector(
      permutation, [&](int64_t dim) { return type.getDimSize(dim); });
  return tpu::TransposeOp::create(builder, loc,
                                  VectorType::get(shape, type.getElementType()),
                                  value, permutation);
}

Value createElementCast(OpBuilder &builder, Location loc, Value value,
                        Type element, bool isUnsigned) {
  Type from = getElementTypeOrSelf(value);
  if (from == element)
    return value;
  Type type = withElementType(value.getType(), element);
  bool isWider = from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth();
  if (isa<FloatType>(element))
    return isWider
               ? arith::ExtFOp::create(builder, loc, type, value).getResult()
               : arith::TruncFOp::create(builder, loc, type, value).getResult();
  if (element.isInteger(1))
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                 createZero(builder, loc, value.getType()));
  if (!isWider)
    return arith::TruncIOp::create(builder, loc, type, value);
  if (isUnsigned || from.isInteger(1))
    return arith::ExtUIOp::create(builder, loc, type, value);
  return arith::ExtSIOp::create(builder, loc, type, value);
}

Type getWideElement(Type element) {
  Builder builder(element.getContext());
  if (element.getIntOrFloatBitWidth() >= 32)
    return element;
  return isa<FloatType>(element) ? Type(builder.getF32Type())
                                 : Type(builder.getI32Type());
}

Value createPart(OpBuilder &builder, Location loc, Value value, int64_t dim,
                 int64_t start, int64_t size) {
  auto type = cast<VectorType>(value.getType());
  SmallVector<int64_t> offsets(type.getRank(), 0), strides(type.getRank(), 1);
  SmallVector<int64_t> sizes(type.getShape());
  if (start == 0 && size == sizes[dim])
    return value;
  offsets[dim] = start;
  sizes[dim] = size;
  // A slice of a splat is a smaller splat.
  auto part = VectorType::get(sizes, type.getElementType());
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(builder, loc, constant.resizeSplat(part));
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>();
      broadcast && !isa<VectorType>(broadcast.getSourceType()))
    return vector::BroadcastOp::create(builder, loc, part,
                                       broadcast.getSource());
  return vector::ExtractStridedSliceOp::create(builder, loc, value, offsets,
                                               sizes, strides);
}

Value createConcat(OpBuilder &builder, Location loc, ValueRange parts,
                   int64_t dim) {
  if (parts.size() == 1)
    return parts.front();
  auto type = cast<VectorType>(parts.front().getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = 0;
  for (Value part : parts)
    shape[dim] += cast<VectorType>(part.getType()).getDimSize(dim);
  return tpu::ConcatenateOp::create(
      builder, loc, VectorType::get(shape, type.getElementType()), parts,
      static_cast<int32_t>(dim));
}

Value createIota(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape,
                 int64_t dim) {
  // Mosaic supports iotas of two dimensions or more.
  SmallVector<int64_t> counted(shape);
  if (shape.size() == 1) {
    counted.insert(counted.begin(), 1);
    ++dim;
  }
  Value iota = tpu::IotaOp::create(
      builder, loc, VectorType::get(counted, builder.getI32Type()),
      ArrayRef<int32_t>{static_cast<int32_t>(dim)});
  return createShapeCast(builder, loc, iota,
                         VectorType::get(shape, builder.getI32Type()));
}

Value createRotate(OpBuilder &builder, Location loc, Value value, Value amount,
                   int64_t dim) {
  auto type = cast<VectorType>(value.getType());
  // Mosaic supports rotations of two dimensions or more.
  if (type.getRank() == 1) {
    value = createRow(builder, loc, value);
    dim = 1;
  }
  value = tpu::DynamicRotateOp::create(
      builder, loc, value.getType(), value, amount,
      builder.getSI32IntegerAttr(static_cast<int32_t>(dim)),
      /*stride=*/IntegerAttr(), /*stride_dimension=*/IntegerAttr());
  return createShapeCast(builder, loc, value, type);
}

int64_t getRegisterSize(int64_t rank, int64_t dim) {
  if (dim == rank - 1)
    return 128;
  return dim == rank - 2 ? 8 : 1;
}

Value createPadded(OpBuilder &builder, Location loc, Value value, int64_t dim) {
  auto type = cast<VectorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = llvm::alignTo(shape[dim], getRegisterSize(type.getRank(), dim)) -
               shape[dim];
  if (shape[dim] == 0)
    return value;
  Value zeros =
      createZero(builder, loc, VectorType::get(shape, type.getElementType()));
  return createConcat(builder, loc, {value, zeros}, dim);
}

Value createLookup(OpBuilder &builder, Location loc, Value source,
                   Value indices, int64_t dim) {
  auto type = cast<VectorType>(source.getType());
  auto indexType = cast<VectorType>(indices.getType());
  int64_t size = getRegisterSize(type.getRank(), dim);
  int64_t extent = type.getDimSize(dim), count = indexType.getDimSize(dim);
  auto gather = [&](Value values, Value at) -> Value {
    auto result = VectorType::get(cast<VectorType>(at.getType()).getShape(),
                                  type.getElementType());
    return tpu::DynamicGatherOp::create(
        builder, loc, result, values, at,
        ArrayRef<int32_t>{static_cast<int32_t>(dim)});
  };
  bool isOne = extent <= size && count <= size;
  if (isOne || extent % size != 0 || count % size != 0)
    return gather(source, indices);
  SmallVector<Value> columns;
  for (int64_t start = 0; start < count; start += size) {
    Value at = createPart(builder, loc, indices, dim, start, size);
    auto splat = [&](int64_t number) {
      return createInteger(builder, loc, at.getType(), number);
    };
    Value inside = arith::AndIOp::create(builder, loc, at, splat(size - 1));
    Value piece =
        arith::ShRUIOp::create(builder, loc, at, splat(llvm::Log2_64(size)));
    Value column;
    for (int64_t first = 0; first < extent; first += size) {
      Value found =
          gather(createPart(builder, loc, source, dim, first, size), inside);
      if (!column) {
        column = found;
        continue;
      }
      Value isHere = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, piece, splat(first / size));
      column = arith::SelectOp::create(builder, loc, isHere, found, column);
    }
    columns.push_back(column);
  }
  return createConcat(builder, loc, columns, dim);
}

} // namespace gridir::grid_to_tpu
