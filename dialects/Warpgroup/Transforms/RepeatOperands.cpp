//===- RepeatOperands.cpp - Contractions of repeated rows -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/RepeatOperands.h"

#include "dialects/Support/Builders.h"
#include "dialects/Support/Elements.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "dialects/Warpgroup/Transforms/MatrixUnits.h"
#include "dialects/Warpgroup/Transforms/RestrictReduction.h"
#include "dialects/Warpgroup/Transforms/ValueSlices.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <numeric>
#include <tuple>

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;
using namespace gridir::warpgroup;

/// The least multiple of a size that a unit divides. Unlike the next multiple
/// of the unit, threads have it in registers without an exchange.
static int64_t getRepeated(int64_t size, int64_t unit) {
  return std::lcm(size, unit);
}

/// The depth of a contraction after its operands are repeated, if registers
/// hold them. A deep one becomes a loop over rows of shared memory instead.
static std::optional<int64_t> findRepeatedDepth(DotOp dot, int64_t depth) {
  if (depth <= kMaxHeldDepth) {
    int64_t repeated = getRepeated(
        depth, getDepthUnit(dot, std::min(depth, getRowElements(dot))));
    return repeated <= kMaxHeldDepth ? std::optional(repeated) : std::nullopt;
  }
  auto [lhsDim, rhsDim] = *getContracted(dot);
  bool hasParts = depth % getDepthUnit(dot, depth) == 0 &&
                  canSlice(dot.getLhs(), lhsDim) &&
                  canSlice(dot.getRhs(), rhsDim);
  return hasParts ? std::optional(depth) : std::nullopt;
}

/// Returns sizes that matrix units divide and registers hold. Repeated operands
/// are in registers, so the fewest rows of copied ones are repeated; then the
/// result has the fewest elements.
static std::optional<ContractionSizes> findRepeated(DotOp dot,
                                                    const gpu::Chip &chip) {
  std::optional<ContractionSizes> sizes = getUnitSizes(dot, chip);
  if (!sizes)
    return std::nullopt;
  std::optional<int64_t> depth = findRepeatedDepth(dot, sizes->depth);
  if (!depth)
    return std::nullopt;
  bool copiesLhs = getPlace(dot.getLhsMutable()) == OperandPlace::Copied,
       copiesRhs = getPlace(dot.getRhsMutable()) == OperandPlace::Copied;
  std::optional<ContractionSizes> best;
  std::pair<int64_t, int64_t> least;
  for (ContractionUnit unit : kContractionUnits)
    for (auto [rows, columns] : {std::pair(unit.rows, unit.columns),
                                 std::pair(unit.columns, unit.rows)}) {
      ContractionSizes repeated{getRepeated(sizes->rows, rows),
                                getRepeated(sizes->columns, columns), *depth};
      // Then something else is in the way of matrix units.
      if (std::tie(repeated.rows, repeated.columns, repeated.depth) ==
          std::tie(sizes->rows, sizes->columns, sizes->depth))
        return std::nullopt;
      std::pair<int64_t, int64_t> cost(
          (copiesLhs && repeated.rows != sizes->rows ? sizes->rows : 0) +
              (copiesRhs && repeated.columns != sizes->columns ? sizes->columns
                                                               : 0),
          repeated.rows * repeated.columns);
      if (cost.second <= kMaxArrayRegisters * kNumThreads &&
          dividesUnits(dot, repeated) && (!best || cost < least)) {
        best = repeated;
        least = cost;
      }
    }
  return best;
}

/// The elements of a matrix several times along a dimension.
static Value createRepeated(OpBuilder &builder, Location loc, Value matrix,
                            int64_t dim, int64_t size) {
  auto type = cast<RankedTensorType>(matrix.getType());
  if (type.getDimSize(dim) == size)
    return matrix;
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + dim, size / type.getDimSize(dim));
  Value copies =
      linalg::BroadcastOp::create(builder, loc, matrix,
                                  createEmpty(builder, loc, type.clone(shape)),
                                  ArrayRef{dim})
          ->getResult(0);
  SmallVector<ReassociationIndices> groups{{0}, {1, 2}};
  if (dim == 0)
    groups = {{0, 1}, {2}};
  return tensor::CollapseShapeOp::create(builder, loc, copies, groups);
}

bool gridir::warpgroup::canRepeatOperands(DotOp dot, const gpu::Chip &chip) {
  return findRepeated(dot, chip).has_value();
}

void gridir::warpgroup::repeatOperands(DotOp dot, const gpu::Chip &chip) {
  ContractionSizes sizes = *findRepeated(dot, chip);
  auto type = cast<RankedTensorType>(dot.getType());
  OpBuilder builder(dot);
  Location loc = dot.getLoc();
  auto product = cast<DotOp>(builder.clone(*dot));
  builder.setInsertionPoint(product);
  auto [lhsDim, rhsDim] = *getContracted(dot);
  auto repeat = [&](OpOperand &operand, int64_t contracted, int64_t free) {
    int64_t depth =
        cast<RankedTensorType>(operand.get().getType()).getDimSize(contracted);
    Value repeated =
        createRepeated(builder, loc, operand.get(), 1 - contracted, free);
    operand.set(
        createRepeated(builder, loc, repeated, contracted, sizes.depth));
    if (depth != sizes.depth)
      restrictOperand(operand, contracted, depth);
  };
  repeat(product.getLhsMutable(), lhsDim, sizes.rows);
  repeat(product.getRhsMutable(), rhsDim, sizes.columns);
  product.getAccMutable().clear();
  product.getResult().setType(type.clone({sizes.rows, sizes.columns}));
  builder.setInsertionPoint(dot);
  SmallVector<OpFoldResult> zeros(2, builder.getIndexAttr(0)),
      ones(2, builder.getIndexAttr(1));
  Value result = tensor::ExtractSliceOp::create(
      builder, loc, type, product.getResult(), zeros,
      getAsIndexOpFoldResult(builder.getContext(), type.getShape()), ones);
  if (dot.getAcc())
    result = createAdd(builder, loc, dot.getAcc(), result);
  dot.replaceAllUsesWith(result);
  dot.erase();
}
