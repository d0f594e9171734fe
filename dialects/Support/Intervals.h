//===- Intervals.h - Ranges of integers ------------------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integer ranges of values. An op computes the range of its result from those
// of its operands by upstream's `InferIntRangeInterface`. Upstream's
// `IntegerRangeAnalysis` computes ranges of all values of unchanging IR, from
// the IR alone. Here values are queried while IR is being written, and the
// ranges of some values (program ids) are known only to the kernel. The readers
// of values, `grid::ProgramValues` and `loops::IndexRanges`, therefore search
// backwards from a value.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_SUPPORT_INTERVALS_H
#define GRIDIR_DIALECTS_SUPPORT_INTERVALS_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Operation.h"
#include <algorithm>
#include <limits>

namespace gridir {

/// All integers from `low` to `high`, both included. Booleans are 0 and 1. The
/// full 64-bit range stands for an unknown value.
struct Interval {
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();

  static Interval constant(int64_t value) { return {value, value}; }
  bool isConstant() const { return low == high; }
  bool isConstant(int64_t value) const { return low == value && high == value; }

  bool isIn(int64_t first, int64_t last) const {
    return first <= low && high <= last;
  }
  Interval unite(Interval other) const {
    return {std::min(low, other.low), std::max(high, other.high)};
  }
  Interval intersect(Interval other) const {
    return {std::max(low, other.low), std::min(high, other.high)};
  }
};

/// The integers that a type holds.
Interval getTypeRange(mlir::Type type);

/// The result of a sum, difference or product that exceeds its type: it wraps,
/// or cannot occur.
enum class Overflow { Wraps, Never };

/// The range of the first result of `op`, or of its elements; all of its type
/// for an op that does not say.
Interval inferRange(mlir::Operation *op, llvm::ArrayRef<Interval> operands,
                    Overflow overflow);

/// The range of an affine expression, which does not overflow.
Interval inferRange(mlir::AffineExpr expr, llvm::ArrayRef<Interval> dims,
                    llvm::ArrayRef<Interval> symbols);

/// True if some numbers make an affine expression each end of that range: it is
/// monotonic in each of its variables, and each occurs once.
bool reachesRange(mlir::AffineExpr expr);

/// The range of `value` if it is the variable of an `scf.for`, whose bounds and
/// step have the ranges that `getRange` gives.
std::optional<Interval>
inferInductionRange(mlir::Value value,
                    llvm::function_ref<Interval(mlir::Value)> getRange);

} // namespace gridir

#endif // GRIDIR_DIALECTS_SUPPORT_INTERVALS_H
