//===- ComputeOps.cpp - Verification of arithmetic and shapes -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/IR/TPU.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace gridir::tpu;

//===----------------------------------------------------------------------===//
// Matmul
//===----------------------------------------------------------------------===//

/// Each dimension of one side is contracted, free or a batch, and only one of
/// them.
static LogicalResult verifySide(MatmulOp op, StringRef side, VectorType type,
                                ArrayRef<int64_t> contracting,
                                ArrayRef<int64_t> free,
                                ArrayRef<int64_t> batch) {
  llvm::SmallBitVector seen(type.getRank());
  for (ArrayRef<int64_t> group : {contracting, free, batch})
    for (int64_t dim : group) {
      if (dim < 0 || dim >= type.getRank() || seen.test(dim))
        return op.emitOpError("expected every dimension of the ")
               << side << " once, got " << dim << " for " << type;
      seen.set(dim);
    }
  if (!seen.all())
    return op.emitOpError("expected every dimension of the ")
           << side << " once, got none of " << seen.find_first_unset()
           << " for " << type;
  if (!llvm::is_sorted(free))
    return op.emitOpError("expected free dimensions of the ")
           << side << " in order";
  return success();
}

static LogicalResult verifyDimensionNumbers(MatmulOp op,
                                            DotDimensionNumbersAttr numbers) {
  auto lhs = cast<VectorType>(op.getLhs().getType());
  auto rhs = cast<VectorType>(op.getRhs().getType());
  auto result = cast<VectorType>(op.getResult().getType());
  if (failed(verifySide(op, "left side", lhs, numbers.getLhsContractingDims(),
                        numbers.getLhsNonContractingDims(),
                        numbers.getLhsBatchDims())) ||
      failed(verifySide(op, "right side", rhs, numbers.getRhsContractingDims(),
                        numbers.getRhsNonContractingDims(),
                        numbers.getRhsBatchDims())))
    return failure();
  auto verifyEqual = [&](ArrayRef<int64_t> lhsDims, ArrayRef<int64_t> rhsDims,
                         StringRef what) -> LogicalResult {
    if (lhsDims.size() != rhsDims.size())
      return op.emitOpError("expected as many ")
             << what << " dimensions on both sides";
    for (auto [l, r] : llvm::zip_equal(lhsDims, rhsDims))
      if (lhs.getDimSize(l) != rhs.getDimSize(r))
        return op.emitOpError("expected ")
               << what << " dimensions of one size, got " << lhs.getDimSize(l)
               << " and " << rhs.getDimSize(r);
    return success();
  };
  if (failed(verifyEqual(numbers.getLhsContractingDims(),
                         numbers.getRhsContractingDims(), "contracting")) ||
      failed(verifyEqual(numbers.getLhsBatchDims(), numbers.getRhsBatchDims(),
                         "batch")))
    return failure();

  SmallVector<int64_t> order, shape;
  auto add = [&](int64_t side, ArrayRef<int64_t> dims, VectorType type) {
    for (int64_t dim : dims) {
      order.append({side, dim});
      shape.push_back(type.getDimSize(dim));
    }
  };
  add(0, numbers.getLhsBatchDims(), lhs);
  add(0, numbers.getLhsNonContractingDims(), lhs);
  add(1, numbers.getRhsNonContractingDims(), rhs);
  if (numbers.getOutputDimOrder() != ArrayRef(order))
    return op.emitOpError("expected the order batch, left, right of the result "
                          "dimensions");
  if (result.getShape() != ArrayRef(shape))
    return op.emitOpError("expected a result of the shape ")
           << VectorType::get(shape, result.getElementType()) << ", got "
           << result;
  return success();
}

LogicalResult MatmulOp::verify() {
  auto lhs = cast<VectorType>(getLhs().getType());
  auto rhs = cast<VectorType>(getRhs().getType());
  auto acc = cast<VectorType>(getAcc().getType());
  if (!acc.getElementType().isInteger(32) && !acc.getElementType().isF32())
    return emitOpError("expected an accumulator of 32 bits, got ") << acc;
  bool integers = isa<IntegerType>(acc.getElementType());
  if (isa<IntegerType>(lhs.getElementType()) &&
      isa<IntegerType>(rhs.getElementType()) != integers)
    return emitOpError("expected an accumulator of the kind of the factors, "
                       "got ")
           << lhs << ", " << rhs << " and " << acc;
  if (DotDimensionNumbersAttr numbers = getDimensionNumbersAttr()) {
    if (getTransposeLhs() || getTransposeRhs())
      return emitOpError("expected either dimension numbers or transposes, got "
                         "both");
    return verifyDimensionNumbers(*this, numbers);
  }
  if (lhs.getRank() != 2 || rhs.getRank() != 2 || acc.getRank() != 2)
    return emitOpError("expected dimension numbers for ")
           << lhs << " and " << rhs;
  auto size = [](VectorType type, unsigned dim, bool transposed) {
    return type.getDimSize(transposed ? 1 - dim : dim);
  };
  bool left = getTransposeLhs(), right = getTransposeRhs();
  if (size(lhs, 1, left) != size(rhs, 0, right) ||
      size(lhs, 0, left) != acc.getDimSize(0) ||
      size(rhs, 1, right) != acc.getDimSize(1))
    return emitOpError("expected shapes that match, got ")
           << lhs << ", " << rhs << " and " << acc;
  return success();
}

