//===- ContractionPadding.cpp - Sizes that matrix units compute -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/ContractionPadding.h"

#include "dialects/Support/Builders.h"
#include "dialects/Support/Elements.h"
#include "dialects/Warpgroup/Transforms/MatrixUnits.h"
#include "dialects/Warpgroup/Transforms/ValueSlices.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"
#include <utility>

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;
using namespace gridir::warpgroup;

namespace {

/// True if registers hold operands of a depth, or parts of it along a dimension
/// of each operand.
bool canHold(int64_t depth, ArrayRef<std::pair<Value, int64_t>> operands) {
  return depth <= kMaxHeldDepth || llvm::all_of(operands, [](auto operand) {
           return canSlice(operand.first, operand.second);
         });
}

class ContractionPadding {
public:
  ContractionPadding(const BlockAxes &axes, const gpu::Chip &chip)
      : axes(axes), chip(chip) {}

  /// Extends the axes of a contraction that matrix units do not compute, whose
  /// right operand registers of each warp would hold, or whose depth equal
  /// parts do not divide.
  LogicalResult pad(DotOp dot) {
    if (!getUnitSizes(dot, chip))
      return failure();
    bool isComputed =
        findPreparedUnit(dot, chip) != MatrixUnit::None ||
        findPreparedUnit(dot, chip, /*isSwapped=*/true) != MatrixUnit::None;
    bool isHeld = getPlace(dot.getRhsMutable()) == OperandPlace::Registers;
    return success((isComputed && !isHeld && !hasUnevenParts(dot)) ||
                   extend(dot) || isComputed);
  }

  /// True if an axis was extended since the last call.
  bool takeChange() { return std::exchange(isChanged, false); }

  const llvm::MapVector<unsigned, AxisPadding> &getPaddings() const {
    return paddings;
  }

private:
  /// True if a contraction is too deep for registers and shared memory, so that
  /// it becomes a loop over parts, and these do not divide its depth.
  bool hasUnevenParts(DotOp dot) const {
    int64_t depth = getSize(dot.getLhs(), getContracted(dot)->first);
    if (depth <= kMaxHeldDepth || depth % getDepthUnit(dot, depth) == 0)
      return false;
    int64_t bits = 0;
    bool isCopied = true;
    for (OpOperand *operand : {&dot.getLhsMutable(), &dot.getRhsMutable()}) {
      auto type = cast<RankedTensorType>(operand->get().getType());
      bits += type.getNumElements() * type.getElementTypeBitWidth();
      isCopied &= getPlace(*operand) == OperandPlace::Copied;
    }
    // The other half is for other values and stages.
    return !isCopied || bits / 8 > chip.ctaSharedBytes / 2;
  }

  /// Returns true if matrix units divide the extended sizes.
  bool extend(DotOp dot) {
    auto [lhsDim, rhsDim] = *getContracted(dot);
    int64_t depth = getSize(dot.getLhs(), lhsDim);
    if (!extend(dot.getLhs(), lhsDim, getDepthUnit(dot, depth)) ||
        !canHold(depth, {{dot.getLhs(), lhsDim}, {dot.getRhs(), rhsDim}}))
      return false;
    // Rows of shared memory.
    (void)extend(dot.getRhs(), 1, getRowElements(dot));
    if (dividesUnits(dot, getSizes(dot)))
      return true;
    std::optional<ContractionUnit> unit = findUnit(dot);
    return unit && extend(dot.getResult(), 0, unit->rows) &&
           extend(dot.getResult(), 1, unit->columns);
  }

  int64_t getSize(Value value, unsigned dim) const {
    std::optional<unsigned> axis = axes.getAxis(value, dim);
    auto known = axis ? paddings.find(*axis) : paddings.end();
    return known == paddings.end()
               ? cast<RankedTensorType>(value.getType()).getDimSize(dim)
               : known->second.padded;
  }

  ContractionSizes getSizes(DotOp dot) const {
    return {getSize(dot.getResult(), 0), getSize(dot.getResult(), 1),
            getSize(dot.getLhs(), getContracted(dot)->first)};
  }

  bool canExtend(Value value, unsigned dim, int64_t multiple) const {
    return axes.getAxis(value, dim) || getSize(value, dim) % multiple == 0;
  }

  /// The unit to whose multiples a result can be extended by the fewest
  /// elements.
  std::optional<ContractionUnit> findUnit(DotOp dot) const {
    Value result = dot.getResult();
    std::optional<ContractionUnit> best;
    int64_t least = 0;
    for (ContractionUnit unit : kContractionUnits) {
      int64_t count = llvm::alignTo(getSize(result, 0), unit.rows) *
                      llvm::alignTo(getSize(result, 1), unit.columns);
      if (!canExtend(result, 0, unit.rows) ||
          !canExtend(result, 1, unit.columns) || (best && count >= least))
        continue;
      best = unit;
      least = count;
    }
    return best;
  }

  /// Extends the axis of a dimension to a multiple of a power of two. A
  /// multiple of a larger power remains one.
  bool extend(Value value, unsigned dim, int64_t multiple) {
    int64_t size = getSize(value, dim);
    if (size % multiple == 0)
      return true;
    std::optional<unsigned> axis = axes.getAxis(value, dim);
    if (!axis)
      return false;
    AxisPadding &padding =
        paddings.insert({*axis, AxisPadding{*axis, size, size}}).first->second;
    padding.padded = llvm::alignTo(size, multiple);
    isChanged = true;
    return true;
  }

