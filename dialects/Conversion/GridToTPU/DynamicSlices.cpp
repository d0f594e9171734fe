//===- DynamicSlices.cpp - Slices that Mosaic has not, and rotations ------===//
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

/// Upstream verifies a slice only where its offset is static.
LogicalResult verifyInside(OffsetSizeAndStrideOpInterface op,
                           RankedTensorType whole, StringRef name) {
  for (auto [offset, size, stride, extent] :
       llvm::zip_equal(op.getStaticOffsets(), op.getStaticSizes(),
                       op.getStaticStrides(), whole.getShape())) {
    int64_t first = ShapedType::isDynamic(offset) ? 0 : offset;
    // A size that is not static is negative. The division cannot overflow,
    // unlike a product.
    if (stride < 1 || size < 1 || extent < 1 ||
        (extent - 1 - first) / stride < size - 1)
      return op.emitError("expected a slice inside of its ")
             << name << ", got size " << size << " and stride " << stride
             << " of " << extent;
  }
  return success();
}

} // namespace

/// Mosaic supports contiguous slices at constant offsets, so the elements are
/// first rotated to the front. A slice of two concatenated copies of a value is
/// the rotated value.
LogicalResult lowerDynamicSlice(tensor::ExtractSliceOp op, Lowering &lowering) {
  if (failed(verifyInside(op, op.getSourceType(), "source")))
    return failure();
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
  if (dynamic.size() == 1 && op.hasUnitStride()) {
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
    value = createRotated(lowering, loc, createPadded(builder, loc, value, dim),
                          offset, dim);
  for (auto [dim, size] : llvm::enumerate(op.getStaticSizes())) {
    int64_t stride = op.getStaticStrides()[dim];
    value = stride == 1
                ? createPart(builder, loc, value, dim, offsets[dim], size)
                : createStridedPart(builder, loc, value, dim, offsets[dim],
                                    size, stride);
  }
  lowering.set(op.getResult(), createShapeCast(builder, loc, value, *type));
  return success();
}

/// True for the i32 elements that are at least `start` and less than `start +
/// size`.
static Value createIsWithin(OpBuilder &builder, Location loc, Value numbers,
                            Value start, int64_t size) {
  auto compare = [&](arith::CmpIPredicate predicate, Value bound) -> Value {
    return arith::CmpIOp::create(
        builder, loc, predicate, numbers,
        vector::BroadcastOp::create(builder, loc, numbers.getType(), bound));
  };
  if (size == 1)
    return compare(arith::CmpIPredicate::eq, start);
  Value end =
      arith::AddIOp::create(builder, loc, start, createI32(builder, loc, size));
  Value isAfter = compare(arith::CmpIPredicate::sge, start);
  Value isBefore = compare(arith::CmpIPredicate::slt, end);
  return arith::AndIOp::create(builder, loc, isAfter, isBefore);
}

Value createInserted(OpBuilder &builder, Location loc, Value slice, Value dest,
                     ArrayRef<Value> starts, ArrayRef<int64_t> strides) {
  auto type = cast<VectorType>(dest.getType());
  Type element = type.getElementType(), wide = getWideElement(element);
  if (!isa<VectorType>(slice.getType()))
    slice = createShapeCast(
        builder, loc, slice,
        VectorType::get(SmallVector<int64_t>(type.getRank(), 1), element));
  slice = createElementCast(builder, loc, slice, wide);
  Value isChosen;
  auto restrictTo = [&](Value isHere) {
    isChosen =
        isChosen
            ? arith::AndIOp::create(builder, loc, isChosen, isHere).getResult()
            : isHere;
  };
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    auto part = cast<VectorType>(slice.getType());
    int64_t size = part.getDimSize(dim), extent = type.getDimSize(dim);
    if (size == extent)
      continue;
    Value numbers = createIota(builder, loc, type.getShape(), dim);
    int64_t stride = size > 1 ? strides[dim] : 1;
    if (stride > 1) {
      Value distance = arith::SubIOp::create(
          builder, loc, numbers,
          vector::BroadcastOp::create(builder, loc, numbers.getType(),
                                      starts[dim]));
      Value rest = arith::RemUIOp::create(
          builder, loc, distance,
          createInteger(builder, loc, numbers.getType(), stride));
      restrictTo(
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rest,
                                createZero(builder, loc, numbers.getType())));
      size = (size - 1) * stride + 1;
      slice = createSpread(builder, loc, slice, dim, stride);
    }
    if (size == extent)
      continue;
    restrictTo(createIsWithin(builder, loc, numbers, starts[dim], size));
    if (size == 1)
      continue;
    SmallVector<int64_t> shape(part.getShape());
    shape[dim] = extent - size;
    Value zeros = createZero(builder, loc, VectorType::get(shape, wide));
    slice = createConcat(builder, loc, {slice, zeros}, dim);
    slice = createRotate(builder, loc, createPadded(builder, loc, slice, dim),
                         starts[dim], dim);
    slice = createPart(builder, loc, slice, dim, 0, extent);
  }
  auto all = VectorType::get(type.getShape(), wide);
  if (slice.getType() != all)
    slice = vector::BroadcastOp::create(builder, loc, all, slice);
  if (isChosen)
    slice =
        arith::SelectOp::create(builder, loc, isChosen, slice,
                                createElementCast(builder, loc, dest, wide));
  return createElementCast(builder, loc, slice, element);
}

