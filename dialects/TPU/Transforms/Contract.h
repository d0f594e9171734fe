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

/// Reports every violation of assumptions that the Mosaic compiler does not
/// check; readers of a Mosaic module may rely on them afterwards.
llvm::LogicalResult checkContract(mlir::ModuleOp module);

} // namespace gridir::tpu

#endif // GRIDIR_DIALECTS_TPU_TRANSFORMS_CONTRACT_H
