//===- SingleKernel.h - The one kernel of a module ------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_SINGLEKERNEL_H
#define GRIDIR_DIALECTS_GRID_IR_SINGLEKERNEL_H

#include "dialects/Grid/IR/Grid.h"

namespace gridir::grid {

/// Returns the kernel of a module, which is null where there is none. Fails,
/// with both locations, where there are several: a conversion to functions
/// names what it makes for the module, and so takes one kernel.
mlir::FailureOr<KernelOp> getSingleKernel(mlir::ModuleOp module);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_IR_SINGLEKERNEL_H
