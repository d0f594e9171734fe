//===- OwnChecks.h - Checks of indices in a Mosaic kernel ------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_CHECKS_OWNCHECKS_H
#define GRIDIR_DIALECTS_TPU_CHECKS_OWNCHECKS_H

#include "dialects/TPU/IR/TPU.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gridir::tpu {

/// An index of a Mosaic module to check while the kernel runs.
struct IndexToCheck {
  /// The load, store or window of a memref, in the kernel or in a transform;
  /// null for where the block of a window lies.
  mlir::Operation *op = nullptr;
  unsigned window = 0;
  unsigned dim = 0;
};

/// The array of a window, as far as a check must know it.
struct WindowArray {
  std::string name;
  llvm::SmallVector<int64_t> shape;
};

/// The checks that were added.
struct AddedChecks {
  /// The message of each assertion; known at the end.
  llvm::SmallVector<std::string> messages;
  unsigned numAssertions = 0;
  /// The indices that an assertion for another index covers.
  unsigned numJoined = 0;
  /// Indices of blocks that are clamped in a transform.
  unsigned numClamps = 0;
};

/// True if the added checks are still cheaper than the checks that they
/// replace.
using IsWorthwhile = llvm::function_ref<bool(const AddedChecks &)>;

/// Adds checks of indices to a kernel and its transforms.
///
/// In the body an assertion is right before the op that it guards. A transform
/// computes the location of a block before the program that uses it; the index
/// is clamped there, and the program asserts at its beginning that the index
/// did not change. Fails, without a diagnostic and with the module half
/// changed, if an index cannot be checked in this way, and as soon as the
/// checks are not worthwhile.
///
/// `memrefs` has a name for each memref that is an argument of the kernel,
/// `windows` the facts about each window.
mlir::FailureOr<AddedChecks> addChecks(mlir::func::FuncOp kernel,
                                       llvm::ArrayRef<IndexToCheck> indices,
                                       llvm::ArrayRef<std::string> memrefs,
                                       llvm::ArrayRef<WindowArray> windows,
                                       IsWorthwhile isWorthwhile);

} // namespace gridir::tpu

#endif // GRIDIR_DIALECTS_TPU_CHECKS_OWNCHECKS_H
