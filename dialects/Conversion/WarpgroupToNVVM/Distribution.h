//===- Distribution.h - Which thread holds which elements ------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_DISTRIBUTION_H
#define GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_DISTRIBUTION_H

#include "dialects/Warpgroup/Layout/Layout.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include <array>
#include <memory>

namespace gridir::warpgroup_to_nvvm {

using warpgroup::kNumLaneBits;
using warpgroup::kNumThreadBits;
using warpgroup::kNumThreads;

using Coords = llvm::SmallVector<int64_t, 4>;

/// The elements of an array that the threads of a warpgroup hold in their
/// registers: register `r` of a thread holds element `registers[r]` plus the
/// sum of `threadBits[b]` over the set bits `b` of the thread's number. Threads
/// that differ only in a bit with a zero vector hold copies.
class Distribution {
public:
  /// The sizes of the coordinate space: the shape of the array, or its number
  /// of elements if the array is distributed in row-major order and no sum of
  /// coordinates describes it.
  llvm::SmallVector<int64_t> shape, space;
  llvm::SmallVector<Coords> registers;
  std::array<Coords, kNumThreadBits> threadBits;
  /// True if all registers hold the single value of all elements.
  bool isSplat = false;

  unsigned getNumRegisters() const { return registers.size(); }
  bool isFlat() const { return space != shape || exceeds(); }
  int64_t getNumElements() const;

  /// True if the space is larger than the array; the remaining positions hold
  /// copies of the last element.
  bool exceeds() const;

  /// True if some threads hold copies of elements of other threads.
  bool hasCopies() const;

  /// The coordinates in the space of register `r` of a thread.
  Coords getCoords(unsigned r, unsigned thread) const;

  /// The element there, as coordinates of the array.
  Coords getElement(unsigned r, unsigned thread) const;

  /// Returns the number of elements that are adjacent along the last dimension
  /// and in consecutive registers: a power of two, at most `limit`.
  int64_t getRunLength(int64_t limit) const;

  bool operator==(const Distribution &other) const;
  bool operator!=(const Distribution &other) const { return !(*this == other); }

  /// Returns the distribution of a layout, or none if the layout is not such a
  /// sum. A splat has one register for each element that a thread would hold.
  static std::optional<Distribution> get(const warpgroup::Layout &layout,
                                         llvm::ArrayRef<int64_t> shape);

  /// Distributes all elements to threads in row-major order, in runs of `run`
  /// elements.
  static Distribution getStrided(llvm::ArrayRef<int64_t> shape, int64_t run);

  /// Projects another distribution to the dimensions `dims`, in this order, for
  /// example to the rows or columns of a matrix.
  static Distribution getProjection(const Distribution &other,
                                    llvm::ArrayRef<int64_t> dims,
                                    llvm::ArrayRef<int64_t> shape);
};

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

/// Coordinates of element number `index` of an array.
Coords delinearize(int64_t index, llvm::ArrayRef<int64_t> shape);
int64_t linearize(llvm::ArrayRef<int64_t> coords,
                  llvm::ArrayRef<int64_t> shape);

} // namespace gridir::warpgroup_to_nvvm

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_DISTRIBUTION_H
