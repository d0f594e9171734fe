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

/// True if a Ref may hold elements of a type, as `Grid_Ref` requires for
/// operands: signless numbers, and synchronization objects.
inline bool isRefElementType(mlir::Type type) {
  return type.isSignlessIntOrIndexOrFloat() ||
         llvm::isa<mlir::ComplexType, SyncTypeInterface>(type);
}

/// The bits of one element in memory: a bool is a byte, as in XLA,
/// synchronization objects have their own size, and narrower integers are
/// packed.
int64_t getNumBits(mlir::Type elementType);

/// The bytes of an array; counts that exceed 64 bits saturate. A dynamic size
/// counts as one.
int64_t getNumBytes(llvm::ArrayRef<int64_t> shape, uint64_t bits);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_IR_REFTYPES_H
