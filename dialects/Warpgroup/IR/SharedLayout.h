//===- SharedLayout.h - How Refs lie in shared memory ----------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_IR_SHAREDLAYOUT_H
#define GRIDIR_DIALECTS_WARPGROUP_IR_SHAREDLAYOUT_H

#include "dialects/Warpgroup/IR/Warpgroup.h"

namespace gridir::warpgroup {

/// For each Ref of a `grid.scoped` its `SharedLayoutAttr`, or unit for one in
/// row-major order. A scope without the attribute has only such Refs.
constexpr llvm::StringLiteral kSharedLayoutsAttr = "warpgroup.shared_layouts";

/// The bytes of a row of a panel.
constexpr int64_t kMinPanelBytes = 16, kMaxPanelBytes = 128;

/// True for an array in shared memory that can be divided into panels.
bool canHavePanels(mlir::Type ref);

/// Returns the bits that an element of an array of numbers has in shared
/// memory: whole bytes, unless the matrix units read the array packed.
unsigned getSharedElementBits(mlir::Value ref);

/// Returns the number of elements in `bytes` of a row of an array.
int64_t getNumElements(mlir::Value ref, int64_t bytes);

/// Returns the layout of the array that a Ref is or is a view of; null if the
/// array is in row-major order.
SharedLayoutAttr getSharedLayout(mlir::Value ref);

/// Verifies the value of `kSharedLayoutsAttr`.
llvm::LogicalResult verifySharedLayouts(mlir::Operation *op,
                                        mlir::Attribute value);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_IR_SHAREDLAYOUT_H
