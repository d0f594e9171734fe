//===- ElementOffsets.h - where an access is in its array --------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_ELEMENTOFFSETS_H
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_ELEMENTOFFSETS_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace gridir::cpu {

/// A number that divides the distance, in elements, between the first element
/// that `write` writes and the first one of its array, in all iterations. 0
/// where both are the same.
int64_t getAddressDivisor(mlir::vector::TransferWriteOp write);

/// The numbers whose sum, with positive factors, is the position of a write in
/// its array: its indices, and the offsets of its views.
llvm::SmallVector<mlir::Value>
getAddressNumbers(mlir::vector::TransferWriteOp write);

/// The position of an access in its array: the sum of `constant` and of each
/// number times its factor.
struct ElementPosition {
  using Term = std::pair<mlir::Value, int64_t>;

  /// The array; the accessed memref is a view of it.
  mlir::Value root;
  std::vector<Term> terms;
  int64_t constant = 0;
};

/// None where a view or a stride is not known.
std::optional<ElementPosition>
getElementPosition(mlir::VectorTransferOpInterface access);

/// The same, where the elements of the access are next to each other.
std::optional<ElementPosition>
getContiguousPosition(mlir::VectorTransferOpInterface access);

/// The size of an array; none unless it is static. A byte holds a bool.
std::optional<int64_t> getBytes(mlir::Type array);

/// True for an argument of a function that is an array of `leastBytes` or more.
bool isLargeOperand(mlir::Value root, int64_t leastBytes);

/// True if `number` is a sum with a term that is `variable` times a factor
/// other than zero. False if this is not known.
bool growsWith(mlir::Value number, mlir::Value variable);

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_ELEMENTOFFSETS_H
