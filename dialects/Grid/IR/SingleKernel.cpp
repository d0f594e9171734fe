//===- SingleKernel.cpp - The one kernel of a module ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/SingleKernel.h"

using namespace mlir;
using namespace gridir::grid;

FailureOr<KernelOp> gridir::grid::getSingleKernel(ModuleOp module) {
  auto kernels = llvm::to_vector(module.getOps<KernelOp>());
  if (kernels.size() > 1) {
    kernels[1]
            .emitError("expected one kernel in a module, got another before: @")
            .append(kernels[0].getSymName())
            .attachNote(kernels[0].getLoc())
        << "the first kernel";
    return failure();
  }
  return kernels.empty() ? KernelOp() : kernels.front();
}
