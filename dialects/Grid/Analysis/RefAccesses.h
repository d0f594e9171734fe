//===- RefAccesses.h - What a kernel does to its Refs, in order -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_REFACCESSES_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_REFACCESSES_H

#include "dialects/Grid/IR/Grid.h"
#include "dialects/Support/MemoryAccesses.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace gridir::grid {

/// The accesses of a kernel's body, indexed by memory and by position, so that
/// a query does not walk a kernel of many accesses.
class RefAccesses {
public:
  explicit RefAccesses(KernelOp kernel);
  /// The lists point to the accesses.
  RefAccesses(const RefAccesses &) = delete;
  RefAccesses &operator=(const RefAccesses &) = delete;

  /// All accesses in order: of an op after those of its nested ops. A point
  /// where another task may run counts as an access to any Ref.
  llvm::ArrayRef<MemoryAccess> getAll() const { return accesses; }

  /// True if the body writes or reads memory of this argument through the
  /// argument itself.
  bool isWritten(mlir::Value ref) const { return writtenRoots.contains(ref); }
  bool isRead(mlir::Value ref) const { return readRoots.contains(ref); }

  /// True if each program sees the same block of two Refs that share memory.
  bool haveSameBlocks(mlir::Value input, mlir::Value output) const;

  /// True if two views may contain a common element.
  bool mayAlias(mlir::Value a, mlir::Value b) const;

  /// The positions of an op and of the ops nested in it.
  OpInterval getInterval(mlir::Operation *op) const { return intervals.at(op); }

  /// The live interval of a load: from the load to the last op that may still
  /// use its value, wherever pure ops move.
  OpInterval getLiveInterval(mlir::Operation *load) const;

  /// The accesses in `interval` to memory that `ref` may show.
  llvm::SmallVector<const MemoryAccess *> getAliased(mlir::Value ref,
                                                     OpInterval interval) const;
  /// The first of them; null if there is none.
  const MemoryAccess *getFirstAliased(mlir::Value ref,
                                      OpInterval interval) const;
  /// The accesses in `interval` to memory of the argument `root`, by a view of
  /// it.
  llvm::ArrayRef<const MemoryAccess *> getNamed(mlir::Value root,
                                                OpInterval interval) const;

  /// The arguments and scoped Refs that `ref` may show memory of, and those
  /// that share it. Null stands for any.
  llvm::SmallVector<mlir::Value> getAliasedRoots(mlir::Value ref) const;

private:
  void findAliases(KernelOp kernel);
  void findAccesses(KernelOp kernel);
  void numberOps(KernelOp kernel);
  void findLive(KernelOp kernel);
  OpInterval getUseInterval(mlir::Value value, mlir::Operation *user) const;
  bool areAliased(mlir::Value rootA, mlir::Value rootB) const;

  /// Pairs of Refs of an input and an output in one memory, with a flag that is
  /// true if a program sees the same block of both.
  struct Alias {
    mlir::Value input, output;
    bool sameBlocks;
  };
  llvm::SmallVector<Alias> aliases;
  llvm::SmallVector<MemoryAccess> accesses;
  /// In the order of their positions.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<const MemoryAccess *>> byRoot;
  llvm::DenseMap<mlir::Operation *, OpInterval> intervals;
  /// Where a value, or one computed from it, is used.
  llvm::DenseMap<mlir::Value, OpInterval> live;
  llvm::DenseSet<mlir::Value> writtenRoots, readRoots;
};

/// Appends the Refs that a view may show memory of: the roots of its chain.
void collectRoots(mlir::Value ref, llvm::SmallVectorImpl<mlir::Value> &roots);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_REFACCESSES_H
