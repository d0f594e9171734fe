//===- Rearrange.cpp - Bits and elements that change places ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Rearrange.h"

#include "dialects/Support/Builders.h"
#include "dialects/Support/Elements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;

namespace {

/// A tensor as elements of another type of the same width.
Value createSameWidth(OpBuilder &builder, Location loc, Value value,
                      Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  return arith::BitcastOp::create(builder, loc, type.clone(element), value);
}

/// Rows `first`, `first + step`, ... of a tensor, as a slice of another.
struct RowSlice {
  SmallVector<OpFoldResult> offsets, sizes, strides;

  RowSlice(OpBuilder &builder, ArrayRef<int64_t> shape, int64_t first,
           int64_t step)
      : offsets(shape.size(), builder.getIndexAttr(0)),
        sizes(getAsIndexOpFoldResult(builder.getContext(), shape)),
        strides(shape.size(), builder.getIndexAttr(1)) {
    offsets[shape.size() - 2] = builder.getIndexAttr(first);
    strides[shape.size() - 2] = builder.getIndexAttr(step);
  }
};

Value createShift(OpBuilder &builder, Location loc, RankedTensorType type,
                  uint64_t bits) {
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          type, builder.getIntegerAttr(type.getElementType(), bits)));
}

/// Each row of the result is the concatenation of several consecutive rows.
Value createWide(OpBuilder &builder, Location loc, Value source,
                 RankedTensorType type) {
  auto narrow = cast<RankedTensorType>(source.getType());
  unsigned width = narrow.getElementTypeBitWidth();
  int64_t count = type.getElementTypeBitWidth() / width;
  Value result;
  for (int64_t i = 0; i < count; ++i) {
    RowSlice slice(builder, type.getShape(), i, count);
    Value part = tensor::ExtractSliceOp::create(
        builder, loc, narrow.clone(type.getShape()), source, slice.offsets,
        slice.sizes, slice.strides);
    part = arith::ExtUIOp::create(builder, loc, type, part);
    if (i == 0) {
      result = part;
      continue;
    }
    part = arith::ShLIOp::create(builder, loc, part,
                                 createShift(builder, loc, type, i * width));
    result = arith::OrIOp::create(builder, loc, result, part);
  }
  return result;
}

/// Splits each row into several rows.
Value createNarrow(OpBuilder &builder, Location loc, Value source,
                   RankedTensorType type) {
  auto wide = cast<RankedTensorType>(source.getType());
  unsigned width = type.getElementTypeBitWidth();
  int64_t count = wide.getElementTypeBitWidth() / width;
  Value result = createEmpty(builder, loc, type);
  for (int64_t i = 0; i < count; ++i) {
    Value part = source;
    if (i != 0)
      part = arith::ShRUIOp::create(builder, loc, part,
                                    createShift(builder, loc, wide, i * width));
    part = arith::TruncIOp::create(builder, loc, type.clone(wide.getShape()),
                                   part);
    RowSlice slice(builder, wide.getShape(), i, count);
    result = tensor::InsertSliceOp::create(
        builder, loc, part, result, slice.offsets, slice.sizes, slice.strides);
  }
  return result;
}

/// A window of the tensor twice, one after the other.
Value createInTwoParts(OpBuilder &builder, RotateOp op, Value amount,
                       Value size) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getSource().getType();
  int64_t dim = op.getDim(), rank = type.getRank();
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] *= 2;
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  SmallVector<OpFoldResult> strides(rank, builder.getIndexAttr(1));
  SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0));
  Value twice = createEmpty(builder, loc, type.clone(shape));
  for (int64_t start : {int64_t(0), type.getDimSize(dim)}) {
    offsets[dim] = builder.getIndexAttr(start);
    twice = tensor::InsertSliceOp::create(builder, loc, op.getSource(), twice,
                                          offsets, sizes, strides);
  }
  offsets[dim] = arith::SubIOp::create(builder, loc, size, amount).getResult();
  return tensor::ExtractSliceOp::create(builder, loc, type, twice, offsets,
                                        sizes, strides);
}

Value createByElement(OpBuilder &builder, RotateOp op, Value amount,
                      Value size) {
  return createElements(
      builder, op.getLoc(), op.getSource().getType(),
      [&](OpBuilder &inner, Location loc, ArrayRef<Value> coordinates) {
        Value more = arith::MulIOp::create(
            inner, loc, coordinates[*op.getStrideDim()],
            createIndex(inner, loc, static_cast<int64_t>(*op.getStride())));
        Value distance = arith::AddIOp::create(inner, loc, amount, more);
        SmallVector<Value> indices(coordinates);
        Value &index = indices[op.getDim()];
        index = createModulo(inner, loc,
                             arith::SubIOp::create(inner, loc, index, distance),
                             size);
        return tensor::ExtractOp::create(inner, loc, op.getSource(), indices)
            .getResult();
      });
}

} // namespace

Value gridir::grid::createRearranged(OpBuilder &builder, BitcastOp op) {
  Location loc = op.getLoc();
  RankedTensorType source = op.getSource().getType();
  RankedTensorType result = op.getResult().getType();
  unsigned from = source.getElementTypeBitWidth();
  unsigned to = result.getElementTypeBitWidth();
  Value bits = createSameWidth(builder, loc, op.getSource(),
                               builder.getIntegerType(from));
  Type element = builder.getIntegerType(to);
  Value value = from < to
                    ? createWide(builder, loc, bits, result.clone(element))
                    : createNarrow(builder, loc, bits, result.clone(element));
  return createSameWidth(builder, loc, value, result.getElementType());
}

Value gridir::grid::createRearranged(OpBuilder &builder, RotateOp op) {
  Location loc = op.getLoc();
  int64_t extent = op.getSource().getType().getDimSize(op.getDim());
  Value size = createIndex(builder, loc, std::max<int64_t>(extent, 1));
  Value amount =
      createModulo(builder, loc, toIndex(builder, loc, op.getAmount()), size);
  return op.getStride() ? createByElement(builder, op, amount, size)
                        : createInTwoParts(builder, op, amount, size);
}
