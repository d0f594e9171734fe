//===- RefOrigins.h - Where the Refs of a kernel are from -------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_REFORIGINS_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_REFORIGINS_H

#include "dialects/Grid/IR/Grid.h"

namespace gridir::grid {

/// True if a memref is a Ref of a kernel or of a scope, or a view of one.
/// Analyses know nothing of other memrefs, and conversions cannot convert them.
bool isRef(mlir::Value memref);

/// Reports the first operand of an op of the dialect that is a memref, but not
/// a Ref.
llvm::LogicalResult verifyRefs(KernelOp kernel);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_REFORIGINS_H
