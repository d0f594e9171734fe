//===- RefTypes.h - What Refs hold ------------------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_REFTYPES_H
#define GRIDIR_DIALECTS_GRID_IR_REFTYPES_H

#include "dialects/Grid/IR/Grid.h"

namespace gridir::grid {

/// Whether a Ref may hold elements of a type, as `Grid_Ref` says it of
/// operands: numbers without a sign, and semaphores.
inline bool isRefElementType(mlir::Type type) {
  return type.isSignlessIntOrIndexOrFloat() ||
         llvm::isa<mlir::ComplexType, SemaphoreType>(type);
}

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_IR_REFTYPES_H