//===----------------------------------------------------------------------===//
// Other arithmetic
//===----------------------------------------------------------------------===//

LogicalResult ReciprocalOp::verify() {
  if (!cast<VectorType>(getInput().getType()).getElementType().isF32())
    return emitOpError("expected elements of f32, got ")
           << getInput().getType();
  return success();
}

LogicalResult LogisticOp::verify() {
  if (!isa<FloatType>(cast<VectorType>(getInput().getType()).getElementType()))
    return emitOpError("expected floats, got ") << getInput().getType();
  return success();
}

LogicalResult ReduceIndexOp::verify() {
  auto input = cast<VectorType>(getInput().getType());
  auto output = cast<VectorType>(getOutput().getType());
  if (getKind() != ReductionKind::ArgMax && getKind() != ReductionKind::ArgMin)
    return emitOpError("expected arg_max or arg_min, got ")
           << stringifyReductionKind(getKind());
  if (!input.getElementType().isF32() && !input.getElementType().isBF16())
    return emitOpError("expected elements of f32 or bf16, got ") << input;
  if (input.getElementType().isF32() && !output.getElementType().isInteger(32))
    return emitOpError("expected indices of i32 for elements of f32, got ")
           << output;
  int64_t axis = static_cast<int32_t>(getAxis());
  if (axis < 0 || axis >= input.getRank())
    return emitOpError("expected an axis of ") << input << ", got " << axis;
  if (input.getRank() < 2)
    return emitOpError("expected two dimensions or more, got ") << input;
  SmallVector<int64_t> shape(input.getShape());
  shape.erase(shape.begin() + axis);
  if (output.getShape() != ArrayRef(shape))
    return emitOpError("expected the shape of the operand without dimension ")
           << axis << ", got " << output;
  return success();
}

/// Distinct dimensions of a vector.
static LogicalResult verifyDimensions(Operation *op, ArrayRef<int32_t> dims,
                                      VectorType type) {
  llvm::SmallBitVector seen(type.getRank());
  for (int32_t dim : dims) {
    if (dim < 0 || dim >= type.getRank() || seen.test(dim))
      return op->emitOpError("expected distinct dimensions of ")
             << type << ", got " << dim;
    seen.set(dim);
  }
  return success();
}

LogicalResult IotaOp::verify() {
  return verifyDimensions(*this, getDimensions(),
                          cast<VectorType>(getOutput().getType()));
}

