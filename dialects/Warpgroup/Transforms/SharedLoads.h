//===- SharedLoads.h - Loads that copies can precede ------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_SHAREDLOADS_H
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_SHAREDLOADS_H

#include "dialects/Grid/IR/Grid.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace gridir::warpgroup {

/// A load that a bulk copy to shared memory precedes: of an input's block, or
/// of a window of one, in the rows that matrix units read.
struct SharedLoad {
  unsigned input;
  /// The view that is loaded; null for the whole block.
  grid::SliceRefOp window;
  /// The innermost loop of the body that loads a window in each iteration; null
  /// if each program loads one.
  mlir::scf::ForOp loop;
};

std::optional<SharedLoad> matchSharedLoad(grid::LoadOp load);

/// True if the rows of a block or window begin at multiples of 16 bytes, the
/// unit of copies by threads.
bool hasAlignedRows(const SharedLoad &load, grid::KernelOp kernel);

/// True if bulk copies can precede all loads of an input.
bool isSharable(grid::KernelOp kernel, unsigned input);

/// Collects the ops that compute values from program ids, scalars of inputs
/// that do not change, and the induction variables of `loop`, which may be
/// null, and of loops around it. Fails if values depend on others.
mlir::LogicalResult collectComputation(mlir::ValueRange values,
                                       mlir::scf::ForOp loop,
                                       llvm::SetVector<mlir::Operation *> &ops);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_SHAREDLOADS_H
