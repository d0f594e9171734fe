//===- KernelParams.cpp - Compiler parameters of a kernel -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/KernelParams.h"

#include "dialects/Grid/IR/GridParamsInterface.cpp.inc"

bool gridir::grid::disablesBoundsChecks(KernelOp kernel) {
  mlir::ArrayAttr records = kernel.getParamsAttr();
  return records && llvm::any_of(records, [](mlir::Attribute record) {
           return mlir::cast<ParamsAttrInterface>(record)
               .disablesBoundsChecks();
         });
}
