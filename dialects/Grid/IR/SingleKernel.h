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

/// Returns the kernel of a module, or null. Fails, with both locations, if
/// there are several: a conversion to functions uses fixed names in the module,
/// and therefore takes one kernel.
mlir::FailureOr<KernelOp> getSingleKernel(mlir::ModuleOp module);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_IR_SINGLEKERNEL_H
