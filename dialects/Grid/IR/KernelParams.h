//===- KernelParams.h - The author's parameters for a backend ---*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_KERNELPARAMS_H
#define GRIDIR_DIALECTS_GRID_IR_KERNELPARAMS_H

#include "dialects/Grid/IR/Grid.h"

#include "dialects/Grid/IR/GridParamsInterface.h.inc"

namespace gridir::grid {

/// Returns the compiler parameters of one kind, or null. A kernel has at most
/// one record of each kind.
template <typename ParamsT> ParamsT getParams(KernelOp kernel) {
  if (mlir::ArrayAttr records = kernel.getParamsAttr())
    for (mlir::Attribute record : records)
      if (auto params = mlir::dyn_cast<ParamsT>(record))
        return params;
  return {};
}

/// True if a record of compiler parameters disables run-time checks of bounds.
bool disablesBoundsChecks(KernelOp kernel);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_IR_KERNELPARAMS_H