/// Where a slice begins, as i32.
static SmallVector<Value> getStarts(Lowering &lowering, Location loc,
                                    ArrayRef<OpFoldResult> offsets) {
  return llvm::map_to_vector(offsets, [&](OpFoldResult offset) -> Value {
    if (auto value = dyn_cast<Value>(offset))
      return toI32(lowering.builder, loc, lowering.get(value));
    return createI32(lowering.builder, loc, *getConstantIntValue(offset));
  });
}

LogicalResult lowerDynamicInsert(tensor::InsertSliceOp op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  if (failed(verifyInside(op, op.getDestType(), "destination")))
    return failure();
  Value slice = lowering.get(op.getSource());
  slice = createShapeCast(
      builder, loc, slice,
      VectorType::get(op.getStaticSizes(), getElementTypeOrSelf(slice)));
  lowering.set(op.getResult(),
               createInserted(builder, loc, slice, lowering.get(op.getDest()),
                              getStarts(lowering, loc, op.getMixedOffsets()),
                              op.getStaticStrides()));
  return success();
}

LogicalResult lowerInsert(tensor::InsertOp op, Lowering &lowering) {
  Value dest = lowering.get(op.getDest()),
        number = lowering.get(op.getScalar());
  auto type = dyn_cast<VectorType>(dest.getType());
  if (type)
    number = createInserted(
        lowering.builder, op.getLoc(), number, dest,
        getStarts(lowering, op.getLoc(), getAsOpFoldResult(op.getIndices())),
        SmallVector<int64_t>(type.getRank(), 1));
  lowering.set(op.getResult(), number);
  return success();
}

/// An element of a value is rotated to the front, where Mosaic takes it.
LogicalResult lowerExtract(tensor::ExtractOp op, Lowering &lowering) {
  Value value = lowering.get(op.getTensor());
  if (!isa<VectorType>(value.getType())) {
    lowering.set(op.getResult(), value);
    return success();
  }
  SmallVector<int64_t> indices;
  for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
    std::optional<int64_t> constant = getConstantIntValue(index);
    if (!constant)
      value = createRotated(
          lowering, op.getLoc(),
          createPadded(lowering.builder, op.getLoc(), value, dim), index, dim);
    indices.push_back(constant.value_or(0));
  }
  auto type = cast<VectorType>(value.getType());
  if (type.getElementTypeBitWidth() < 32) {
    // Mosaic does not support this scalar type; the element remains a vector of
    // size 1.
    for (auto [dim, index] : llvm::enumerate(indices))
      value = createPart(lowering.builder, op.getLoc(), value, dim, index, 1);
    indices.assign(indices.size(), 0);
    type = cast<VectorType>(value.getType());
  }
  // libtpu aborts on an element of one dimension.
  if (type.getRank() == 1) {
    value = createRow(lowering.builder, op.getLoc(), value);
    indices.insert(indices.begin(), 0);
  }
  lowering.set(
      op.getResult(),
      vector::ExtractOp::create(lowering.builder, op.getLoc(), value, indices));
  return success();
}

