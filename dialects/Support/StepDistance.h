//===- StepDistance.h - How far a number is from a loop's step --*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_SUPPORT_STEPDISTANCE_H
#define GRIDIR_DIALECTS_SUPPORT_STEPDISTANCE_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gridir {

/// Returns the constant difference between a number and the induction variable
/// of a loop, if it is a sum of that and constants.
std::optional<int64_t> getStepDistance(mlir::Value number,
                                       mlir::scf::ForOp loop);

} // namespace gridir

#endif // GRIDIR_DIALECTS_SUPPORT_STEPDISTANCE_H
