//===- Bodies.cpp - Structured ops with a body, on whole vectors ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToTPU/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gridir::grid_to_tpu {
namespace {

//===----------------------------------------------------------------------===//
// Bodies on whole vectors
//===----------------------------------------------------------------------===//

/// Emits a scalar body as ops on vectors of `shape`. Indices in the body become
/// i32, since Mosaic has no vectors of index.
class VectorBody {
public:
  VectorBody(Lowering &lowering, ArrayRef<int64_t> shape)
      : lowering(lowering), builder(lowering.builder), shape(shape) {}

  void set(Value from, Value to) { values[from] = to; }

  LogicalResult lower(Block &body) {
    for (Operation &op : body.without_terminator())
      if (failed(lowerOp(&op)))
        return failure();
    return success();
  }

  /// Broadcasts a value of the body, or one from outside, to all elements.
  Value get(Value value) {
    auto it = values.find(value);
    if (it != values.end())
      return it->second;
    Value outside = lowering.get(value);
    if (outside.getType().isIndex())
      outside = toI32(builder, value.getLoc(), outside);
    return createShapeCast(builder, value.getLoc(), outside,
                           getType(outside.getType()));
  }

private:
  Type getType(Type element) {
    if (element.isIndex())
      element = builder.getI32Type();
    return shape.empty() ? element : VectorType::get(shape, element);
  }

  LogicalResult lowerOp(Operation *op) {
    Location loc = op->getLoc();
    for (Type type : op->getResultTypes())
      if (!type.isIntOrIndexOrFloat())
        return op->emitError("expected scalars in the body of a structured op "
                             "on the tpu target, got ")
               << type;
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      set(index, shape.empty()
                     ? createI32(builder, loc, 0)
                     : createIota(builder, loc, shape, index.getDim()));
      return success();
    }
    if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
      Type to = getElementTypeOrSelf(getType(op->getResult(0).getType()));
      set(op->getResult(0),
          createElementCast(builder, loc, get(op->getOperand(0)), to,
                            isa<arith::IndexCastUIOp>(op)));
      return success();
    }
    if (auto extract = dyn_cast<tensor::ExtractOp>(op))
      return lowerExtract(extract);
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      TypedAttr attr = constant.getValue();
      if (constant.getType().isIndex())
        attr = builder.getI32IntegerAttr(cast<IntegerAttr>(attr).getInt());
      Type type = getType(attr.getType());
      if (auto vector = dyn_cast<VectorType>(type))
        attr = DenseElementsAttr::get(vector, Attribute(attr));
      set(constant, arith::ConstantOp::create(builder, loc, attr));
      return success();
    }
    if (!OpTrait::hasElementwiseMappableTraits(op))
      return op->emitError("'") << op->getName()
                                << "' in the body of a structured op is not "
                                   "supported on the tpu target";
    auto operands = llvm::map_to_vector(
        op->getOperands(), [&](Value operand) { return get(operand); });
    auto types = llvm::map_to_vector(op->getResultTypes(),
                                     [&](Type type) { return getType(type); });
    Operation *vectors = createLike(builder, op, operands, types);
    for (auto [from, to] :
         llvm::zip_equal(op->getResults(), vectors->getResults()))
      set(from, to);
    return success();
  }

  /// An element of a tensor at indices that the body computes: the index of
  /// each dimension is a loop's or a constant, and one may be computed.
  LogicalResult lowerExtract(tensor::ExtractOp op) {
    Value source = lowering.get(op.getTensor());
    Location loc = op.getLoc();
    auto type = dyn_cast<VectorType>(source.getType());
    if (!type) {
      set(op, createShapeCast(builder, loc, source, getType(source.getType())));
      return success();
    }
    SmallVector<int64_t> loops, kept;
    std::optional<int64_t> lookup;
    for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
      if (linalg::IndexOp loop = getMirrored(index, type.getDimSize(dim));
          loop && canReverse(type, dim)) {
        source = createReversed(loc, source, dim);
        loops.push_back(loop.getDim());
        kept.push_back(type.getDimSize(dim));
      } else if (auto loop = index.getDefiningOp<linalg::IndexOp>()) {
        loops.push_back(loop.getDim());
        kept.push_back(type.getDimSize(dim));
      } else if (std::optional<int64_t> constant = getConstantIntValue(index)) {
        source = createPart(builder, loc, source, dim, *constant, 1);
      } else if (lookup) {
        return refuse(op);
      } else {
        lookup = dim;
      }
    }
    if (lookup)
      return lowerLookup(op, source, *lookup, loops);
    Type element = type.getElementType();
    source = createShapeCast(
        builder, loc, source,
        kept.empty() ? element : Type(VectorType::get(kept, element)));
    set(op, shape.empty() ? source : createAlongLoops(loc, source, loops));
    return success();
  }

  /// The loop whose index is counted from the end of `size`; null where an
  /// index is none.
  static linalg::IndexOp getMirrored(Value index, int64_t size) {
    auto difference = index.getDefiningOp<arith::SubIOp>();
    if (!difference || getConstantIntValue(difference.getLhs()) != size - 1)
      return {};
    return difference.getRhs().getDefiningOp<linalg::IndexOp>();
  }

  /// True if a dimension is a part of one register, or consists of whole
  /// registers.
  static bool canReverse(VectorType type, int64_t dim) {
    int64_t size = getRegisterSize(type.getRank(), dim);
    int64_t extent = type.getDimSize(dim);
    return type.getRank() > 1 && (extent <= size || extent % size == 0);
  }

  /// Registers in reverse order; within each the last element is looked up
  /// first.
  Value createReversed(Location loc, Value source, int64_t dim) {
    auto type = cast<VectorType>(source.getType());
    Type element = type.getElementType();
    int64_t size =
        std::min(getRegisterSize(type.getRank(), dim), type.getDimSize(dim));
    source = createElementCast(builder, loc, source, getWideElement(element));
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = size;
    auto part = VectorType::get(shape, getElementTypeOrSelf(source));
    Value mirrored;
    if (size > 1) {
      Value last = createInteger(builder, loc, part.clone(builder.getI32Type()),
                                 size - 1);
      mirrored = arith::SubIOp::create(builder, loc, last,
                                       createIota(builder, loc, shape, dim));
    }
    SmallVector<Value> parts;
    for (int64_t start = type.getDimSize(dim) - size; start >= 0;
         start -= size) {
      Value value = createPart(builder, loc, source, dim, start, size);
      if (mirrored)
        value = tpu::DynamicGatherOp::create(
            builder, loc, part, value, mirrored,
            ArrayRef<int32_t>{static_cast<int32_t>(dim)});
      parts.push_back(value);
    }
    return createElementCast(builder, loc,
                             createConcat(builder, loc, parts, dim), element);
  }

  LogicalResult refuse(tensor::ExtractOp op) {
    return op.emitError("expected a gather along one of the last two "
                        "dimensions, with the indices of jnp.take_along_axis, "
                        "on a TPU; index the Ref instead");
  }

  /// Elements at indices along one dimension; the others go along the loops.
  LogicalResult lowerLookup(tensor::ExtractOp op, Value source, int64_t dim,
                            ArrayRef<int64_t> loops) {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(source.getType());
    SmallVector<int64_t> expected;
    for (int64_t other = 0; other < type.getRank(); ++other)
      if (other != dim)
        expected.push_back(other);
    SmallVector<int64_t> extents(type.getShape());
    if (static_cast<int64_t>(shape.size()) == type.getRank())
      extents[dim] = shape[dim];
    if (ArrayRef(extents) != shape || loops != ArrayRef(expected) ||
        dim < type.getRank() - 2)
      return refuse(op);
    Type element = type.getElementType();
    Value wide =
        createElementCast(builder, loc, source, getWideElement(element));
    Value indices = get(op.getIndices()[dim]);
    if (type.getRank() == 1) {
      wide = createRow(builder, loc, wide);
      indices = createRow(builder, loc, indices);
      dim = 1;
    }
    Value result = createLookup(builder, loc, wide, indices, dim);
    result = createElementCast(builder, loc, result, element);
    set(op,
        createShapeCast(builder, loc, result, VectorType::get(shape, element)));
    return success();
  }

