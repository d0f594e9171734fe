//===- StridedSlices.cpp - Elements at equal distances --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToTPU/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gridir::grid_to_tpu {

Value createStridedPart(OpBuilder &builder, Location loc, Value value,
                        int64_t dim, int64_t start, int64_t count,
                        int64_t stride) {
  auto type = cast<VectorType>(value.getType());
  SmallVector<Value> parts;
  if (dim < type.getRank() - 2) {
    for (int64_t i = 0; i < count; ++i)
      parts.push_back(
          createPart(builder, loc, value, dim, start + i * stride, 1));
    return createConcat(builder, loc, parts, dim);
  }
  if (type.getRank() == 1) {
    Value row = createStridedPart(builder, loc, createRow(builder, loc, value),
                                  1, start, count, stride);
    return createShapeCast(builder, loc, row,
                           VectorType::get({count}, type.getElementType()));
  }
  Type element = type.getElementType();
  value = createElementCast(builder, loc, value, getWideElement(element));
  value = createPadded(builder, loc, value, dim);
  int64_t size = getRegisterSize(type.getRank(), dim);
  for (int64_t done = 0; done < count; done += size) {
    int64_t first = start + done * stride,
            number = std::min(size, count - done);
    int64_t begin = first / size * size;
    int64_t extent =
        llvm::alignTo(first + (number - 1) * stride + 1 - begin, size);
    Value source = createPart(builder, loc, value, dim, begin, extent);
    SmallVector<int64_t> shape(cast<VectorType>(source.getType()).getShape());
    shape[dim] = size;
    auto splat = [&](int64_t constant) {
      return createInteger(
          builder, loc, VectorType::get(shape, builder.getI32Type()), constant);
    };
    Value at = arith::MulIOp::create(
        builder, loc, createIota(builder, loc, shape, dim), splat(stride));
    at = arith::AddIOp::create(builder, loc, at, splat(first - begin));
    // Elements after the last one are not used.
    if (number < size)
      at = arith::MinSIOp::create(builder, loc, at, splat(extent - 1));
    parts.push_back(createPart(builder, loc,
                               createLookup(builder, loc, source, at, dim), dim,
                               0, number));
  }
  return createElementCast(builder, loc, createConcat(builder, loc, parts, dim),
                           element);
}

Value createSpread(OpBuilder &builder, Location loc, Value value, int64_t dim,
                   int64_t stride) {
  auto type = cast<VectorType>(value.getType());
  int64_t count = type.getDimSize(dim), extent = (count - 1) * stride + 1;
  SmallVector<int64_t> shape(type.getShape());
  if (dim < type.getRank() - 2) {
    shape[dim] = stride - 1;
    Value between =
        createZero(builder, loc, VectorType::get(shape, type.getElementType()));
    SmallVector<Value> parts;
    for (int64_t i = 0; i < count; ++i) {
      if (i > 0)
        parts.push_back(between);
      parts.push_back(createPart(builder, loc, value, dim, i, 1));
    }
    return createConcat(builder, loc, parts, dim);
  }
  if (type.getRank() == 1) {
    Value row =
        createSpread(builder, loc, createRow(builder, loc, value), 1, stride);
    return createShapeCast(builder, loc, row,
                           VectorType::get({extent}, type.getElementType()));
  }
  value = createPadded(builder, loc, value, dim);
  int64_t size = getRegisterSize(type.getRank(), dim);
  shape[dim] = size;
  auto splat = [&](int64_t number) {
    return createInteger(builder, loc,
                         VectorType::get(shape, builder.getI32Type()), number);
  };
  SmallVector<Value> parts;
  for (int64_t done = 0; done < extent; done += size) {
    // A register is distributed over `stride` whole ones, which contain nothing
    // else.
    int64_t begin = done / stride / size * size;
    Value source = createPart(builder, loc, value, dim, begin, size);
    Value at = arith::AddIOp::create(
        builder, loc, createIota(builder, loc, shape, dim), splat(done));
    at = arith::DivUIOp::create(builder, loc, at, splat(stride));
    at = arith::SubIOp::create(builder, loc, at, splat(begin));
    parts.push_back(createPart(builder, loc,
                               createLookup(builder, loc, source, at, dim), dim,
                               0, std::min(size, extent - done)));
  }
  return createConcat(builder, loc, parts, dim);
}

} // namespace gridir::grid_to_tpu
