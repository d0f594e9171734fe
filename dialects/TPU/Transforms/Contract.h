//===- Contract.h - What the Mosaic compiler expects -----------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_TRANSFORMS_CONTRACT_H
#define GRIDIR_DIALECTS_TPU_TRANSFORMS_CONTRACT_H

#include "mlir/IR/BuiltinOps.h"

namespace gridir::tpu {

/// Reports everything in a module that the Mosaic compiler takes for granted
/// and does not check: what reads a module of Mosaic may take it for granted
/// afterwards.
llvm::LogicalResult checkContract(mlir::ModuleOp module);

} // namespace gridir::tpu

#endif // GRIDIR_DIALECTS_TPU_TRANSFORMS_CONTRACT_H
