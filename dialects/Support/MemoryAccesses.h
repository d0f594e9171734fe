//===- MemoryAccesses.h - Which memory ops read and write ------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the two hazard analyses. `grid::RefHazards` determines which loaded
// values of a kernel must be protected from later stores; it handles blocks,
// aliased operands and other programs. `loops::mayReadLater` and similar
// functions determine whether one op may move, when blocks are memrefs of
// arguments and values are in memory. The first decides which copies exist; the
// second must preserve this, and runs again after each rewrite. Both search for
// writes between two ops to memory that may be the same.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_SUPPORT_MEMORYACCESSES_H
#define GRIDIR_DIALECTS_SUPPORT_MEMORYACCESSES_H

#include "mlir/IR/Operation.h"
#include <algorithm>

namespace gridir {

/// An op that reads or writes the memory of a memref.
struct MemoryAccess {
  mlir::Operation *op;
  /// Null for memory that no memref names, which may be any.
  mlir::Value memref;
  bool reads = false, writes = false;
};

/// Returns the accesses of `op` itself, without nested ops: one for each
/// memref. An unknown op reads and writes any memory.
llvm::SmallVector<MemoryAccess> getAccesses(mlir::Operation *op);

/// Appends the memrefs that `memref` may be a view of: those which it is
/// reached from by `getSources` and that have no sources.
void collectRoots(
    mlir::Value memref,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value)> getSources,
    llvm::SmallVectorImpl<mlir::Value> &roots);

/// A closed interval of ops, by their positions in a pre-order walk.
struct OpInterval {
  unsigned first, last;

  bool contains(unsigned position) const {
    return first <= position && position <= last;
  }
  void include(OpInterval other) {
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
};

/// The entries of a list in the order of positions that are in `interval`.
template <typename T, typename GetPosition>
llvm::ArrayRef<T> getInside(llvm::ArrayRef<T> ordered, OpInterval interval,
                            GetPosition getPosition) {
  const T *begin = llvm::partition_point(ordered, [&](const T &entry) {
    return getPosition(entry) < interval.first;
  });
  const T *end = llvm::partition_point(ordered, [&](const T &entry) {
    return getPosition(entry) <= interval.last;
  });
  return {begin, std::max(begin, end)};
}

} // namespace gridir

#endif // GRIDIR_DIALECTS_SUPPORT_MEMORYACCESSES_H
