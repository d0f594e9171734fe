//===- SaturatingConversions.h - Floats to the nearest integer --*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_SUPPORT_SATURATINGCONVERSIONS_H
#define GRIDIR_DIALECTS_SUPPORT_SATURATINGCONVERSIONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <optional>

namespace gridir {

/// A conversion of floats to integers with selections that keep its operand and
/// its result in range, and take NaN to 0.
struct SaturatingConversion {
  mlir::Value input;
  bool isSigned;
  /// The smallest and the largest integer of the type.
  int64_t smallest, largest;
};

/// Matches `select(x >= 2^n, largest, select(x < -2^n, smallest, fptosi(y)))`,
/// or `select(x >= 2^n, largest, fptoui(y))`, where `y` is `x`, or 0 where the
/// integers do not reach or `x` is no number. The integers have at most 32
/// bits.
std::optional<SaturatingConversion>
matchSaturatingConversion(mlir::arith::SelectOp outer);

/// Returns the number that all elements of a constant are, or none if f64
/// cannot represent it.
std::optional<double> getFloat(mlir::Value value);

} // namespace gridir

#endif // GRIDIR_DIALECTS_SUPPORT_SATURATINGCONVERSIONS_H
