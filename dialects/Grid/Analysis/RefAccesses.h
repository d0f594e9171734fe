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

/// The accesses of a kernel's body, found by the memory and by the part of the
/// body that a question is about, so that a kernel of many accesses need not be
/// searched for each of them.
class RefAccesses {
public:
  explicit RefAccesses(KernelOp kernel);
  /// The lists point to the accesses.
  RefAccesses(const RefAccesses &) = delete;
  RefAccesses &operator=(const RefAccesses &) = delete;

  /// Each access to a Ref, or where another task may run to any; those of an op
  /// after those of the ops in it.
  llvm::ArrayRef<MemoryAccess> getAll() const { return accesses; }

  /// Whether the body writes or reads memory of this argument by its own name.
  bool isWritten(mlir::Value ref) const { return writtenRoots.contains(ref); }
  bool isRead(mlir::Value ref) const { return readRoots.contains(ref); }

  /// Whether each program sees the same block of two Refs that share memory.
  bool haveSameBlocks(mlir::Value input, mlir::Value output) const;

  /// Whether two views may show one element.
  bool mayAlias(mlir::Value a, mlir::Value b) const;

  /// The places of an op and of what is in it.
  PlaceInterval getPlaces(mlir::Operation *op) const { return places.at(op); }

  /// The places from a load to the last one at which its value may still be
  /// looked at, wherever pure ops move.
  PlaceInterval getLive(mlir::Operation *load) const;

  /// The accesses at `where` to memory that `ref` may show.
  llvm::SmallVector<const MemoryAccess *> getAliased(mlir::Value ref,
                                                     PlaceInterval where) const;
  /// The first of them; null if there is none.
  const MemoryAccess *getFirstAliased(mlir::Value ref,
                                      PlaceInterval where) const;
  /// The accesses at `where` to memory of the argument `root`, by a view of it.
  llvm::ArrayRef<const MemoryAccess *> getNamed(mlir::Value root,
                                                PlaceInterval where) const;

  /// The arguments and scoped Refs that `ref` may show memory of, and those
  /// that share it. Null stands for any.
  llvm::SmallVector<mlir::Value> getAliasedRoots(mlir::Value ref) const;

private:
  void findAliases(KernelOp kernel);
  void findAccesses(KernelOp kernel);
  void findPlaces(KernelOp kernel);
  void findLive(KernelOp kernel);
  PlaceInterval getReach(mlir::Value value, mlir::Operation *user) const;
  bool areAliased(mlir::Value rootA, mlir::Value rootB) const;

  /// Pairs of an input's and an output's Ref in one memory, and whether the
  /// blocks that a program sees are the same.
  struct Alias {
    mlir::Value input, output;
    bool sameBlocks;
  };
  llvm::SmallVector<Alias> aliases;
  llvm::SmallVector<MemoryAccess> accesses;
  /// In the order of their places.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<const MemoryAccess *>> byRoot;
  llvm::DenseMap<mlir::Operation *, PlaceInterval> places;
  /// Where a value is used, or what is made of it.
  llvm::DenseMap<mlir::Value, PlaceInterval> live;
  llvm::DenseSet<mlir::Value> writtenRoots, readRoots;
};

/// Appends the Refs that a view may show memory of: the roots of its chain.
void collectRoots(mlir::Value ref, llvm::SmallVectorImpl<mlir::Value> &roots);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_REFACCESSES_H
