//===- Divisors.h - Known divisors of integers ------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_SUPPORT_DIVISORS_H
#define GRIDIR_DIALECTS_SUPPORT_DIVISORS_H

#include "mlir/IR/OpDefinition.h"

namespace gridir {

/// Returns a known divisor of an i32 or index below 2^31. Zero, which
/// everything divides, has the divisor 0.
int64_t getDivisor(mlir::OpFoldResult value);

} // namespace gridir

#endif // GRIDIR_DIALECTS_SUPPORT_DIVISORS_H
