//===- GridInterfaces.h - What an op says of its part in a kernel -*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Analyses of kernels use these interfaces, so they support ops of any dialect
// that implements them.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_IR_GRIDINTERFACES_H
#define GRIDIR_DIALECTS_GRID_IR_GRIDINTERFACES_H

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace gridir::grid {

/// The elements of a view along one dimension of its source.
struct ViewDim {
  mlir::OpFoldResult offset;
  int64_t stride;
  /// The dimension of the view that runs along it; none where the view has
  /// only the element at the offset.
  std::optional<unsigned> dim;
};

/// The effect of an op on one semaphore.
struct SemaphoreChange {
  enum Kind { Signal, Wait } kind;
  mlir::Value semaphore;
  /// The amount: a number, or the bytes of a Ref that a copy moves.
  mlir::Value amount;
  /// A wait that leaves the semaphore as it is.
  bool keeps = false;

  bool isOfCopy() const;
};

/// The use of the devices over which the call is mapped: none, the number of
/// its own device, or memory and semaphores of others.
enum class DeviceUse { None, Number, Access };

/// The requirement that programs run in grid order, with its reason as a clause
/// for diagnostics.
struct ProgramOrder {
  enum Kind { None, Unknown, Required } kind = None;
  llvm::StringRef reason = {};
};

} // namespace gridir::grid

#include "dialects/Grid/IR/GridInterfaces.h.inc"
#include "dialects/Grid/IR/GridTypeInterfaces.h.inc"

namespace gridir::grid {

/// Returns the answer of the interface if the op implements it; otherwise
/// derives it from the effects of the op, conservatively.
ProgramOrder getProgramOrder(mlir::Operation *op);

/// True if other programs may run before an op has ended.
bool isSchedulingPoint(mlir::Operation *op);

/// The mask over the elements of a Ref that an op accesses; null for none.
mlir::Value getElementMask(mlir::Operation *op);

/// The value that an op reads from a Ref and may use the memory of; null for
/// none.
mlir::Value getLoadedValue(mlir::Operation *op);

/// The Refs that a view of any dialect may name memory of; none where `ref` is
/// no view.
llvm::SmallVector<mlir::Value> getViewSources(mlir::Value ref);

/// Returns the Ref at the root of a chain of views with one source each.
mlir::Value getViewRoot(mlir::Value ref);

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_IR_GRIDINTERFACES_H