/// An amount of a rotation that is not negative and less than `size`.
static Value createAmount(Lowering &lowering, Location loc, Value amount,
                          int64_t size) {
  OpBuilder &builder = lowering.builder;
  if (auto constant = dyn_cast_if_present<IntegerAttr>(evaluate(amount)))
    return createI32(builder, loc, (constant.getInt() % size + size) % size);
  Value number = toI32(builder, loc, lowering.get(amount));
  // The last bits are the rest by a power of two, of a negative number, too.
  if (llvm::isPowerOf2_64(size))
    return arith::AndIOp::create(builder, loc, number,
                                 createI32(builder, loc, size - 1));
  return createModulo(builder, loc, number, createI32(builder, loc, size));
}

/// Rotates lanes by `amount`, and by `stride` more from row to row.
static Value createRotatedRows(OpBuilder &builder, Location loc, Value value,
                               Value amount, int64_t stride) {
  int64_t rank = cast<VectorType>(value.getType()).getRank();
  return tpu::DynamicRotateOp::create(
      builder, loc, value.getType(), value, amount,
      builder.getSI32IntegerAttr(rank - 1), builder.getSI32IntegerAttr(stride),
      builder.getSI32IntegerAttr(rank - 2));
}

/// Rotates slice `i` along `along` by `i * stride` more. Each bit of that
/// number selects a rotation by a power of two.
static Value createRotatedByBits(OpBuilder &builder, Location loc, Value value,
                                 int64_t dim, int64_t stride, int64_t along) {
  auto type = cast<VectorType>(value.getType());
  int64_t size = type.getDimSize(dim), count = type.getDimSize(along);
  int64_t most = 0;
  for (int64_t i = 0; i < count; ++i)
    most = std::max(most, i * stride % size);
  // The numbers of one slice after another, which are the same in all others.
  SmallVector<int64_t> shape(type.getRank(), 1);
  shape[along] = count;
  auto numbers = VectorType::get(shape, builder.getI32Type());
  auto splat = [&](int64_t number) {
    return createInteger(builder, loc, numbers, number);
  };
  Value more = arith::MulIOp::create(
      builder, loc, createIota(builder, loc, shape, along), splat(stride));
  if (llvm::isPowerOf2_64(size))
    more = arith::AndIOp::create(builder, loc, more, splat(size - 1));
  else
    more = arith::RemUIOp::create(builder, loc, more, splat(size));
  for (int64_t bit = 1; bit <= most; bit *= 2) {
    Value rotated =
        createRotate(builder, loc, value, createI32(builder, loc, bit), dim);
    Value own = vector::BroadcastOp::create(
        builder, loc, type.clone(builder.getI32Type()),
        arith::AndIOp::create(builder, loc, more, splat(bit)));
    Value isRotated =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, own,
                              createZero(builder, loc, own.getType()));
    value = arith::SelectOp::create(builder, loc, isRotated, rotated, value);
  }
  return value;
}

