//===- RegisterCoordinates.h - Elements of a tensor in registers *- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface for a conversion to the registers of a thread, for tensors
// whose encoding is a `#warpgroup.layout`. The thread's part of such a tensor
// is a vector of `getNumRegisters` elements; register r holds the element at
// `RegisterCoordinates::getCoordinates(r)`.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_IR_REGISTERCOORDINATES_H
#define GRIDIR_DIALECTS_WARPGROUP_IR_REGISTERCOORDINATES_H

#include "dialects/Warpgroup/Layout/Distribution.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace gridir::warpgroup {

/// The layout of a tensor, if its encoding is one.
std::optional<Layout> getLayout(mlir::Type type);

/// The type with another encoding.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type,
                                  const Layout &layout);

/// The number of elements of a tensor with a layout that each thread holds.
int64_t getNumRegisters(mlir::RankedTensorType type);

/// The number of consecutive registers that hold consecutive elements of the
/// last dimension, with that alignment: the width of one load or store of a
/// thread.
int64_t getVectorLength(mlir::RankedTensorType type);

/// The distribution of each array of a kernel, from the layout of its type.
class Distributions {
public:
  /// Null for a type without a layout, or with one that is not linear in its
  /// bits.
  const Distribution *find(mlir::RankedTensorType type);
  const Distribution &get(mlir::RankedTensorType type) { return *find(type); }

private:
  llvm::DenseMap<mlir::Type, std::unique_ptr<std::optional<Distribution>>>
      known;
};

/// The exclusive or of the basis vectors of the set bits of the number of a
/// thread, of the number's type; null where they are all zero.
mlir::Value mapThread(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value thread, llvm::ArrayRef<int64_t> basis);

/// The coordinates of the elements that a thread holds, as IR. The part that
/// depends on the thread is computed once.
class RegisterCoordinates {
public:
  /// Computes the thread's part at the insertion point. `thread` is an index
  /// from 0 to 127, the lane in its five low bits.
  RegisterCoordinates(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::RankedTensorType type, mlir::Value thread);

  /// Returns the coordinates of the element in a register: an index for each
  /// dimension, constant if it is the same in all threads.
  llvm::SmallVector<mlir::OpFoldResult> getCoordinates(mlir::OpBuilder &builder,
                                                       mlir::Location loc,
                                                       int64_t reg) const;

private:
  Coordinates shape;
  Layout layout;
  /// For each dimension of the tile; null where it is the same for all threads.
  llvm::SmallVector<mlir::Value> threadPart;
  /// Dimensions of the tile where a bit of the coordinate depends on the thread
  /// and on the register.
  llvm::SmallVector<bool> overlaps;
};

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_IR_REGISTERCOORDINATES_H
