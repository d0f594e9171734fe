//===- LinalgOps.cpp - Structured ops as ops on whole vectors -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToTPU/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace gridir::grid_to_tpu {
namespace {

//===----------------------------------------------------------------------===//
// Fill, broadcast, transpose
//===----------------------------------------------------------------------===//

LogicalResult lowerFill(linalg::FillOp op, Lowering &lowering) {
  FailureOr<Type> type = lowering.convertType(op, op.getResult(0).getType());
  if (failed(type))
    return failure();
  lowering.set(op.getResult(0),
               createShapeCast(lowering.builder, op.getLoc(),
                               lowering.get(op.getInputs()[0]), *type));
  return success();
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

LogicalResult lowerBroadcast(linalg::BroadcastOp op, Lowering &lowering) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<int64_t> kept;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(op.getDimensions(), dim))
      kept.push_back(dim);
  lowering.set(op->getResult(0), createBroadcast(lowering.builder, op.getLoc(),
                                                 lowering.get(op.getInput()),
                                                 kept, type.getShape()));
  return success();
}

LogicalResult lowerTranspose(linalg::TransposeOp op, Lowering &lowering) {
  lowering.set(op->getResult(0), createTranspose(lowering.builder, op.getLoc(),
                                                 lowering.get(op.getInput()),
                                                 op.getPermutation()));
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The kind of a reduction whose body is one op on its arguments.
std::optional<vector::CombiningKind> getCombiningKind(Block &body) {
  if (!llvm::hasNItems(body.without_terminator(), 1))
    return std::nullopt;
  Operation &op = body.front();
  if (body.getTerminator()->getOperands() != op.getResults() ||
      !llvm::all_of(op.getOperands(),
                    [](Value v) { return isa<BlockArgument>(v); }))
    return std::nullopt;
  using Kind = vector::CombiningKind;
  return llvm::StringSwitch<std::optional<Kind>>(op.getName().getStringRef())
      .Cases({"arith.addf", "arith.addi"}, Kind::ADD)
      .Cases({"arith.mulf", "arith.muli"}, Kind::MUL)
      .Case("arith.maximumf", Kind::MAXIMUMF)
      .Case("arith.minimumf", Kind::MINIMUMF)
      .Case("arith.maxsi", Kind::MAXSI)
      .Case("arith.minsi", Kind::MINSI)
      .Case("arith.ori", Kind::OR)
      .Case("arith.andi", Kind::AND)
      .Default(std::nullopt);
}

/// The kinds that Mosaic reduces, by the type of the elements.
bool isReducible(vector::CombiningKind kind, Type element) {
  using Kind = vector::CombiningKind;
  if (isa<FloatType>(element))
    return kind == Kind::ADD || kind == Kind::MAXIMUMF ||
           kind == Kind::MINIMUMF;
  return element.isInteger(32) &&
         (kind == Kind::ADD || kind == Kind::MAXSI || kind == Kind::MINSI);
}

/// Reduces `dims`. A result of rank 0 is reduced to a vector of one element
/// first, since Mosaic has no reduction to a number.
Value createReduction(OpBuilder &builder, Location loc,
                      vector::CombiningKind kind, Value value, Value start,
                      ArrayRef<int64_t> dims) {
  auto type = cast<VectorType>(value.getType());
  if (isa<VectorType>(start.getType()))
    return vector::MultiDimReductionOp::create(builder, loc, kind, value, start,
                                               dims);
  SmallVector<int64_t> shape{1};
  llvm::append_range(shape, type.getShape());
  value = createShapeCast(builder, loc, value,
                          VectorType::get(shape, type.getElementType()));
  start = vector::BroadcastOp::create(
      builder, loc, VectorType::get({1}, type.getElementType()), start);
  auto shifted = llvm::map_to_vector(dims, [](int64_t dim) { return dim + 1; });
  value = vector::MultiDimReductionOp::create(builder, loc, kind, value, start,
                                              shifted);
  return vector::ExtractOp::create(builder, loc, value, ArrayRef<int64_t>{0});
}

LogicalResult lowerReduce(linalg::ReduceOp op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  std::optional<vector::CombiningKind> kind =
      getCombiningKind(op.getCombiner().front());
  if (!kind || op.getInputs().size() != 1)
    return op.emitError("expected a reduction by sum, maximum or minimum on a "
                        "TPU, got another function");
  Value value = lowering.get(op.getInputs()[0]);
  Value start = lowering.get(op.getInits()[0]);
  Type element = getElementTypeOrSelf(value);
  bool isBool = element.isInteger(1);
  if (isBool) {
    // Whether any, or all, is a maximum, or minimum, of zeros and ones.
    kind = *kind == vector::CombiningKind::OR ? vector::CombiningKind::MAXSI
                                              : vector::CombiningKind::MINSI;
    element = builder.getI32Type();
    auto widen = [&](Value v) {
      auto type = dyn_cast<VectorType>(v.getType());
      return arith::ExtUIOp::create(
          builder, loc,
          type ? Type(VectorType::get(type.getShape(), element)) : element, v);
    };
    value = widen(value);
    start = widen(start);
  }
  if (!isReducible(*kind, element))
    return op.emitError("expected a reduction that Mosaic has (sum, maximum or "
                        "minimum of f32, bf16 or i32), got ")
           << vector::stringifyCombiningKind(*kind) << " of " << element;
  Value result =
      createReduction(builder, loc, *kind, value, start, op.getDimensions());
  if (isBool)
    result =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, result,
                              createZero(builder, loc, result.getType()));
  lowering.set(op->getResult(0), result);
  return success();
}

