//===- Intervals.cpp - Ranges of integers ---------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/Intervals.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/Utils/InferIntRangeCommon.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gridir {

static unsigned getWidth(Type type) {
  return ConstantIntRanges::getStorageBitwidth(type);
}

Interval getTypeRange(Type type) {
  unsigned width = getWidth(type);
  if (width == 1)
    return {0, 1};
  if (width == 0 || width >= 64)
    return {};
  return {llvm::minIntN(width), llvm::maxIntN(width)};
}

/// A range of numbers of `width` bits, as upstream has it: a boolean that is
/// true is -1 there, too.
static ConstantIntRanges toUpstream(Interval range, Interval limits,
                                    unsigned width) {
  range = range.intersect(limits);
  // For an empty range, any result is valid.
  if (range.low > range.high)
    range = limits;
  APInt low(width, range.low, /*isSigned=*/width > 1);
  APInt high(width, range.high, /*isSigned=*/width > 1);
  return width == 1 ? ConstantIntRanges::fromUnsigned(low, high)
                    : ConstantIntRanges::fromSigned(low, high);
}

static Interval fromUpstream(const ConstantIntRanges &range) {
  if (range.smin().getBitWidth() == 1)
    return {static_cast<int64_t>(range.umin().getZExtValue()),
            static_cast<int64_t>(range.umax().getZExtValue())};
  return {range.smin().getSExtValue(), range.smax().getSExtValue()};
}

/// The numbers that an op computes if it does not overflow; nothing for an op
/// that cannot.
static std::optional<ConstantIntRanges>
inferWithoutOverflow(Operation *op, ArrayRef<ConstantIntRanges> operands) {
  constexpr auto kNever = intrange::OverflowFlags::Nsw;
  return TypeSwitch<Operation *, std::optional<ConstantIntRanges>>(op)
      .Case([&](arith::AddIOp) { return intrange::inferAdd(operands, kNever); })
      .Case([&](arith::SubIOp) { return intrange::inferSub(operands, kNever); })
      .Case([&](arith::MulIOp) { return intrange::inferMul(operands, kNever); })
      .Case([&](arith::ShLIOp) { return intrange::inferShl(operands, kNever); })
      .Default([](Operation *) { return std::nullopt; });
}

Interval inferRange(Operation *op, ArrayRef<Interval> operands,
                    Overflow overflow) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  Interval result = getTypeRange(element);
  auto inferrable = dyn_cast<InferIntRangeInterface>(op);
  auto fits = [](Type type) {
    return type.isIntOrIndex() && getWidth(type) <= 64;
  };
  if (!inferrable || !fits(element))
    return result;
  SmallVector<ConstantIntRanges> ranges;
  for (auto [value, range] : llvm::zip_equal(op->getOperands(), operands)) {
    Type type = getElementTypeOrSelf(value.getType());
    if (!fits(type))
      return result;
    ranges.push_back(toUpstream(range, getTypeRange(type), getWidth(type)));
  }
  if (overflow == Overflow::Never)
    if (auto inferred = inferWithoutOverflow(op, ranges))
      return fromUpstream(*inferred);
  inferrable.inferResultRanges(
      ranges, [&](Value value, const ConstantIntRanges &range) {
        if (value == op->getResult(0))
          result = fromUpstream(range);
      });
  return result;
}

/// The range of an operation on two operands, as upstream has it.
static Interval inferBinary(AffineExprKind kind, Interval lhs, Interval rhs,
                            MLIRContext *context) {
  AffineExpr expr = getAffineBinaryOpExpr(kind, getAffineSymbolExpr(0, context),
                                          getAffineSymbolExpr(1, context));
  auto convert = [](Interval range) {
    return toUpstream(range, Interval(), /*width=*/64);
  };
  return fromUpstream(
      intrange::inferAffineExpr(expr, {}, {convert(lhs), convert(rhs)}));
}

/// The range of `lhs mod rhs`. Upstream takes a range that is shorter than the
/// divisor for one that does not wrap around, as `[1, 4] mod 4`.
static Interval inferModulo(Interval lhs, Interval rhs) {
  if (rhs.low <= 0)
    return {};
  if (rhs.isConstant() && llvm::divideFloorSigned(lhs.low, rhs.low) ==
                              llvm::divideFloorSigned(lhs.high, rhs.low))
    return {llvm::mod(lhs.low, rhs.low), llvm::mod(lhs.high, rhs.low)};
  return lhs.isIn(0, rhs.low - 1) ? lhs : Interval{0, rhs.high - 1};
}

Interval inferRange(AffineExpr expr, ArrayRef<Interval> dims,
                    ArrayRef<Interval> symbols) {
  // Where no number can be, any range is as good.
  auto toKnown = [](Interval range) {
    return range.low > range.high ? Interval() : range;
  };
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return toKnown(dims[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return toKnown(symbols[symbol.getPosition()]);
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Interval::constant(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Interval lhs = inferRange(binary.getLHS(), dims, symbols),
           rhs = inferRange(binary.getRHS(), dims, symbols);
  return expr.getKind() == AffineExprKind::Mod
             ? inferModulo(lhs, rhs)
             : inferBinary(expr.getKind(), lhs, rhs, expr.getContext());
}

bool reachesRange(AffineExpr expr) {
  bool isMonotonic = true;
  llvm::SmallDenseSet<AffineExpr> variables;
  expr.walk([&](AffineExpr part) {
    if (isa<AffineDimExpr, AffineSymbolExpr>(part)) {
      isMonotonic &= variables.insert(part).second;
    } else if (auto binary = dyn_cast<AffineBinaryOpExpr>(part)) {
      isMonotonic &= binary.getKind() == AffineExprKind::Add ||
                     (binary.getKind() != AffineExprKind::Mod &&
                      isa<AffineConstantExpr>(binary.getRHS()));
    }
  });
  return isMonotonic;
}

std::optional<Interval>
inferInductionRange(Value value, function_ref<Interval(Value)> getRange) {
  auto arg = dyn_cast<BlockArgument>(value);
  auto loop = arg ? dyn_cast_or_null<scf::ForOp>(arg.getOwner()->getParentOp())
                  : nullptr;
  if (!loop || loop.getInductionVar() != value)
    return std::nullopt;
  Interval step = getRange(loop.getStep()),
           begin = getRange(loop.getLowerBound());
  if (step.low <= 0)
    return std::nullopt;
  int64_t first = begin.low, end = getRange(loop.getUpperBound()).high;
  // A loop whose bounds cross does not run; its variable may be given any
  // range, but not an empty one.
  if (end <= first)
    return Interval::constant(first);
  // The variable is a whole number of steps from a known begin.
  bool isKnown = begin.isConstant() && step.isConstant();
  uint64_t distance = static_cast<uint64_t>(end) - 1 - first;
  return Interval{
      first, end - 1 - static_cast<int64_t>(isKnown ? distance % step.low : 0)};
}

} // namespace gridir
