//===- ReshapeGroups.h - The dimensions that reshapes join ------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_SUPPORT_RESHAPEGROUPS_H
#define GRIDIR_DIALECTS_SUPPORT_RESHAPEGROUPS_H

#include "llvm/Support/LogicalResult.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace gridir {

/// Reports the first reshape within an op whose groups are not all dimensions
/// in order. Upstream verifies the low 32 bits of their numbers, and every user
/// of the groups takes the numbers for indices. The reshapes themselves are
/// verified before.
llvm::LogicalResult verifyReshapeGroups(mlir::Operation *root);

} // namespace gridir

#endif // GRIDIR_DIALECTS_SUPPORT_RESHAPEGROUPS_H
