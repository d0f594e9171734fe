//===- DiscardableAttrs.h - Attributes of ops of any dialect ---*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// The names of grid's discardable attributes. The dialect verifies them, so a
// reader may rely on their types.
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_DISCARDABLEATTRS_H
#define GRIDIR_DIALECTS_GRID_IR_DISCARDABLEATTRS_H

#include "llvm/ADT/StringRef.h"

namespace gridir::grid {

/// The attribute of a kernel whose programs run as tasks: a `#kernel.tasks`.
inline constexpr llvm::StringLiteral kTasksAttrName = "grid.tasks";

/// The attribute of a kernel that knows of the devices of its call: their
/// number.
inline constexpr llvm::StringLiteral kDevicesAttrName = "grid.devices";

/// The attribute of a kernel for another core of a TPU than a TensorCore: its
/// name, as of `#tpu.core_type`.
inline constexpr llvm::StringLiteral kCoreTypeAttrName = "grid.core_type";

/// The attribute of a kernel with a body for each of several meshes, whose
/// cores one dimension enumerates: the shape of each mesh, cores before
/// subcores.
inline constexpr llvm::StringLiteral kMeshesAttrName = "grid.meshes";

/// The attribute of a kernel whose work items have state of their own.
inline constexpr llvm::StringLiteral kOwnStateAttrName = "grid.own_state";

/// The attribute of a kernel whose calls test their blocks: a dictionary with
/// the arrays `dims` and `operands`.
inline constexpr llvm::StringLiteral kBlockTestAttrName = "grid.block_test";

/// The results of `grid-check`: a dictionary for each property.
inline constexpr llvm::StringLiteral kChecksAttrName = "grid.checks";

/// The result of `grid-plan-memory`: a `#grid.memory_plan`.
inline constexpr llvm::StringLiteral kMemoryPlanAttrName = "grid.memory_plan";

/// The Refs that a kernel or a scope allocates for unsigned integers, by the
/// numbers of their arguments.
inline constexpr llvm::StringLiteral kUnsignedAttrName = "grid.unsigned";

/// The values that the results of a kernel hold before its first program: a
/// number for each result, or a unit attribute for one that holds any values.
inline constexpr llvm::StringLiteral kInitialResultsAttrName =
    "grid.initial_results";

/// Marks the store of a copy, and its record: other copies see it at once,
/// without a commit of the program.
inline constexpr llvm::StringLiteral kCopiedAttrName = "grid.copied";

/// For a loop over the elements of a copy: the dimensions of source and
/// destination that the loop traverses. One copy of as many elements replaces
/// the loop.
inline constexpr llvm::StringLiteral kCopiedDimsAttrName = "grid.copied_dims";

/// The attribute of a module for a TPU: the arrays of the call, a dictionary of
/// arrays of `#grid.operand` by `index`, `inputs` and `outputs`.
inline constexpr llvm::StringLiteral kOperandsAttrName = "grid.operands";

/// The attribute of a module for a TPU: for each of Mosaic's run-time checks,
/// why the kernel needs it, or the unit attribute if it does not.
inline constexpr llvm::StringLiteral kRunTimeChecksAttrName =
    "grid.run_time_checks";

/// The attribute of a kernel for a SparseCore whose vectors are registers
/// already.
inline constexpr llvm::StringLiteral kWithoutLayoutAttrName =
    "grid.without_layout_passes";

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_IR_DISCARDABLEATTRS_H
