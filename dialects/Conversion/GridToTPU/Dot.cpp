//===- Dot.cpp - Contractions as matmuls ----------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToTPU/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gridir::grid_to_tpu {
namespace {

/// The dimensions that are neither contracted nor batch.
SmallVector<int64_t> getFreeDims(int64_t rank, ArrayRef<int64_t> contract,
                                 ArrayRef<int64_t> batch) {
  SmallVector<int64_t> free;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(contract, dim) && !llvm::is_contained(batch, dim))
      free.push_back(dim);
  return free;
}

/// One side of a contraction. Mosaic requires a free and a contracted dimension
/// on both sides; one of size 1 after the batch dimensions takes the place of
/// one that lacks.
struct Side {
  Value value;
  SmallVector<int64_t> contract, batch, free;

  VectorType getType() const { return cast<VectorType>(value.getType()); }
  int64_t getSize(int64_t dim) const { return getType().getDimSize(dim); }

  void addUnitDimTo(SmallVector<int64_t> Side::*kind, OpBuilder &builder,
                    Location loc) {
    int64_t unit = batch.size();
    SmallVector<int64_t> shape(getType().getShape());
    shape.insert(shape.begin() + unit, 1);
    value = createShapeCast(builder, loc, value,
                            VectorType::get(shape, getType().getElementType()));
    for (SmallVector<int64_t> *dims : {&contract, &batch, &free})
      for (int64_t &dim : *dims)
        dim += dim >= unit;
    this->*kind = {unit};
  }
};

/// The operand types that Mosaic supports, and the type of the accumulator.
LogicalResult verifyElements(grid::DotOp op, Type lhs, Type rhs, Type result) {
  auto isFloat = [](Type type) {
    return isa<FloatType>(type) && !type.isF16() && !type.isF64();
  };
  auto isNarrow = [](Type type) {
    return type.isInteger(8) || type.isInteger(4);
  };
  bool floats = isa<FloatType>(result) && (isFloat(lhs) || isNarrow(lhs)) &&
                (isFloat(rhs) || isNarrow(rhs)) &&
                (isFloat(lhs) || isFloat(rhs));
  bool integers = result.isInteger(32) && isNarrow(lhs) && isNarrow(rhs);
  if (!floats && !integers)
    return op.emitError("expected a matmul that Mosaic supports (bf16, f32 or "
                        "f8, or i8 or i4 with an i32 result), got ")
           << lhs << " by " << rhs << " into " << result
           << "; convert the operands, or set preferred_element_type";
  if (op.getUnsignedLhs() || op.getUnsignedRhs())
    return op.emitError("expected signed integers in a matmul on a TPU");
  return success();
}

/// The requested precision, if it requires more than one pass of the matrix
/// unit for f32 operands.
FailureOr<tpu::ContractPrecisionAttr> getPrecision(grid::DotOp op, Type lhs,
                                                   Type rhs) {
  MLIRContext *context = op.getContext();
  bool exact = false;
  if (std::optional<ArrayAttr> precision = op.getPrecision())
    for (StringAttr side : precision->getAsRange<StringAttr>()) {
      StringRef name = side.getValue();
      if (name.equals_insensitive("highest"))
        exact = true;
      else if (name.equals_insensitive("high"))
        return op.emitError("expected precision DEFAULT or HIGHEST on a TPU, "
                            "got HIGH");
    }
  if (std::optional<StringRef> algorithm = op.getAlgorithm()) {
    if (algorithm->ends_with("F32_F32_F32"))
      exact = true;
    else if (!algorithm->ends_with("BF16_BF16_F32"))
      return op.emitError("expected algorithm F32_F32_F32 or BF16_BF16_F32 on "
                          "a TPU, got ")
             << *algorithm;
  }
  if (!exact || !lhs.isF32() || !rhs.isF32())
    return tpu::ContractPrecisionAttr();
  return tpu::ContractPrecisionAttr::get(context, tpu::ContractPrecision::FP32);
}

LogicalResult lowerDot(grid::DotOp op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  auto makeSide = [&](Value value, ArrayRef<int64_t> contract,
                      ArrayRef<int64_t> batch) {
    Side side{lowering.get(value),
              llvm::to_vector(contract),
              llvm::to_vector(batch),
              {}};
    side.free = getFreeDims(side.getType().getRank(), contract, batch);
    return side;
  };
  Side lhs = makeSide(op.getLhs(), op.getLhsContract(), op.getLhsBatch());
  Side rhs = makeSide(op.getRhs(), op.getRhsContract(), op.getRhsBatch());
  Type element = getElementTypeOrSelf(op.getResult().getType());
  Type lhsElement = lhs.getType().getElementType();
  Type rhsElement = rhs.getType().getElementType();
  if (failed(verifyElements(op, lhsElement, rhsElement, element)))
    return failure();
  FailureOr<tpu::ContractPrecisionAttr> precision =
      getPrecision(op, lhsElement, rhsElement);
  FailureOr<Type> resultType =
      lowering.convertType(op, op.getResult().getType());
  if (failed(precision) || failed(resultType))
    return failure();
  for (Side *side : {&lhs, &rhs}) {
    if (side->contract.empty())
      side->addUnitDimTo(&Side::contract, builder, loc);
    if (side->free.empty())
      side->addUnitDimTo(&Side::free, builder, loc);
  }

  SmallVector<int64_t> order, shape;
  auto addDims = [&](int64_t number, const Side &side, ArrayRef<int64_t> dims) {
    for (int64_t dim : dims) {
      order.append({number, dim});
      shape.push_back(side.getSize(dim));
    }
  };
  addDims(0, lhs, lhs.batch);
  addDims(0, lhs, lhs.free);
  addDims(1, rhs, rhs.free);
  // Mosaic accumulates in 32 bits.
  Type accElement = isa<FloatType>(element) ? Type(builder.getF32Type())
                                            : Type(builder.getI32Type());
  auto accType = VectorType::get(shape, accElement);
  Value acc;
  if (op.getAcc() && element == accElement)
    acc = createShapeCast(builder, loc, lowering.get(op.getAcc()), accType);
  else
    acc = createZero(builder, loc, accType);
  auto numbers = tpu::DotDimensionNumbersAttr::get(
      op.getContext(), lhs.contract, rhs.contract, lhs.free, rhs.free, order,
      lhs.batch, rhs.batch);
  bool transposed = lhs.contract.front() < lhs.free.back();
  Value result = tpu::MatmulOp::create(
      builder, loc, accType, lhs.value, rhs.value, acc,
      /*transpose_lhs=*/false, /*transpose_rhs=*/false, *precision, numbers,
      transposed && lowering.transposeLhsHint);
  if (element != accElement)
    result = arith::TruncFOp::create(builder, loc,
                                     VectorType::get(shape, element), result);
  result = createShapeCast(builder, loc, result, *resultType);
  if (op.getAcc() && element != accElement)
    result =
        arith::AddFOp::create(builder, loc, result, lowering.get(op.getAcc()));
  lowering.set(op.getResult(), result);
  return success();
}

} // namespace

void addDotLowerings(Handlers &handlers) { handlers.add(lowerDot); }

} // namespace gridir::grid_to_tpu
