//===- Reductions.cpp - Reductions, argmax and argmin ---------------------===//
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
namespace {

//===----------------------------------------------------------------------===//
// Functions of two elements
//===----------------------------------------------------------------------===//

/// The name of the one op that combines two elements; empty for a body of
/// several ops.
StringRef getCombiner(Block &body) {
  if (!llvm::hasNItems(body.without_terminator(), 1))
    return {};
  Operation &op = body.front();
  if (body.getTerminator()->getOperands() != op.getResults() ||
      !llvm::all_of(op.getOperands(),
                    [](Value v) { return isa<BlockArgument>(v); }))
    return {};
  return op.getName().getStringRef();
}

/// Mosaic's own reduction with a function of two elements.
std::optional<vector::CombiningKind> getNativeKind(StringRef combiner,
                                                   Type element) {
  using Kind = vector::CombiningKind;
  using Result = std::optional<Kind>;
  if (element.isF32() || element.isBF16())
    return llvm::StringSwitch<Result>(combiner)
        .Case("arith.addf", Kind::ADD)
        .Case("arith.maximumf", Kind::MAXIMUMF)
        .Case("arith.minimumf", Kind::MINIMUMF)
        .Default(std::nullopt);
  if (element.isInteger(32))
    return llvm::StringSwitch<Result>(combiner)
        .Case("arith.addi", Kind::ADD)
        .Case("arith.maxsi", Kind::MAXSI)
        .Case("arith.minsi", Kind::MINSI)
        .Default(std::nullopt);
  return std::nullopt;
}

/// The neutral element; none for an unknown function.
TypedAttr getNeutral(StringRef combiner, Type element) {
  Builder builder(element.getContext());
  if (auto type = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    bool isMax = combiner == "arith.maximumf";
    if (isMax || combiner == "arith.minimumf")
      return builder.getFloatAttr(type,
                                  APFloat::semanticsHasInf(semantics)
                                      ? APFloat::getInf(semantics, isMax)
                                      : APFloat::getLargest(semantics, isMax));
    if (combiner == "arith.addf" || combiner == "arith.mulf")
      return builder.getFloatAttr(type, combiner == "arith.mulf" ? 1 : 0);
    return {};
  }
  unsigned width = element.getIntOrFloatBitWidth();
  std::optional<APInt> value =
      llvm::StringSwitch<std::optional<APInt>>(combiner)
          .Cases({"arith.addi", "arith.ori", "arith.xori", "arith.maxui"},
                 APInt::getZero(width))
          .Case("arith.muli", APInt(width, 1))
          .Cases({"arith.andi", "arith.minui"}, APInt::getAllOnes(width))
          .Case("arith.maxsi", APInt::getSignedMinValue(width))
          .Case("arith.minsi", APInt::getSignedMaxValue(width))
          .Default(std::nullopt);
  return value ? TypedAttr(builder.getIntegerAttr(element, *value))
               : TypedAttr();
}

Value createConstant(OpBuilder &builder, Location loc, Type type,
                     TypedAttr number) {
  if (auto vector = dyn_cast<VectorType>(type))
    number = DenseElementsAttr::get(vector, Attribute(number));
  return arith::ConstantOp::create(builder, loc, number);
}

Value combine(OpBuilder &builder, Location loc, StringRef combiner, Value lhs,
              Value rhs) {
  OperationState state(loc, combiner);
  state.addOperands({lhs, rhs});
  state.addTypes(lhs.getType());
  return builder.create(state)->getResult(0);
}

//===----------------------------------------------------------------------===//
// Reductions of 32 bits
//===----------------------------------------------------------------------===//

/// The type of a value without the dimensions `dims`; a scalar if none is left.
Type getReducedType(Value value, ArrayRef<int64_t> dims) {
  auto type = cast<VectorType>(value.getType());
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      shape.push_back(type.getDimSize(dim));
  return shape.empty() ? type.getElementType()
                       : VectorType::get(shape, type.getElementType());
}

/// Mosaic starts a reduction from the neutral element only, and has none to a
/// number, which is reduced to a vector of one element first.
Value createNative(OpBuilder &builder, Location loc, vector::CombiningKind kind,
                   StringRef combiner, Value value, ArrayRef<int64_t> dims) {
  auto type = cast<VectorType>(value.getType());
  Type result = getReducedType(value, dims);
  TypedAttr neutral = getNeutral(combiner, type.getElementType());
  if (isa<VectorType>(result))
    return vector::MultiDimReductionOp::create(
        builder, loc, kind, value,
        createConstant(builder, loc, result, neutral), dims);
  SmallVector<int64_t> shape{1};
  llvm::append_range(shape, type.getShape());
  value = createShapeCast(builder, loc, value,
                          VectorType::get(shape, type.getElementType()));
  auto shifted = llvm::map_to_vector(dims, [](int64_t dim) { return dim + 1; });
  Value start = createConstant(
      builder, loc, VectorType::get({1}, type.getElementType()), neutral);
  value = vector::MultiDimReductionOp::create(builder, loc, kind, value, start,
                                              shifted);
  return vector::ExtractOp::create(builder, loc, value, ArrayRef<int64_t>{0});
}

/// Reduces one dimension by a function that Mosaic does not support in
/// reductions. Slices of the dimension are combined, and the last slice is
/// combined with its rotations by half, a quarter and so on. The dimension
/// remains, with one element.
Value foldDimension(OpBuilder &builder, Location loc, StringRef combiner,
                    Value value, int64_t dim) {
  auto type = cast<VectorType>(value.getType());
  int64_t piece = getRegisterSize(type.getRank(), dim);
  int64_t size = type.getDimSize(dim);
  if (int64_t rest = llvm::alignTo(size, piece) - size) {
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = rest;
    Type element = type.getElementType();
    Value padding =
        createConstant(builder, loc, VectorType::get(shape, element),
                       getNeutral(combiner, element));
    value = createConcat(builder, loc, {value, padding}, dim);
    size += rest;
  }
  SmallVector<Value> pieces;
  for (int64_t start = 0; start < size; start += piece)
    pieces.push_back(createPart(builder, loc, value, dim, start, piece));
  while (pieces.size() > 1) {
    SmallVector<Value> joined;
    for (size_t i = 0; i + 1 < pieces.size(); i += 2)
      joined.push_back(
          combine(builder, loc, combiner, pieces[i], pieces[i + 1]));
    if (pieces.size() % 2)
      joined.push_back(pieces.back());
    pieces = std::move(joined);
  }
  value = pieces.front();
  for (int64_t distance = piece / 2; distance >= 1; distance /= 2)
    value = combine(builder, loc, combiner, value,
                    createRotate(builder, loc, value,
                                 createI32(builder, loc, distance), dim));
  return createPart(builder, loc, value, dim, 0, 1);
}

Value createFolded(OpBuilder &builder, Location loc, StringRef combiner,
                   Value value, ArrayRef<int64_t> dims) {
  Type result = getReducedType(value, dims);
  auto type = cast<VectorType>(value.getType());
  SmallVector<int64_t> folded(dims);
  if (type.getRank() == 1) {
    value = createShapeCast(
        builder, loc, value,
        VectorType::get({1, type.getDimSize(0)}, type.getElementType()));
    folded = {1};
  }
  for (int64_t dim : folded)
    value = foldDimension(builder, loc, combiner, value, dim);
  return createShapeCast(builder, loc, value, result);
}

/// Flips the sign bit: unsigned numbers in the order of signed ones, and back.
Value flipSign(OpBuilder &builder, Location loc, Value value) {
  Value sign = createConstant(builder, loc, value.getType(),
                              builder.getI32IntegerAttr(INT32_MIN));
  return arith::XOrIOp::create(builder, loc, value, sign);
}

/// Reduces a value of 32 bits, or of bf16 where Mosaic does.
Value createReduction(OpBuilder &builder, Location loc, StringRef combiner,
                      Value value, ArrayRef<int64_t> dims) {
  bool isMax = combiner == "arith.maxui";
  if (isMax || combiner == "arith.minui") {
    value = createReduction(builder, loc, isMax ? "arith.maxsi" : "arith.minsi",
                            flipSign(builder, loc, value), dims);
    return flipSign(builder, loc, value);
  }
  if (auto kind = getNativeKind(combiner, getElementTypeOrSelf(value)))
    return createNative(builder, loc, *kind, combiner, value, dims);
  return createFolded(builder, loc, combiner, value, dims);
}

//===----------------------------------------------------------------------===//
// Reductions of any type
//===----------------------------------------------------------------------===//

/// True if a reduction starts from its neutral element.
bool startsNeutral(Value init, TypedAttr neutral) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  Attribute start;
  if (fill && matchPattern(fill.getInputs()[0], m_Constant(&start)))
    return start == neutral;
  DenseElementsAttr elements;
  return matchPattern(init, m_Constant(&elements)) && elements.isSplat() &&
         elements.getSplatValue<Attribute>() == neutral;
}