//===----------------------------------------------------------------------===//
// Bodies on whole vectors
//===----------------------------------------------------------------------===//

/// Emits a body on numbers as ops on vectors of `shape`. Numbers of the body
/// are i32 where they are indices, since Mosaic has no vectors of index.
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

  /// A value of the body, or one from outside, on every element.
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
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      set(index, shape.empty()
                     ? createI32(builder, loc, 0)
                     : createIota(loc, static_cast<int32_t>(index.getDim())));
      return success();
    }
    if (auto cast = dyn_cast<arith::IndexCastOp>(op))
      return lowerIndexCast(cast);
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

  Value createIota(Location loc, int32_t dim) {
    return tpu::IotaOp::create(builder, loc, getType(builder.getI32Type()),
                               ArrayRef<int32_t>{dim});
  }

  LogicalResult lowerIndexCast(arith::IndexCastOp op) {
    Value value = get(op.getIn());
    Type from = getElementTypeOrSelf(value), type = getType(op.getType());
    Type to = getElementTypeOrSelf(type);
    Location loc = op.getLoc();
    if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
      value = arith::ExtSIOp::create(builder, loc, type, value);
    else if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
      value = arith::TruncIOp::create(builder, loc, type, value);
    set(op, value);
    return success();
  }

  Lowering &lowering;
  OpBuilder &builder;
  ArrayRef<int64_t> shape;
  DenseMap<Value, Value> values;
};

/// An operand of a generic op on every point of its loops.
FailureOr<Value> createOperand(Lowering &lowering, linalg::GenericOp op,
                               OpOperand &operand, ArrayRef<int64_t> shape) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Value value = lowering.get(operand.get());
  if (!map.isProjectedPermutation())
    return op.emitError("expected operands that are transposed or broadcast, "
                        "got one at ")
           << AffineMapAttr::get(map);
  SmallVector<int64_t> dims =
      llvm::map_to_vector(map.getResults(), [](AffineExpr expr) -> int64_t {
        return cast<AffineDimExpr>(expr).getPosition();
      });
  // The dimensions of the operand in the order of the loops.
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, dims.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) { return dims[a] < dims[b]; });
  OpBuilder &builder = lowering.builder;
  value = createTranspose(builder, op.getLoc(), value, order);
  llvm::sort(dims);
  return shape.empty()
             ? value
             : createBroadcast(builder, op.getLoc(), value, dims, shape);
}

LogicalResult lowerArgExtreme(linalg::GenericOp op, Lowering &lowering);

LogicalResult lowerGeneric(linalg::GenericOp op, Lowering &lowering) {
  if (op.getNumReductionLoops() != 0)
    return lowerArgExtreme(op, lowering);
  SmallVector<int64_t> shape = op.getStaticLoopRanges();
  VectorBody body(lowering, shape);
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument.use_empty())
      continue;
    FailureOr<Value> value = createOperand(lowering, op, operand, shape);
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

/// The place of the largest or smallest element along one dimension: a generic
/// op with a value and a place as its two results, of which only the second is
/// used. The first comparison of the body tells which of both.
LogicalResult lowerArgExtreme(linalg::GenericOp op, Lowering &lowering) {
  auto refuse = [&] {
    return op.emitError("expected a reduction by sum, maximum, minimum, argmax "
                        "or argmin on a TPU, got another function");
  };
  SmallVector<unsigned> dims;
  op.getReductionDims(dims);
  if (dims.size() != 1 || op.getNumDpsInputs() != 1 ||
      op.getNumResults() != 2 || !op->getResult(0).use_empty())
    return refuse();
  std::optional<tpu::ReductionKind> kind;
  for (Operation &inner : op.getBody()->without_terminator())
    if (auto compare = dyn_cast<arith::CmpFOp>(inner)) {
      if (compare.getLhs() != op.getBody()->getArgument(0) ||
          compare.getRhs() != op.getBody()->getArgument(1))
        return refuse();
      if (compare.getPredicate() == arith::CmpFPredicate::OGT)
        kind = tpu::ReductionKind::ArgMax;
      else if (compare.getPredicate() == arith::CmpFPredicate::OLT)
        kind = tpu::ReductionKind::ArgMin;
      break;
    }
  Value input = lowering.get(op.getDpsInputs()[0]);
  auto type = cast<VectorType>(input.getType());
  auto place = cast<RankedTensorType>(op->getResult(1).getType());
  if (!kind || !type.getElementType().isF32() ||
      !place.getElementType().isInteger(32) ||
      !op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity())
    return refuse();
  if (type.getRank() < 2)
    return op.emitError("expected a value of two dimensions or more for argmax "
                        "or argmin on a TPU, got ")
           << type;
  lowering.set(op->getResult(1),
               tpu::ReduceIndexOp::create(
                   lowering.builder, op.getLoc(),
                   VectorType::get(place.getShape(), place.getElementType()),
                   input, static_cast<int32_t>(dims.front()), *kind));
  return success();
}

} // namespace

void addLinalgLowerings(Lowering &lowering) {
  lowering.add(lowerFill);
  lowering.add(lowerBroadcast);
  lowering.add(lowerTranspose);
  lowering.add(lowerReduce);
  lowering.add(lowerGeneric);
  lowering.add(lowerMap);
}

} // namespace gridir::grid_to_tpu
