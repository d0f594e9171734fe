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
/// operands: numbers without a sign, and what programs synchronize on.
inline bool isRefElementType(mlir::Type type) {
  return type.isSignlessIntOrIndexOrFloat() ||
         llvm::isa<mlir::ComplexType, SyncTypeInterface>(type);
}

/// The bits of one element in memory: a bool is a byte, as XLA keeps it, what
/// programs synchronize on has a size of its own, and narrower integers are
/// packed.
int64_t getNumBits(mlir::Type elementType);

/// Bytes of so many elements; counts that 64 bits cannot hold stay at their
/// end. A dynamic size counts as one.
int64_t getNumBytes(llvm::ArrayRef<int64_t> shape, uint64_t bits);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_IR_REFTYPES_H
