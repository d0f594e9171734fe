//===- IndexedAccess.h - The elements that an op names by indices -*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_TPU_IR_INDEXEDACCESS_H
#define GRIDIR_DIALECTS_TPU_IR_INDEXEDACCESS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace gridir::tpu {

/// A load, a store or a window of a memref of Mosaic.
struct IndexedAccess {
  mlir::Value memref;
  /// One for each dimension: the first element.
  mlir::OperandRange indices;
  /// How many elements of each dimension lie from the first to the last one.
  llvm::SmallVector<int64_t> spans;
  /// True if a mask may exclude elements.
  bool isMasked = false;

  mlir::MemRefType getType() const {
    return llvm::cast<mlir::MemRefType>(memref.getType());
  }
};

/// Returns the indexed access of an op; none if it has none, or if its size is
/// not a constant.
std::optional<IndexedAccess> getIndexedAccess(mlir::Operation *op);

} // namespace gridir::tpu

#endif // GRIDIR_DIALECTS_TPU_IR_INDEXEDACCESS_H
