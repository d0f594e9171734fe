//===- Shapes.cpp - Constants, and values in other shapes -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToTPU/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace gridir::grid_to_tpu {
namespace {

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The start and the step of numbers in arithmetic progression along the last
/// dimension, the same in all others.
std::optional<std::pair<APInt, APInt>> getProgression(DenseIntElementsAttr attr,
                                                      int64_t length) {
  auto values = llvm::to_vector(attr.getValues<APInt>());
  if (length < 2)
    return std::nullopt;
  APInt start = values[0], step = values[1] - values[0];
  for (auto [i, value] : llvm::enumerate(values)) {
    APInt expected = start;
    for (int64_t k = 0, e = i % length; k < e; ++k)
      expected += step;
    if (value != expected)
      return std::nullopt;
  }
  return std::pair(start, step);
}

LogicalResult lowerConstant(arith::ConstantOp op, Lowering &lowering) {
  FailureOr<Type> type = lowering.convertType(op, op.getType());
  if (failed(type))
    return failure();
  OpBuilder &builder = lowering.builder;
  auto set = [&](TypedAttr attr) {
    lowering.set(op.getResult(),
                 arith::ConstantOp::create(builder, op.getLoc(), attr));
    return success();
  };
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return set(op.getValue());
  auto vector = dyn_cast<VectorType>(*type);
  bool isIndex = dense.getElementType().isIndex();
  auto elementAttr = [&](Attribute attr) -> TypedAttr {
    if (isIndex)
      return builder.getI32IntegerAttr(cast<IntegerAttr>(attr).getInt());
    return cast<TypedAttr>(attr);
  };
  if (!vector)
    return set(elementAttr(*dense.getValues<Attribute>().begin()));
  if (dense.isSplat())
    return set(DenseElementsAttr::get(
        vector, elementAttr(dense.getSplatValue<Attribute>())));
  // Mosaic supports only splat constants; an arithmetic progression is computed
  // from an iota.
  auto integers = dyn_cast<DenseIntElementsAttr>(dense);
  auto progression = integers && vector.getElementType().isInteger(32)
                         ? getProgression(integers, vector.getShape().back())
                         : std::nullopt;
  if (!progression)
    return op.emitError("expected a splat constant, since Mosaic supports no "
                        "other, got ")
           << op.getType() << "; pass it as an operand of the kernel instead";
  Location loc = op.getLoc();
  auto splat = [&](const APInt &value) {
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(vector, value));
  };
  Value value =
      createIota(builder, loc, vector.getShape(), vector.getRank() - 1);
  value =
      arith::MulIOp::create(builder, loc, value, splat(progression->second));
  value = arith::AddIOp::create(builder, loc, value, splat(progression->first));
  lowering.set(op.getResult(), value);
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// A value with the same elements in the shape of the op's result.
template <typename OpT> LogicalResult lowerReshape(OpT op, Lowering &lowering) {
  FailureOr<Type> type = lowering.convertType(op, op.getResult().getType());
  if (failed(type))
    return failure();
  lowering.set(op.getResult(),
               createShapeCast(lowering.builder, op.getLoc(),
                               lowering.get(op.getSrc()), *type));
  return success();
}

LogicalResult lowerTensorReshape(tensor::ReshapeOp op, Lowering &lowering) {
  FailureOr<Type> type = lowering.convertType(op, op.getResult().getType());
  if (failed(type))
    return failure();
  lowering.set(op.getResult(),
               createShapeCast(lowering.builder, op.getLoc(),
                               lowering.get(op.getSource()), *type));
  return success();
}

LogicalResult lowerExtractSlice(tensor::ExtractSliceOp op, Lowering &lowering) {
  if (ShapedType::isDynamicShape(op.getStaticOffsets()) || !op.hasUnitStride())
    return lowerDynamicSlice(op, lowering);
  FailureOr<Type> type = lowering.convertType(op, op.getType());
  if (failed(type))
    return failure();
  // The only slice of a scalar is the scalar.
  if (op.getSourceType().getRank() == 0) {
    lowering.set(op.getResult(), lowering.get(op.getSource()));
    return success();
  }
  OpBuilder &builder = lowering.builder;
  Value slice = vector::ExtractStridedSliceOp::create(
      builder, op.getLoc(), lowering.get(op.getSource()), op.getStaticOffsets(),
      op.getStaticSizes(), op.getStaticStrides());
  lowering.set(op.getResult(),
               createShapeCast(builder, op.getLoc(), slice, *type));
  return success();
}

/// Slices that were inserted one after another and are all of the result, in
/// the order in which they lie along one dimension.
struct JoinedSlices {
  int64_t dim;
  SmallVector<tensor::InsertSliceOp> slices;
};

/// The slices that compose a value; none if they leave a part of their
/// destination, or are not consecutive.
std::optional<JoinedSlices> getJoined(tensor::InsertSliceOp last) {
  ArrayRef<int64_t> shape = last.getType().getShape();
  JoinedSlices joined{-1, {}};
  int64_t covered = 0;
  for (auto op = last; op;
       op = op.getDest().getDefiningOp<tensor::InsertSliceOp>()) {
    if (ShapedType::isDynamicShape(op.getStaticOffsets()) ||
        !op.hasUnitStride())
      return std::nullopt;
    for (auto [dim, size] : llvm::enumerate(op.getStaticSizes())) {
      if (size == shape[dim])
        continue;
      if (joined.dim >= 0 && joined.dim != static_cast<int64_t>(dim))
        return std::nullopt;
      joined.dim = dim;
    }
    // All of it, in one slice.
    if (joined.dim < 0)
      return std::nullopt;
    joined.slices.push_back(op);
    covered += op.getStaticSizes()[joined.dim];
    if (covered >= shape[joined.dim])
      break;
  }
  llvm::sort(joined.slices, [&](tensor::InsertSliceOp a,
                                tensor::InsertSliceOp b) {
    return a.getStaticOffsets()[joined.dim] < b.getStaticOffsets()[joined.dim];
  });
  int64_t position = 0;
  for (tensor::InsertSliceOp op : joined.slices) {
    if (op.getStaticOffsets()[joined.dim] != position)
      return std::nullopt;
    position += op.getStaticSizes()[joined.dim];
  }
  if (joined.slices.empty() || position != shape[joined.dim])
    return std::nullopt;
  return joined;
}

/// Finds the values that are only destinations of other slices, which together
/// with their own slices form a complete result: they are not created. A query
/// about the first of a chain covers the chain.
void findJoinedParts(tensor::InsertSliceOp first, Lowering &lowering) {
  auto dest = first.getDest().getDefiningOp<tensor::InsertSliceOp>();
  if (dest && dest->hasOneUse())
    return;
  auto last = first;
  while (last->hasOneUse()) {
    auto next = dyn_cast<tensor::InsertSliceOp>(*last->user_begin());
    if (!next || next.getDest() != last.getResult())
      break;
    last = next;
  }
  if (last == first)
    return;
  if (std::optional<JoinedSlices> joined = getJoined(last))
    for (tensor::InsertSliceOp slice : joined->slices)
      if (slice != last)
        lowering.joinedParts.insert(slice);
}

/// True if the inserted slices have as many elements as a value; with fewer
/// they do not cover it.
bool mayBeJoined(tensor::InsertSliceOp op, Lowering &lowering) {
  int64_t elements = op.getSourceType().getNumElements();
  if (Operation *dest = op.getDest().getDefiningOp())
    elements += lowering.insertedElements.lookup(dest);
  lowering.insertedElements[op] = elements;
  return elements >= op.getType().getNumElements();
}

/// The slice is concatenated with the rest of its destination, dimension by
/// dimension from the first one, since Mosaic supports concatenation, but no
/// insertion.
LogicalResult lowerInsertSlice(tensor::InsertSliceOp op, Lowering &lowering) {
  if (ShapedType::isDynamicShape(op.getStaticOffsets()) || !op.hasUnitStride())
    return lowerDynamicInsert(op, lowering);
  if (op.getDestType().getRank() == 0) {
    lowering.set(op.getResult(), lowering.get(op.getSource()));
    return success();
  }
  bool isFull = mayBeJoined(op, lowering);
  findJoinedParts(op, lowering);
  if (lowering.joinedParts.contains(op))
    return success();
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  auto getSlice = [&](tensor::InsertSliceOp slice) {
    Value source = lowering.get(slice.getSource());
    return createShapeCast(
        builder, loc, source,
        VectorType::get(slice.getStaticSizes(), getElementTypeOrSelf(source)));
  };
  if (std::optional<JoinedSlices> joined =
          isFull ? getJoined(op) : std::nullopt) {
    lowering.set(op.getResult(),
                 createConcat(builder, loc,
                              llvm::map_to_vector(joined->slices, getSlice),
                              joined->dim));
    return success();
  }
  Value dest = lowering.get(op.getDest()), value = getSlice(op);
  auto destType = cast<VectorType>(dest.getType());
  for (int64_t dim = 0; dim < destType.getRank(); ++dim) {
    int64_t start = op.getStaticOffsets()[dim];
    int64_t end = start + op.getStaticSizes()[dim];
    int64_t extent = destType.getDimSize(dim);
    if (start == 0 && end == extent)
      continue;
    // The remaining part of the destination beside the joined slices.
    Value rest = dest;
    for (int64_t inner = dim + 1; inner < destType.getRank(); ++inner)
      rest = createPart(builder, loc, rest, inner, op.getStaticOffsets()[inner],
                        op.getStaticSizes()[inner]);
    SmallVector<Value> parts;
    if (start > 0)
      parts.push_back(createPart(builder, loc, rest, dim, 0, start));
    parts.push_back(value);
    if (end < extent)
      parts.push_back(createPart(builder, loc, rest, dim, end, extent - end));
    value = createConcat(builder, loc, parts, dim);
  }
  lowering.set(op.getResult(), value);
  return success();
}

LogicalResult lowerConcat(tensor::ConcatOp op, Lowering &lowering) {
  SmallVector<Value> sources = lowering.get(op.getInputs());
  FailureOr<Type> type = lowering.convertType(op, op.getType());
  if (failed(type))
    return failure();
  lowering.set(op.getResult(),
               sources.size() == 1
                   ? sources.front()
                   : tpu::ConcatenateOp::create(
                         lowering.builder, op.getLoc(), *type, sources,
                         static_cast<int32_t>(op.getDim()))
                         .getResult());
  return success();
}

//===----------------------------------------------------------------------===//
// Between vectors and numbers
//===----------------------------------------------------------------------===//

LogicalResult lowerFromElements(tensor::FromElementsOp op, Lowering &lowering) {
  FailureOr<Type> type = lowering.convertType(op, op.getType());
  if (failed(type))
    return failure();
  if (op.getElements().size() != 1)
    return op.emitError("expected a value of one element, got ")
           << op.getType() << "; build it with jnp.where and an iota";
  lowering.set(op.getResult(),
               createShapeCast(lowering.builder, op.getLoc(),
                               lowering.get(op.getElements().front()), *type));
  return success();
}

LogicalResult lowerSplat(tensor::SplatOp op, Lowering &lowering) {
  FailureOr<Type> type = lowering.convertType(op, op.getType());
  if (failed(type))
    return failure();
  lowering.set(op.getResult(),
               createShapeCast(lowering.builder, op.getLoc(),
                               lowering.get(op.getInput()), *type));
  return success();
}

LogicalResult lowerBitcast(grid::BitcastOp op, Lowering &lowering) {
  FailureOr<Type> type = lowering.convertType(op, op.getType());
  if (failed(type))
    return failure();
  lowering.set(op.getResult(),
               tpu::BitcastOp::create(lowering.builder, op.getLoc(), *type,
                                      lowering.get(op.getSource())));
  return success();
}

/// A tensor without contents, which is read as zeros.
LogicalResult lowerEmpty(tensor::EmptyOp, Lowering &) { return success(); }

} // namespace

void addShapeLowerings(Handlers &handlers) {
  handlers.add(lowerConstant);
  handlers.add(lowerReshape<tensor::ExpandShapeOp>);
  handlers.add(lowerReshape<tensor::CollapseShapeOp>);
  handlers.add(lowerTensorReshape);
  handlers.add(lowerExtractSlice);
  handlers.add(lowerInsertSlice);
  handlers.add(lowerConcat);
  handlers.add(lowerExtract);
  handlers.add(lowerInsert);
  handlers.add(lowerFromElements);
  handlers.add(lowerSplat);
  handlers.add(lowerEmpty);
  handlers.add(lowerBitcast);
  handlers.add(lowerRotate);
}

} // namespace gridir::grid_to_tpu
