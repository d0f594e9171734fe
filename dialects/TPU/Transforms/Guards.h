//===- Guards.h - Operands at which arith is undefined ----------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_TRANSFORMS_GUARDS_H
#define GRIDIR_DIALECTS_TPU_TRANSFORMS_GUARDS_H

#include "mlir/IR/Value.h"

/// `arith` does not define shifts by the width or more, nor divisions by 0. JAX
/// does, so its kernels have selects around them. The instructions of a TPU for
/// numbers of 32 bits agree with JAX: XLA compiles its own ops, which are
/// defined in the same way, to them without any guard.
namespace gridir::tpu {

/// True if a condition is `value == number`.
bool isTestFor(mlir::Value condition, mlir::Value value, int64_t number);

/// The divisor of an op, and the special divisors that a select replaced by 1.
struct Divisor {
  mlir::Value value;
  bool isGuardedFromZero = false, isGuardedFromMinusOne = false;
};

/// Matches `select(y == 0 | y == -1, 1, y)`, or with one of the comparisons.
Divisor getDivisor(mlir::Value value);

/// The amount of a shift that a select replaces from the width of the elements
/// on.
struct ShiftAmount {
  mlir::Value value, isBelowWidth, otherwise;
};

/// Matches `select(n < width, n, otherwise)`, or returns a null `isBelowWidth`.
ShiftAmount getShiftAmount(mlir::Value value);

/// A shift of integers with its guard.
struct GuardedShift {
  mlir::Value amount;
  /// The value that a shift without a guard replaces: the shift, or the select
  /// that uses it.
  mlir::Value result;
};

/// Matches a shift that is 0, or the sign in every bit, from the width of the
/// elements on. The amount is null if an op is none.
GuardedShift getGuardedShift(mlir::Operation *op);

} // namespace gridir::tpu

#endif // GRIDIR_DIALECTS_TPU_TRANSFORMS_GUARDS_H
