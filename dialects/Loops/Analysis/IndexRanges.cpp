//===- IndexRanges.cpp - What values an index may have ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Analysis/IndexRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace gridir::loops {
namespace {

using Range = std::optional<IndexRange>;

Range add(IndexRange a, IndexRange b) {
  IndexRange r;
  if (llvm::AddOverflow(a.min, b.min, r.min) ||
      llvm::AddOverflow(a.max, b.max, r.max))
    return std::nullopt;
  return r;
}

Range subtract(IndexRange a, IndexRange b) {
  IndexRange r;
  if (llvm::SubOverflow(a.min, b.max, r.min) ||
      llvm::SubOverflow(a.max, b.min, r.max))
    return std::nullopt;
  return r;
}

Range multiply(IndexRange a, IndexRange b) {
  int64_t corners[4];
  if (llvm::MulOverflow(a.min, b.min, corners[0]) ||
      llvm::MulOverflow(a.min, b.max, corners[1]) ||
      llvm::MulOverflow(a.max, b.min, corners[2]) ||
      llvm::MulOverflow(a.max, b.max, corners[3]))
    return std::nullopt;
  return IndexRange{*llvm::min_element(corners), *llvm::max_element(corners)};
}

/// Division of a number that is not negative: every rounding agrees there.
Range divide(IndexRange a, IndexRange b) {
  if (a.min < 0 || b.min <= 0)
    return std::nullopt;
  return IndexRange{a.min / b.max, a.max / b.min};
}

Range remainder(IndexRange a, IndexRange b) {
  if (a.min < 0 || b.min <= 0)
    return std::nullopt;
  return IndexRange{0, std::min(a.max, b.max - 1)};
}

IndexRange join(IndexRange a, IndexRange b) {
  return {std::min(a.min, b.min), std::max(a.max, b.max)};
}

/// Whether a comparison always holds or never does. Negative indices count from
/// the end in Python, so many an index is chosen by such a comparison.
std::optional<bool> decide(IndexRanges &ranges, Value condition) {
  // The remainder of Python is chosen by two comparisons.
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    std::optional<bool> a = decide(ranges, both.getLhs());
    std::optional<bool> b = decide(ranges, both.getRhs());
    if ((a && !*a) || (b && !*b))
      return false;
    return a && b ? std::optional<bool>(true) : std::nullopt;
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  Range a = ranges.get(compare.getLhs()), b = ranges.get(compare.getRhs());
  if (!a || !b)
    return std::nullopt;
  arith::CmpIPredicate predicate = compare.getPredicate();
  bool isStrict = predicate == arith::CmpIPredicate::slt ||
                  predicate == arith::CmpIPredicate::sge;
  bool isLess = predicate == arith::CmpIPredicate::slt ||
                predicate == arith::CmpIPredicate::sle;
  if (!isStrict && predicate != arith::CmpIPredicate::sle &&
      predicate != arith::CmpIPredicate::sgt)
    return std::nullopt;
  // a < b or a <= b; the other two predicates are their negations.
  if (isStrict ? a->max < b->min : a->max <= b->min)
    return isLess;
  if (isStrict ? a->min >= b->max : a->min > b->max)
    return !isLess;
  return std::nullopt;
}

} // namespace

std::optional<IndexRange> IndexRanges::get(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  // A value that is met again while it is being computed is carried by a loop.
  known[value] = std::nullopt;
  Range range = compute(value);
  // What leaves its type has wrapped around: only the type bounds it, as it
  // bounds a number of which nothing is known.
  if (value.getType().isIntOrIndex()) {
    unsigned width = value.getType().isIndex()
                         ? IndexType::kInternalStorageBitWidth
                         : value.getType().getIntOrFloatBitWidth();
    if (width <= 64) {
      IndexRange whole{llvm::minIntN(width), llvm::maxIntN(width)};
      if (!range || range->min < whole.min || range->max > whole.max)
        range = whole;
    }
  }
  assert((!range || range->min <= range->max) &&
         "a range that proves an access holds a number");
  known[value] = range;
  return range;
}

std::optional<IndexRange> IndexRanges::compute(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    if (constant.getBitWidth() > 64)
      return std::nullopt;
    return IndexRange{constant.getSExtValue(), constant.getSExtValue()};
  }
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
    if (!loop || arg != loop.getInductionVar())
      return std::nullopt;
    Range lower = get(loop.getLowerBound()), upper = get(loop.getUpperBound());
    Range step = get(loop.getStep());
    // A loop whose bounds cross does not run; its variable may be given any
    // range, but not an empty one.
    if (!lower || !upper || !step || step->min <= 0)
      return std::nullopt;
    return IndexRange{lower->min,
                      upper->max > lower->min ? upper->max - 1 : lower->min};
  }

  Operation *op = value.getDefiningOp();
  auto binary = [&](auto combine) -> Range {
    Range a = get(op->getOperand(0)), b = get(op->getOperand(1));
    return a && b ? Range(combine(*a, *b)) : std::nullopt;
  };
  // These are the ops that index arithmetic is written in.
  return TypeSwitch<Operation *, Range>(op)
      .Case([&](arith::AddIOp) { return binary(add); })
      .Case([&](arith::SubIOp) { return binary(subtract); })
      .Case([&](arith::MulIOp) { return binary(multiply); })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp>(
          [&](auto) { return binary(divide); })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [&](auto) { return binary(remainder); })
      .Case([&](arith::MinSIOp) {
        Range a = get(op->getOperand(0)), b = get(op->getOperand(1));
        if (a && b)
          return Range({std::min(a->min, b->min), std::min(a->max, b->max)});
        return Range();
      })
      .Case([&](arith::MaxSIOp) {
        Range a = get(op->getOperand(0)), b = get(op->getOperand(1));
        if (a && b)
          return Range({std::max(a->min, b->min), std::max(a->max, b->max)});
        return Range();
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp, arith::TruncIOp>(
          [&](auto cast) { return get(cast.getIn()); })
      .Case([&](arith::SelectOp select) -> Range {
        Range a = get(select.getTrueValue()), b = get(select.getFalseValue());
        if (std::optional<bool> holds = decide(*this, select.getCondition()))
          return *holds ? a : b;
        if (a && b)
          return join(*a, *b);
        return std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace gridir::loops
