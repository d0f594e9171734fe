//===- ContractionPadding.cpp - Sizes that matrix units compute -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/ContractionPadding.h"

#include "dialects/Warpgroup/Transforms/MatrixUnits.h"
#include "llvm/ADT/MapVector.h"
#include <utility>

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;
using namespace gridir::warpgroup;

namespace {

/// Multiples of rows and columns that instructions of four warps divide.
struct Unit {
  int64_t rows, columns;
};
constexpr Unit kUnits[] = {{64, 8}, {32, 16}, {16, 32}};

class ContractionPadding {
public:
  ContractionPadding(const BlockAxes &axes, const gpu::Chip &chip)
      : axes(axes), chip(chip) {}

  /// Extends the axes of a contraction that matrix units do not compute.
  LogicalResult pad(DotOp dot) {
    if (findPreparedUnit(dot, chip) != MatrixUnit::None ||
        findPreparedUnit(dot, chip, /*isSwapped=*/true) != MatrixUnit::None)
      return success();
    if (!getUnitSizes(dot, chip))
      return failure();
    auto [lhsDim, rhsDim] = *getContracted(dot);
    int64_t depth = getSize(dot.getLhs(), lhsDim);
    if (!extend(dot.getLhs(), lhsDim, getDepthUnit(dot, depth)))
      return failure();
    // Otherwise registers of each warp hold the right operand.
    (void)extend(dot.getRhs(), 1, getRowElements(dot));
    if (dividesUnits(dot, getSizes(dot)))
      return success();
    std::optional<Unit> unit = findUnit(dot);
    return success(unit && extend(dot.getResult(), 0, unit->rows) &&
                   extend(dot.getResult(), 1, unit->columns));
  }

  /// True if an axis was extended since the last call.
  bool takeChange() { return std::exchange(isChanged, false); }

  const llvm::MapVector<unsigned, AxisPadding> &getPaddings() const {
    return paddings;
  }

private:
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
  std::optional<Unit> findUnit(DotOp dot) const {
    Value result = dot.getResult();
    std::optional<Unit> best;
    int64_t least = 0;
    for (Unit unit : kUnits) {
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

} // namespace

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
  SmallVector<AxisPadding> result;
  for (auto &[axis, found] : padding.getPaddings())
    result.push_back(found);
  return result;
}