public:
  /// A value whose dimensions go along the loops `dims`, on every point.
  Value createAlongLoops(Location loc, Value value, ArrayRef<int64_t> loops) {
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, loops.size()));
    llvm::sort(order,
               [&](int64_t a, int64_t b) { return loops[a] < loops[b]; });
    value = createTranspose(builder, loc, value, order);
    SmallVector<int64_t> sorted(loops);
    llvm::sort(sorted);
    return createBroadcast(builder, loc, value, sorted, shape);
  }

private:
  Lowering &lowering;
  OpBuilder &builder;
  ArrayRef<int64_t> shape;
  DenseMap<Value, Value> values;
};

/// An operand of a generic op on every point of its loops.
FailureOr<Value> createOperand(Lowering &lowering, linalg::GenericOp op,
                               OpOperand &operand, VectorBody &body) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Value value = lowering.get(operand.get());
  if (!map.isProjectedPermutation())
    return op.emitError("expected operands that are transposed or broadcast, "
                        "got one at ")
           << AffineMapAttr::get(map);
  if (op.getNumLoops() == 0)
    return value;
  SmallVector<int64_t> loops =
      llvm::map_to_vector(map.getResults(), [](AffineExpr expr) -> int64_t {
        return cast<AffineDimExpr>(expr).getPosition();
      });
  return body.createAlongLoops(op.getLoc(), value, loops);
}

LogicalResult lowerGeneric(linalg::GenericOp op, Lowering &lowering) {
  if (op.getNumReductionLoops() != 0)
    return lowerReducingGeneric(op, lowering);
  SmallVector<int64_t> shape = op.getStaticLoopRanges();
  VectorBody body(lowering, shape);
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument.use_empty())
      continue;
    FailureOr<Value> value = createOperand(lowering, op, operand, body);
    if (failed(value))
      return failure();
    body.set(argument, *value);
  }
  if (failed(body.lower(*op.getBody())))
    return failure();
  for (auto [result, yielded, init] : llvm::zip_equal(
           op->getResults(), op.getBody()->getTerminator()->getOperands(),
           op.getDpsInitsMutable())) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    if (!map.isPermutation())
      return op.emitError("expected a result for every point of the loops");
    SmallVector<int64_t> permutation =
        llvm::map_to_vector(map.getResults(), [](AffineExpr expr) -> int64_t {
          return cast<AffineDimExpr>(expr).getPosition();
        });
    lowering.set(result, createTranspose(lowering.builder, op.getLoc(),
                                         body.get(yielded), permutation));
  }
  return success();
}

LogicalResult lowerMap(linalg::MapOp op, Lowering &lowering) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  VectorBody body(lowering, type.getShape());
  Block &block = op.getMapper().front();
  for (auto [argument, input] : llvm::zip(block.getArguments(), op.getInputs()))
    body.set(argument, lowering.get(input));
  if (failed(body.lower(block)))
    return failure();
  lowering.set(op->getResult(0),
               body.get(block.getTerminator()->getOperand(0)));
  return success();
}

} // namespace

void addBodyLowerings(Handlers &handlers) {
  handlers.add(lowerGeneric);
  handlers.add(lowerMap);
}

} // namespace gridir::grid_to_tpu
