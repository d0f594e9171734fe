//===- ModuleProof.h - What is proved of a Mosaic module -------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_CHECKS_MODULEPROOF_H
#define GRIDIR_DIALECTS_TPU_CHECKS_MODULEPROOF_H

#include "dialects/Conversion/TPUToGrid/Raising.h"
#include "dialects/TPU/Checks/OwnChecks.h"
#include "dialects/TPU/Transforms/GridRanges.h"

namespace gridir::tpu {

/// The reason why a property is not proved, and its location; none if it is
/// proved.
using Reason = std::optional<std::pair<std::string, mlir::Location>>;

/// The proofs about a Mosaic module, and the properties that are not proved.
struct ModuleProof {
  /// That every window, slice, load and store is in bounds.
  Reason bounds;
  /// The indices that are not proved to be in bounds, in the order of the
  /// module. None may be known though there is a reason.
  llvm::SmallVector<IndexToCheck> openIndices;
  /// That waits and signals of every semaphore match.
  Reason semaphores;
  /// The names of the memrefs that are arguments of the kernel, and the arrays
  /// of its windows.
  llvm::SmallVector<std::string> memrefs;
  llvm::SmallVector<WindowArray> windows;
};

/// True if integer ranges alone show that no check in a module can fail: blocks
/// that follow the grid, constant indices, and no copies or semaphores. This
/// takes a tenth of the time that converting a module back takes.
bool isPlainlyProved(mlir::func::FuncOp kernel, const KernelRanges &ranges);

/// Applies the proofs of `grid-check` to a module with a Mosaic kernel,
/// converted to a `grid` kernel: the module that Mosaic receives, not the
/// original kernel.
ModuleProof proveModule(mlir::func::FuncOp kernel,
                        const tpu_to_grid::RaisingPatterns &patterns);

} // namespace gridir::tpu

#endif // GRIDIR_DIALECTS_TPU_CHECKS_MODULEPROOF_H