/// Reduces bools: "any" is the maximum, and "all" the minimum, of zeros and
/// ones. Mosaic's fastest reduction is that of f32.
Value createBoolReduction(OpBuilder &builder, Location loc, bool isAny,
                          Value bools, ArrayRef<int64_t> dims) {
  Type type = withElementType(bools.getType(), builder.getF32Type());
  Value one = createConstant(builder, loc, type, builder.getF32FloatAttr(1));
  Value zero = createZero(builder, loc, type);
  Value value = arith::SelectOp::create(builder, loc, bools, one, zero);
  value = createReduction(
      builder, loc, isAny ? "arith.maximumf" : "arith.minimumf", value, dims);
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, value,
                               createZero(builder, loc, value.getType()));
}

LogicalResult lowerReduce(linalg::ReduceOp op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  StringRef combiner = getCombiner(op.getCombiner().front());
  Value value =
      op.getInputs().size() == 1 ? lowering.get(op.getInputs()[0]) : Value();
  Type element = value ? getElementTypeOrSelf(value) : Type();
  TypedAttr neutral;
  if (value && !combiner.empty())
    neutral = getNeutral(combiner, element);
  if (!neutral)
    return op.emitError("expected a reduction by one binary function "
                        "(sum, product, maximum, minimum, and, or, xor) on a "
                        "TPU, got another function");
  if (element.getIntOrFloatBitWidth() > 32)
    return op.emitError("expected a reduction of elements of at most 32 bits "
                        "on a TPU, got ")
           << element;
  // A single element needs no reduction.
  if (!isa<VectorType>(value.getType())) {
    lowering.set(
        op->getResult(0),
        combine(builder, loc, combiner, lowering.get(op.getInits()[0]), value));
    return success();
  }
  bool isUnsigned = combiner == "arith.maxui" || combiner == "arith.minui";
  // As a signed number, true is -1.
  bool isAny = combiner == "arith.ori" || combiner == "arith.maxui" ||
               combiner == "arith.minsi";
  bool isAll = combiner == "arith.andi" || combiner == "arith.minui" ||
               combiner == "arith.muli" || combiner == "arith.maxsi";
  if (element.isInteger(1) && (isAny || isAll)) {
    Value result =
        createBoolReduction(builder, loc, isAny, value, op.getDimensions());
    if (!startsNeutral(op.getInits()[0], neutral))
      result = combine(builder, loc, combiner, result,
                       lowering.get(op.getInits()[0]));
    lowering.set(op->getResult(0), result);
    return success();
  }
  // Zero-extension keeps the order of unsigned numbers, and the sum of bools is
  // the parity of the true ones.
  StringRef wideCombiner = combiner;
  if (element.isInteger(1))
    wideCombiner = "arith.xori";
  else if (element.getIntOrFloatBitWidth() < 32)
    wideCombiner = llvm::StringSwitch<StringRef>(combiner)
                       .Case("arith.maxui", "arith.maxsi")
                       .Case("arith.minui", "arith.minsi")
                       .Default(combiner);
  // XLA sums narrow floats in 32 bits, and Mosaic has numbers of 32 bits only.
  bool isNumber = cast<ShapedType>(op->getResult(0).getType()).getRank() == 0;
  bool isNative = getNativeKind(wideCombiner, element) && !isNumber &&
                  combiner != "arith.addf";
  Type computed = isNative ? element : getWideElement(element);
  auto widen = [&](Value narrow) {
    return createElementCast(builder, loc, narrow, computed, isUnsigned);
  };
  Value result = createReduction(builder, loc, wideCombiner, widen(value),
                                 op.getDimensions());
  if (!startsNeutral(op.getInits()[0], neutral))
    result = combine(builder, loc, wideCombiner, result,
                     widen(lowering.get(op.getInits()[0])));
  lowering.set(op->getResult(0),
               createElementCast(builder, loc, result, element));
  return success();
}

