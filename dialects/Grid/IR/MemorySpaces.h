//===- MemorySpaces.h - Facts about memory spaces ---------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes on `grid` and conversions to loops ask for these facts and name no
// memory space of a backend.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_MEMORYSPACES_H
#define GRIDIR_DIALECTS_GRID_IR_MEMORYSPACES_H

#include "dialects/Grid/IR/Grid.h"

namespace gridir::grid {

/// The programs that have a memory in common.
enum class SpaceSharing {
  /// None: each program has its own.
  None,
  /// Those on the cores of one chip.
  Chip,
  /// All programs of a kernel.
  Kernel
};

struct SpaceFacts {
  SpaceSharing sharing = SpaceSharing::None;
  /// True if the memory is outside of the cores: the body of a kernel itself
  /// copies blocks from there.
  bool isOutsideOfCores = false;
  /// True if only programs of warpgroups name it. They have chosen the shapes
  /// and the order of their arrays.
  bool isOfWarpgroups = false;
  /// True if the subcores of a SparseCore share it.
  bool isOfSubcores = false;
};

SpaceFacts getFacts(MemorySpace space);

/// The facts about the space of a Ref; those of a program's own memory for one
/// without a space.
SpaceFacts getSpaceFacts(mlir::MemRefType ref);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_IR_MEMORYSPACES_H
