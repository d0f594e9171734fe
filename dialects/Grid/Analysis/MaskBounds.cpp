//===- MaskBounds.cpp - Positions of elements that masks select -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/MaskBounds.h"

#include "dialects/Support/Comparisons.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;

using Predicate = arith::CmpIPredicate;

Interval MaskBounds::getRange(const Positions &positions,
                              ArrayRef<int64_t> shape) {
  constexpr Interval all{std::numeric_limits<int32_t>::min(),
                         std::numeric_limits<int32_t>::max()};
  Interval range = Interval::constant(positions.constant);
  for (Value scalar : positions.scalars) {
    Interval part = ranges.get(scalar);
    if (!part.isIn(all.low, all.high))
      return all;
    range = {range.low + part.low, range.high + part.high};
  }
  for (auto [step, size] : llvm::zip_equal(positions.steps, shape)) {
    int64_t last = step * (size - 1);
    range = {range.low + std::min<int64_t>(last, 0),
             range.high + std::max<int64_t>(last, 0)};
  }
  // Larger sums wrap around.
  return range.isIn(all.low, all.high) ? range : all;
}

/// True if two tensors of one shape have equal elements.
static bool areEqual(const Positions &a, const Positions &b,
                     ArrayRef<int64_t> shape) {
  if (a.constant != b.constant || a.scalars.size() != b.scalars.size() ||
      !std::is_permutation(a.scalars.begin(), a.scalars.end(),
                           b.scalars.begin()))
    return false;
  for (auto [size, ofA, ofB] : llvm::zip_equal(shape, a.steps, b.steps))
    if (size != 1 && ofA != ofB)
      return false;
  return true;
}

/// The values that a comparison with limits in this range leaves.
static Interval getSelected(Predicate predicate, Interval limits) {
  Interval selected;
  switch (predicate) {
  case Predicate::slt:
    selected.high = limits.high - 1;
    break;
  case Predicate::sle:
    selected.high = limits.high;
    break;
  case Predicate::sgt:
    selected.low = limits.low + 1;
    break;
  case Predicate::sge:
    selected.low = limits.low;
    break;
  case Predicate::ult:
  case Predicate::ule:
    // A negative number is larger than each limit that is not negative.
    if (limits.low >= 0)
      selected = {0, limits.high - (predicate == Predicate::ult)};
    break;
  default:
    break;
  }
  return selected;
}

bool MaskBounds::areInside(Value mask, const Positions &positions,
                           ArrayRef<int64_t> shape, int64_t extent) {
  Interval range = getRange(positions, shape);
  auto type =
      mask ? dyn_cast<RankedTensorType>(mask.getType()) : RankedTensorType();
  if (range.isIn(0, extent - 1) || !type || type.getShape() != shape)
    return range.isIn(0, extent - 1);
  for (const Comparison &comparison : collect(mask)) {
    if (areEqual(comparison.lhs, positions, shape))
      range = range.intersect(
          getSelected(comparison.predicate, getRange(comparison.rhs, shape)));
    else if (areEqual(comparison.rhs, positions, shape))
      range = range.intersect(getSelected(swapOperands(comparison.predicate),
                                          getRange(comparison.lhs, shape)));
  }
  return range.isIn(0, extent - 1);
}

/// Returns comparisons of 32-bit integers that hold for all elements that a
/// mask selects, in its shape.
std::vector<MaskBounds::Comparison> MaskBounds::collect(Value mask) {
  auto type = cast<RankedTensorType>(mask.getType());
  std::vector<Comparison> found;
  Operation *op = mask.getDefiningOp();
  if (auto conjunction = dyn_cast_if_present<arith::AndIOp>(op)) {
    found = collect(conjunction.getLhs());
    llvm::append_range(found, collect(conjunction.getRhs()));
  } else if (auto compare = dyn_cast_if_present<arith::CmpIOp>(op)) {
    std::optional<Positions> lhs = reader.read(compare.getLhs()),
                             rhs = reader.read(compare.getRhs());
    if (lhs && rhs &&
        getElementTypeOrSelf(compare.getLhs().getType()).isInteger(32))
      found.push_back({compare.getPredicate(), *lhs, *rhs});
  } else if (auto broadcast = dyn_cast_if_present<linalg::BroadcastOp>(op)) {
    auto lift = [&](const Positions &positions) {
      return broadcastPositions(positions, broadcast.getDimensions(),
                                type.getRank());
    };
    for (const Comparison &part : collect(broadcast.getInput()))
      found.push_back({part.predicate, lift(part.lhs), lift(part.rhs)});
  } else if (isa_and_present<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
                 op)) {
    Value source = op->getOperand(0);
    auto from = cast<RankedTensorType>(source.getType()).getShape();
    for (const Comparison &part : collect(source)) {
      auto lhs = reshapePositions(part.lhs, from, type.getShape()),
           rhs = reshapePositions(part.rhs, from, type.getShape());
      if (lhs && rhs)
        found.push_back({part.predicate, *lhs, *rhs});
    }
  }
  return found;
}