LogicalResult WeirdOp::verify() {
  Type input = getInput().getType(), output = getOutput().getType();
  if (!getElementTypeOrSelf(input).isF32() ||
      !getElementTypeOrSelf(output).isInteger(1))
    return emitOpError("expected f32 and i1, got ")
           << input << " and " << output;
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::verify() {
  auto source = cast<VectorType>(getVector().getType());
  auto result = cast<VectorType>(getResult().getType());
  if (source.getElementType() != result.getElementType())
    return emitOpError("expected one element type, got ")
           << source << " and " << result;
  ArrayRef<int64_t> permutation = getPermutation();
  if (static_cast<int64_t>(permutation.size()) != source.getRank() ||
      source.getRank() != result.getRank())
    return emitOpError("expected a permutation of the dimensions of ")
           << source << ", got " << permutation.size() << " numbers for "
           << result;
  llvm::SmallBitVector seen(source.getRank());
  for (auto [to, from] : llvm::enumerate(permutation)) {
    if (from < 0 || from >= source.getRank() || seen.test(from))
      return emitOpError("expected a permutation of the dimensions of ")
             << source << ", got " << from;
    seen.set(from);
    if (source.getDimSize(from) != result.getDimSize(to))
      return emitOpError("expected dimension ")
             << to << " of the result to have the size of dimension " << from
             << " of the operand, got " << result;
  }
  return success();
}

LogicalResult ConcatenateOp::verify() {
  auto output = cast<VectorType>(getOutput().getType());
  if (getSources().size() < 2)
    return emitOpError("expected two operands or more, got ")
           << getSources().size();
  int64_t dim = static_cast<int32_t>(getDimension());
  if (dim < 0 || dim >= output.getRank())
    return emitOpError("expected a dimension of ") << output << ", got " << dim;
  int64_t sum = 0;
  for (Value source : getSources()) {
    auto type = cast<VectorType>(source.getType());
    SmallVector<int64_t> shape(type.getShape());
    if (type.getRank() == output.getRank()) {
      if (llvm::AddOverflow(sum, shape[dim], sum))
        return emitOpError("expected less than 2^63 elements, got ")
               << getSources().size() << " operands of " << type;
      shape[dim] = output.getDimSize(dim);
    }
    if (output.getShape() != ArrayRef(shape) ||
        type.getElementType() != output.getElementType())
      return emitOpError("expected an operand that differs from ")
             << output << " only in dimension " << dim << ", got " << type;
  }
  if (sum != output.getDimSize(dim))
    return emitOpError("expected a result of ")
           << sum << " in dimension " << dim << ", got " << output;
  return success();
}

LogicalResult RepeatOp::verify() {
  auto source = cast<VectorType>(getSource().getType());
  auto output = cast<VectorType>(getOutput().getType());
  int64_t dim = static_cast<int32_t>(getDimension());
  if (dim < 0 || dim >= source.getRank())
    return emitOpError("expected a dimension of ") << source << ", got " << dim;
  int64_t times = static_cast<int32_t>(getTimes());
  SmallVector<int64_t> shape(source.getShape());
  if (times < 1 || llvm::MulOverflow(shape[dim], times, shape[dim]))
    return emitOpError("expected one repetition or more, and less than 2^63 "
                       "elements, got ")
           << times << " times " << source;
  if (output != VectorType::get(shape, source.getElementType()))
    return emitOpError("expected a result of ")
           << VectorType::get(shape, source.getElementType()) << ", got "
           << output;
  return success();
}

LogicalResult BitcastOp::verify() {
  auto input = cast<VectorType>(getInput().getType());
  auto output = cast<VectorType>(getOutput().getType());
  if (!input.getElementType().isIntOrFloat() ||
      !output.getElementType().isIntOrFloat())
    return emitOpError("expected integer or float elements, got ")
           << input << " and " << output;
  int64_t from = input.getElementTypeBitWidth();
  int64_t to = output.getElementTypeBitWidth();
  SmallVector<int64_t> shape(input.getShape());
  if (from != to) {
    if (shape.size() < 2)
      return emitOpError("expected two dimensions or more, got ") << input;
    int64_t &rows = shape[shape.size() - 2];
    // There are integers of no bits.
    if (to == 0 || llvm::MulOverflow(rows, from, rows) || rows % to != 0)
      return emitOpError("expected whole elements of ")
             << output.getElementType() << ", got " << input;
    rows /= to;
  }
  if (output.getShape() != ArrayRef(shape))
    return emitOpError("expected a result of ")
           << VectorType::get(shape, output.getElementType()) << ", got "
           << output;
  return success();
}

LogicalResult DynamicRotateOp::verify() {
  auto type = cast<VectorType>(getValue().getType());
  auto isDim = [&](int64_t dim) { return dim >= 0 && dim < type.getRank(); };
  if (!isDim(getDimension()))
    return emitOpError("expected a dimension of ")
           << type << ", got " << getDimension();
  if (getStride().has_value() != getStrideDimension().has_value())
    return emitOpError("expected stride and stride_dimension together");
  if (getStride() && *getStride() < 0)
    return emitOpError("expected a stride of at least 0, got ") << *getStride();
  if (getStrideDimension() && (!isDim(*getStrideDimension()) ||
                               *getStrideDimension() == getDimension()))
    return emitOpError("expected another dimension of ")
           << type << " for the stride, got " << *getStrideDimension();
  return success();
}

bool gridir::tpu::canRotateRows(unsigned width, int64_t amount, int64_t stride,
                                int64_t rows) {
  // A register of few rows rotates as one of all rows.
  int64_t lanes = 128, height = 8 * (32 / width);
  int64_t within = (height - 1) * stride;
  for (int64_t row = 0; row < rows; row += height)
    if ((amount + row * stride) % lanes + within > lanes)
      return false;
  return true;
}

LogicalResult DynamicGatherOp::verify() {
  auto source = cast<VectorType>(getSource().getType());
  auto indices = cast<VectorType>(getIndices().getType());
  auto output = cast<VectorType>(getOutput().getType());
  if (failed(verifyDimensions(*this, getDimensions(), source)))
    return failure();
  if (output.getShape() != indices.getShape() ||
      output.getElementType() != source.getElementType() ||
      output.getRank() != source.getRank())
    return emitOpError("expected elements of ")
           << source << " in the shape of " << indices << ", got " << output;
  for (int64_t dim = 0; dim < source.getRank(); ++dim)
    if (!llvm::is_contained(getDimensions(), dim) &&
        source.getDimSize(dim) != output.getDimSize(dim))
      return emitOpError("expected dimension ")
             << dim << " to be kept, got " << source << " and " << output;
  return success();
}