//===----------------------------------------------------------------------===//
// Argmax and argmin
//===----------------------------------------------------------------------===//

/// The comparison of a generic op that finds an extreme value.
struct Extreme {
  bool isMax, isUnsigned;
};

/// Reads the first comparison of the body, that of an element with the best
/// one so far.
std::optional<Extreme> getExtreme(Block &body) {
  auto compares = [&](auto op) {
    return op.getLhs() == body.getArgument(0) &&
           op.getRhs() == body.getArgument(1);
  };
  for (Operation &op : body.without_terminator()) {
    if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
      using Predicate = arith::CmpFPredicate;
      bool isMax = compare.getPredicate() == Predicate::OGT;
      if (!compares(compare) ||
          (!isMax && compare.getPredicate() != Predicate::OLT))
        return std::nullopt;
      return Extreme{isMax, false};
    }
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      using Predicate = arith::CmpIPredicate;
      Predicate predicate = compare.getPredicate();
      bool isUnsigned =
          predicate == Predicate::ugt || predicate == Predicate::ult;
      bool isMax = predicate == Predicate::ugt || predicate == Predicate::sgt;
      if (!compares(compare) ||
          (!isMax && !isUnsigned && predicate != Predicate::slt))
        return std::nullopt;
      return Extreme{isMax, isUnsigned};
    }
  }
  return std::nullopt;
}

