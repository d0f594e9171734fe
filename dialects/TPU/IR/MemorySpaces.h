//===- MemorySpaces.h - The memory spaces of a TPU --------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_IR_MEMORYSPACES_H
#define GRIDIR_DIALECTS_TPU_IR_MEMORYSPACES_H

#include "mlir/IR/DialectRegistry.h"

namespace gridir::tpu {

/// Attaches `MemorySpaceAttrInterface` to the spaces of the tpu dialect, and
/// names them.
void registerMemorySpaces(mlir::DialectRegistry &registry);

} // namespace gridir::tpu

#endif // GRIDIR_DIALECTS_TPU_IR_MEMORYSPACES_H
