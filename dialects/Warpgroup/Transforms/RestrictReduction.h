//===- RestrictReduction.h - Reductions of some elements --------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_RESTRICTREDUCTION_H
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_RESTRICTREDUCTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace gridir::warpgroup {

/// Replaces the elements that a reduction combines by its neutral element
/// unless their position along `dim` is at least `first` and less than `last`.
/// The reduction has a neutral element.
void restrictReduction(mlir::linalg::ReduceOp reduce, unsigned dim,
                       int64_t first, int64_t last);

/// Replaces the elements of an operand of a contraction by zero unless their
/// position along `dim`, a contracted dimension, is less than `last`.
void restrictOperand(mlir::OpOperand &operand, unsigned dim, int64_t last);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_RESTRICTREDUCTION_H
