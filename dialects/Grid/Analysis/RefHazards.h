//===- RefHazards.h - Which loaded values a store could change ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_REFHAZARDS_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_REFHAZARDS_H

#include "dialects/Grid/Analysis/RefAccesses.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace gridir::grid {

// dialects/Support/MemoryAccesses.h describes the common parts of this and
// loops::mayReadLater, the analysis of hazards after a kernel became loops, and
// why there are two.

/// Values in `grid` are immutable. A target that reads Refs in place must copy
/// a loaded value if its memory could change before the last use of the value.
///
/// Fusion sinks a pure op to its last user. A value is therefore used, at the
/// latest, at the first op on the def-use chain that is not pure: a store, a
/// yield, a condition. A load needs a copy when a store to memory that it may
/// share can run after it and before such a sink. A store that is itself the
/// sink is safe if every op on the chain is elementwise, because element `i` is
/// then read before it is written.
class RefHazards {
public:
  explicit RefHazards(KernelOp kernel);

  /// The value of `grid.load` or `grid.gather` must be kept from a later store.
  bool needsCopy(mlir::Operation *load) const { return copied.contains(load); }

  /// True if a store to the same Ref replaces all elements that `load` read
  /// before any other access: the memory may be used for computing.
  bool mayOverwrite(LoadOp load) const { return overwritten.contains(load); }

  /// True if the body writes memory of this argument through the argument
  /// itself.
  bool isWritten(mlir::Value ref) const { return accesses.isWritten(ref); }
  bool isRead(mlir::Value ref) const { return accesses.isRead(ref); }

  /// True if each program sees the same block of two Refs that share memory.
  bool haveSameBlocks(mlir::Value input, mlir::Value output) const {
    return accesses.haveSameBlocks(input, output);
  }

  /// A read of `input` can run after a write of `output`, in one program.
  bool mayReadAfterWrite(mlir::Value input, mlir::Value output) const;

private:
  /// A load whose value is used in place.
  struct LiveLoad {
    OpInterval live;
    const MemoryAccess *access;
    /// The last position of this interval and of all before it.
    unsigned lastSoFar;
  };

  bool needsCopy(const MemoryAccess &load) const;
  bool mayBeOverwritten(const MemoryAccess &load) const;
  void findLiveLoads();
  /// True if a store by `access`, at `position`, changes the value of an
  /// earlier load from memory of `root`.
  bool isAnyUsedAfter(mlir::Value root, unsigned position,
                      const MemoryAccess &access) const;
  bool isUsedAfter(mlir::Operation *load, mlir::Value ref,
                   llvm::ArrayRef<const MemoryAccess *> stores) const;
  bool isSameView(mlir::Value a, mlir::Value b) const;

  RefAccesses accesses;
  llvm::SmallPtrSet<mlir::Operation *, 8> copied, overwritten;
  /// In the order of their first positions.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<LiveLoad>> liveLoads;
};

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_REFHAZARDS_H
