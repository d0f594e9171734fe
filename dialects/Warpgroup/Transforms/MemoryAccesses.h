//===- MemoryAccesses.h - The memory that ops of a program access -*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_MEMORYACCESSES_H
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_MEMORYACCESSES_H

#include "dialects/Warpgroup/IR/Warpgroup.h"

namespace gridir::warpgroup {

/// The memory of a Ref that a kernel or a scope has: global memory for an
/// operand without a space of a GPU, registers for another Ref without one.
/// None if its elements are barriers or semaphores.
std::optional<Space> getMemory(mlir::Value root);

/// True if bytes of two such Refs in one memory may be the same. Offsets of
/// `warpgroup-plan-memory` and aliases of operands decide; Refs without an
/// offset may be anywhere.
bool mayOverlap(mlir::Value root, mlir::Value other);

/// An access to memory by an op.
struct MemoryAccess {
  mlir::Operation *op;
  mlir::Value root;
  Space memory;
  bool reads, writes;
};

/// The accesses to numbers in any memory by an op, without those of ops in its
/// regions. An op without an interface for effects may do anything.
llvm::SmallVector<MemoryAccess> getMemoryAccesses(mlir::Operation *op);

/// True if an op changes semaphores in this way.
bool changesSemaphore(mlir::Operation *op, grid::SemaphoreChange::Kind kind);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_MEMORYACCESSES_H
