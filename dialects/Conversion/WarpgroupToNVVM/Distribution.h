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

/// Which elements of an array the threads of a warpgroup hold in their
/// registers: element `registers[r]` plus, for each bit of the thread's number
/// that is set, `threadBits` of it. Threads that differ only in a bit without
/// coordinates hold copies.
class Distribution {
public:
  /// The coordinates count along these sizes: the shape of the array or, where
  /// its elements are dealt out in their order and no such sum gives it, their
  /// number.
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

  /// How many neighbours along the last dimension follow each other in
  /// registers: a power of two, at most `limit`.
  int64_t getRunLength(int64_t limit) const;

  bool operator==(const Distribution &other) const;
  bool operator!=(const Distribution &other) const { return !(*this == other); }

  /// As a layout says; none for one that is no such sum. A splat is held as a
  /// register for each element that a thread would have.
  static std::optional<Distribution> get(const warpgroup::Layout &layout,
                                         llvm::ArrayRef<int64_t> shape);

  /// All elements, dealt out to threads in their order, `run` at once.
  static Distribution getStrided(llvm::ArrayRef<int64_t> shape, int64_t run);

  /// Dimensions `dims` of another one, in this order: as the rows and columns
  /// of an array are held by those who hold its elements.
  static Distribution getProjection(const Distribution &other,
                                    llvm::ArrayRef<int64_t> dims,
                                    llvm::ArrayRef<int64_t> shape);
};

/// How each array of a kernel is held: as the layout of its type says.
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
