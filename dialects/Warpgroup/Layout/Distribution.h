//===- Distribution.h - Layouts as sums of coordinates ---------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_LAYOUT_DISTRIBUTION_H
#define GRIDIR_DIALECTS_WARPGROUP_LAYOUT_DISTRIBUTION_H

#include "dialects/Warpgroup/Layout/Layout.h"
#include <array>

namespace gridir::warpgroup {

/// The elements of an array that the threads of a warpgroup hold in their
/// registers, in the form in which code computes addresses: register `r` of a
/// thread holds element `registers[r]` plus the sum of `threadBits[b]` over the
/// set bits `b` of the thread's number. Threads that differ only in a bit with
/// a zero vector hold copies.
///
/// A distribution of an array follows from its layout, which passes choose and
/// compare. Others are of elements that no array of the program has: partial
/// sums, words of an instruction, and chunks of a copy.
class Distribution {
public:
  /// The sizes of the coordinate space: the shape of the array, or its number
  /// of elements if the array is distributed in row-major order and no sum of
  /// coordinates describes it.
  llvm::SmallVector<int64_t> shape, space;
  llvm::SmallVector<Coordinates> registers;
  std::array<Coordinates, kNumThreadBits> threadBits;
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
  Coordinates getCoords(unsigned r, unsigned thread) const;

  /// The element there, as coordinates of the array.
  Coordinates getElement(unsigned r, unsigned thread) const;

  /// Returns the number of elements that are adjacent along the last dimension
  /// and in consecutive registers: a power of two, at most `limit`.
  int64_t getRunLength(int64_t limit) const;

  bool operator==(const Distribution &other) const;
  bool operator!=(const Distribution &other) const { return !(*this == other); }

  /// Returns the distribution of a layout, or none if the layout is not such a
  /// sum. A splat has one register for each element that a thread would hold.
  static std::optional<Distribution> get(const Layout &layout,
                                         llvm::ArrayRef<int64_t> shape);

  /// Projects another distribution to the dimensions `dims`, in this order, for
  /// example to the rows or columns of a matrix.
  static Distribution getProjection(const Distribution &other,
                                    llvm::ArrayRef<int64_t> dims,
                                    llvm::ArrayRef<int64_t> shape);
};

/// For each register of `to`, finds the register of `from` that holds the
/// element `find` in every thread; none if a register has no match in some
/// thread.
std::optional<llvm::SmallVector<unsigned>>
findRegisters(const Distribution &from, const Distribution &to,
              llvm::function_ref<Coordinates(const Coordinates &)> find);

/// For each register of an array, finds the register of a window at offsets
/// that holds its element in every thread, or -1 if the element is outside of
/// the window in all threads. Returns none if threads differ.
std::optional<llvm::SmallVector<int64_t>>
findWindow(const Distribution &window, const Distribution &array,
           llvm::ArrayRef<int64_t> offsets);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_LAYOUT_DISTRIBUTION_H