/// Argmax or argmin of integers, which Mosaic has for f32 only: the lowest
/// index whose element equals the extreme.
Value createIntegerArgExtreme(OpBuilder &builder, Location loc, Value value,
                              Extreme extreme, int64_t dim) {
  auto type = cast<VectorType>(value.getType());
  if (extreme.isUnsigned)
    value = flipSign(builder, loc, value);
  Value best = createReduction(builder, loc,
                               extreme.isMax ? "arith.maxsi" : "arith.minsi",
                               value, {dim});
  SmallVector<int64_t> kept;
  for (int64_t other = 0; other < type.getRank(); ++other)
    if (other != dim)
      kept.push_back(other);
  best = createBroadcast(builder, loc, best, kept, type.getShape());
  Value isBest = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       value, best);
  Value indices = createIota(builder, loc, type.getShape(), dim);
  Value none =
      createConstant(builder, loc, type, builder.getI32IntegerAttr(INT32_MAX));
  indices = arith::SelectOp::create(builder, loc, isBest, indices, none);
  return createReduction(builder, loc, "arith.minsi", indices, {dim});
}

} // namespace

/// A generic op with a value and an index as its two results; only the second
/// is used.
LogicalResult lowerReducingGeneric(linalg::GenericOp op, Lowering &lowering) {
  SmallVector<unsigned> dims;
  op.getReductionDims(dims);
  std::optional<Extreme> extreme;
  bool isSearch =
      dims.size() == 1 && op.getNumDpsInputs() == 1 &&
      op.getNumResults() == 2 && op->getResult(0).use_empty() &&
      op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity();
  if (isSearch)
    extreme = getExtreme(*op.getBody());
  if (!extreme)
    return op.emitError("expected a reduction by one binary function, "
                        "argmax or argmin on a TPU, got another function");
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  Value value = lowering.get(op.getDpsInputs()[0]);
  value = createElementCast(builder, loc, value,
                            getWideElement(getElementTypeOrSelf(value)),
                            extreme->isUnsigned);
  auto type = cast<VectorType>(value.getType());
  if (Type element = type.getElementType();
      element.getIntOrFloatBitWidth() > 32)
    return op.emitError("expected elements of at most 32 bits for argmax or "
                        "argmin on a TPU, got ")
           << element;
  int64_t dim = dims.front();
  auto indexType = cast<RankedTensorType>(op->getResult(1).getType());
  Type result =
      withElementType(getReducedType(value, {dim}), builder.getI32Type());
  // Mosaic searches in two dimensions or more.
  bool isVector = type.getRank() == 1;
  if (isVector) {
    type = VectorType::get({1, type.getDimSize(0)}, type.getElementType());
    value = createShapeCast(builder, loc, value, type);
    dim = 1;
  }
  if (isa<FloatType>(type.getElementType())) {
    Type found = isVector ? VectorType::get({1}, builder.getI32Type()) : result;
    value = tpu::ReduceIndexOp::create(
        builder, loc, found, value, static_cast<int32_t>(dim),
        extreme->isMax ? tpu::ReductionKind::ArgMax
                       : tpu::ReductionKind::ArgMin);
  } else {
    value = createIntegerArgExtreme(builder, loc, value, *extreme, dim);
  }
  value = createShapeCast(builder, loc, value, result);
  lowering.set(op->getResult(1), createElementCast(builder, loc, value,
                                                   indexType.getElementType()));
  return success();
}

void addReductionLowerings(Handlers &handlers) { handlers.add(lowerReduce); }

} // namespace gridir::grid_to_tpu
