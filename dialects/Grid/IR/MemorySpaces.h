//===- MemorySpaces.h - The interface of memory spaces ----------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `grid` has the spaces that belong to no target. The dialects of targets have
// the others, and register their names for Python.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_MEMORYSPACES_H
#define GRIDIR_DIALECTS_GRID_IR_MEMORYSPACES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectInterface.h"

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

} // namespace gridir::grid

#include "dialects/Grid/IR/GridSpaceInterface.h.inc"

namespace gridir::grid {

/// The space of a Ref; `#grid.space<default>` for a memref without one.
MemorySpaceAttrInterface getSpace(mlir::MemRefType ref);

/// `#grid.space<default>`: the target chooses the memory.
MemorySpaceAttrInterface getDefaultSpace(mlir::MLIRContext *context);

/// True for `#grid.space<default>`.
bool isDefaultSpace(MemorySpaceAttrInterface space);

/// A dialect with memory spaces.
class MemorySpacesInterface
    : public mlir::DialectInterface::Base<MemorySpacesInterface> {
public:
  MemorySpacesInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// Returns the space whose `getSpaceName` is `name`, or null.
  virtual MemorySpaceAttrInterface findSpace(llvm::StringRef name) const = 0;
};

/// Returns the space of a name, of any dialect that is loaded, or null.
MemorySpaceAttrInterface findSpace(mlir::MLIRContext *context,
                                   llvm::StringRef name);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_IR_MEMORYSPACES_H