  const BlockAxes &axes;
  const gpu::Chip &chip;
  llvm::MapVector<unsigned, AxisPadding> paddings;
  bool isChanged = false;
};

/// The operand of a contraction that is a vector or has a single row, and the
/// matrix with which it is multiplied.
struct VectorOperand {
  bool isLeft;
  Value vector, matrix;
  /// The dimensions that are contracted.
  int64_t ofVector, ofMatrix;
};

std::optional<VectorOperand> findVector(DotOp dot) {
  if (dot.getLhsContract().size() != 1 || !dot.getLhsBatch().empty())
    return std::nullopt;
  int64_t ofLhs = dot.getLhsContract()[0], ofRhs = dot.getRhsContract()[0];
  VectorOperand left{true, dot.getLhs(), dot.getRhs(), ofLhs, ofRhs},
      right{false, dot.getRhs(), dot.getLhs(), ofRhs, ofLhs};
  for (const VectorOperand &operand : {left, right}) {
    auto type = cast<RankedTensorType>(operand.vector.getType());
    bool isVector =
        type.getRank() == 1 ||
        (type.getRank() == 2 && type.getDimSize(1 - operand.ofVector) == 1);
    if (isVector &&
        cast<RankedTensorType>(operand.matrix.getType()).getRank() == 2)
      return operand;
  }
  return std::nullopt;
}

/// Equal rows of a vector.
Value createRows(OpBuilder &builder, Location loc, Value vector, int64_t rows) {
  auto type = cast<RankedTensorType>(vector.getType());
  if (type.getRank() == 2)
    vector = tensor::CollapseShapeOp::create(
        builder, loc, vector, ArrayRef<ReassociationIndices>{{0, 1}});
  Value empty = createEmpty(builder, loc,
                            RankedTensorType::get({rows, type.getNumElements()},
                                                  type.getElementType()));
  return linalg::BroadcastOp::create(builder, loc, vector, empty,
                                     ArrayRef<int64_t>{0})
      ->getResult(0);
}

} // namespace

bool gridir::warpgroup::isOfVector(DotOp dot, const gpu::Chip &chip) {
  return hasUnitTypes(dot, chip) && findVector(dot);
}

bool gridir::warpgroup::repeatVector(DotOp dot, const BlockAxes &axes) {
  std::optional<VectorOperand> found = findVector(dot);
  if (!found)
    return false;
  // 64 columns or rows of the matrix and 8 rows, or 32 and 16.
  constexpr int64_t fewRows = 8, manyRows = 16, ofFew = 64, ofMany = 32;
  Value matrix = found->matrix;
  auto type = cast<RankedTensorType>(matrix.getType());
  int64_t contracted = found->ofMatrix, free = 1 - contracted,
          size = type.getDimSize(free), depth = type.getDimSize(contracted);
  if ((size % ofMany != 0 && !axes.getAxis(matrix, free)) ||
      (depth % getDepthUnit(dot, depth) != 0 &&
       !axes.getAxis(matrix, contracted)) ||
      !canHold(depth, {{found->vector, found->ofVector}, {matrix, contracted}}))
    return false;
  int64_t rows = size % ofFew == 0 ? fewRows : manyRows;

  OpBuilder builder(dot);
  Location loc = dot.getLoc();
  auto product = cast<DotOp>(builder.clone(*dot));
  builder.setInsertionPoint(product);
  Value repeated = createRows(builder, loc, found->vector, rows);
  SmallVector<int64_t> shape{rows, size}, part{1, size};
  if (found->isLeft) {
    product.getLhsMutable().assign(repeated);
    product.setLhsContract({1});
  } else {
    product.getRhsMutable().assign(repeated);
    product.setRhsContract({1});
    shape = {size, rows};
    part = {size, 1};
  }
  product.getAccMutable().clear();
  auto oldType = cast<RankedTensorType>(dot.getType());
  product.getResult().setType(
      RankedTensorType::get(shape, oldType.getElementType()));
  builder.setInsertionPoint(dot);
  SmallVector<OpFoldResult> zeros(2, builder.getIndexAttr(0)),
      ones(2, builder.getIndexAttr(1));
  Value result = tensor::ExtractSliceOp::create(
      builder, loc, RankedTensorType::get(part, oldType.getElementType()),
      product.getResult(), zeros,
      getAsIndexOpFoldResult(builder.getContext(), part), ones);
  if (oldType.getRank() == 1)
    result = tensor::CollapseShapeOp::create(
        builder, loc, result, ArrayRef<ReassociationIndices>{{0, 1}});
  if (dot.getAcc())
    result = createAdd(builder, loc, dot.getAcc(), result);
  dot.replaceAllUsesWith(result);
  dot.erase();
  return true;
}

bool gridir::warpgroup::canPad(DotOp dot, const BlockAxes &axes,
                               const gpu::Chip &chip) {
  return succeeded(ContractionPadding(axes, chip).pad(dot));
}

FailureOr<SmallVector<AxisPadding>> gridir::warpgroup::findContractionPadding(
    KernelOp kernel, const BlockAxes &axes, const gpu::Chip &chip) {
  SmallVector<DotOp> dots;
  kernel.getBodyRegion().walk([&](DotOp dot) { dots.push_back(dot); });
  ContractionPadding padding(axes, chip);
  // Contractions share axes, and all multiples are powers of two up to a row of
  // shared memory.
  do {
    for (DotOp dot : dots)
      if (failed(padding.pad(dot)))
        return failure();
  } while (padding.takeChange());
  return llvm::to_vector(llvm::make_second_range(padding.getPaddings()));
}
