//===- Comparisons.h - Predicates of comparisons ----------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_SUPPORT_COMPARISONS_H
#define GRIDIR_DIALECTS_SUPPORT_COMPARISONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace gridir {

/// The equivalent predicate for exchanged operands.
mlir::arith::CmpIPredicate swapOperands(mlir::arith::CmpIPredicate predicate);

} // namespace gridir

#endif // GRIDIR_DIALECTS_SUPPORT_COMPARISONS_H