/// Rotates slice `i` along `along` by `amount + i * stride`.
static Value createStridedRotate(OpBuilder &builder, Location loc, Value value,
                                 Value amount, int64_t dim, int64_t stride,
                                 int64_t along) {
  auto type = cast<VectorType>(value.getType());
  int64_t rank = type.getRank(), count = type.getDimSize(along);
  int64_t size = type.getDimSize(dim);
  std::optional<int64_t> known = getConstantIntValue(amount);
  if (dim == rank - 1 && along == rank - 2) {
    // Since 0.0.48, libtpu rejects a stride if the rotation of the first row is
    // not constant.
    if (!known) {
      value = createRotate(builder, loc, value, amount, dim);
      amount = createI32(builder, loc, 0);
      known = 0;
    }
    if (tpu::canRotateRows(32, *known, stride, count))
      return createRotatedRows(builder, loc, value, amount, stride);
    // The rows of each register alone, after all have been turned as far as the
    // first of them.
    if (tpu::canRotateRows(32, 0, stride, getRegisterSize(rank, along))) {
      SmallVector<Value> parts;
      int64_t height = getRegisterSize(rank, along);
      for (int64_t row = 0; row < count; row += height) {
        Value part = createPart(builder, loc, value, along, row,
                                std::min(height, count - row));
        if (int64_t first = (*known + row * stride) % size)
          part = createRotate(builder, loc, part,
                              createI32(builder, loc, first), dim);
        parts.push_back(createRotatedRows(builder, loc, part,
                                          createI32(builder, loc, 0), stride));
      }
      return createConcat(builder, loc, parts, along);
    }
  }
  // Slices of whole registers are rotated one by one.
  if (along < rank - 2) {
    SmallVector<Value> parts;
    for (int64_t i = 0; i < count; ++i) {
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
    return createConcat(builder, loc, parts, along);
  }
  if (known != 0)
    value = createRotate(builder, loc, value, amount, dim);
  return createRotatedByBits(builder, loc, value, dim, stride, along);
}

/// Rotates narrow elements as the 32-bit words into which registers pack rows.
/// Returns nothing if rows and words do not correspond.
static Value createPackedRotate(OpBuilder &builder, Location loc, Value value,
                                Value amount, int64_t dim) {
  auto type = cast<VectorType>(value.getType());
  int64_t rows = type.getRank() - 2, width = type.getElementTypeBitWidth();
  int64_t packing = 32 / width;
  std::optional<int64_t> known = getConstantIntValue(amount);
  if (width < 4 || packing < 2 || rows < 0 ||
      type.getDimSize(rows) % packing != 0 || (dim == rows && !known))
    return {};
  // Bits by which elements move within words. In 16 bits, widening is cheaper.
  int64_t bits = dim == rows ? *known % packing * width : 0;
  if (bits != 0 && packing == 2)
    return {};
  SmallVector<int64_t> shape(type.getShape());
  shape[rows] /= packing;
  auto wordType = VectorType::get(shape, builder.getI32Type());
  Value words = tpu::BitcastOp::create(builder, loc, wordType, value);
  auto rotate = [&](int64_t distance) {
    return createRotate(builder, loc, words,
                        createI32(builder, loc, distance % shape[rows]), dim);
  };
  Value result;
  if (dim != rows) {
    result = createRotate(builder, loc, words, amount, dim);
  } else if (bits == 0) {
    result = rotate(*known / packing);
  } else {
    // The first rows of a word were the last of the word before.
    Value high = rotate(*known / packing);
    high = arith::ShLIOp::create(builder, loc, high,
                                 createInteger(builder, loc, wordType, bits));
    Value low = rotate(*known / packing + 1);
    low = arith::ShRUIOp::create(
        builder, loc, low, createInteger(builder, loc, wordType, 32 - bits));
    result = arith::OrIOp::create(builder, loc, high, low);
  }
  return tpu::BitcastOp::create(builder, loc, type, result);
}

/// Mosaic rotates 32 bits.
LogicalResult lowerRotate(grid::RotateOp op, Lowering &lowering) {
  FailureOr<Type> converted = lowering.convertType(op, op.getType());
  if (failed(converted))
    return failure();
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  auto type = cast<VectorType>(*converted);
  int64_t dim = op.getDim(), size = type.getDimSize(dim);
  Value amount = createAmount(lowering, loc, op.getAmount(), size);
  Value source = lowering.get(op.getSource());
  if (!op.getStride()) {
    Value result = matchPattern(amount, m_Zero())
                       ? source
                       : createPackedRotate(builder, loc, source, amount, dim);
    if (result) {
      lowering.set(op.getResult(), result);
      return success();
    }
  }
  Value value = createElementCast(builder, loc, source,
                                  getWideElement(type.getElementType()));
  if (op.getStride()) {
    int64_t stride =
        (static_cast<int64_t>(*op.getStride()) % size + size) % size;
    value = createStridedRotate(builder, loc, value, amount, dim, stride,
                                *op.getStrideDim());
  } else {
    value = createRotate(builder, loc, value, amount, dim);
  }
  lowering.set(op.getResult(),
               createElementCast(builder, loc, value, type.getElementType()));
  return success();
}

} // namespace gridir::grid_to_tpu
