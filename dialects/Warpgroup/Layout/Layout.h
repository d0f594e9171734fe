//===- Layout.h - Which thread holds which element -------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The distribution of an array over the registers of a warpgroup. A layout is a
// linear map over F2, from the bits of (register, lane, warp) to those of the
// index in a tile, and the tile repeats over the array; each tile is one more
// group of registers, the last dimension fastest. A one-dimensional tile may
// exceed the array: threads then hold copies of the last element. A thread is
// its lane, bits 0 to 4, and its warp, bits 5 and 6.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_LAYOUT_LAYOUT_H
#define GRIDIR_DIALECTS_WARPGROUP_LAYOUT_LAYOUT_H

#include "dialects/Warpgroup/Layout/BitMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace gridir::warpgroup {

constexpr unsigned kNumLaneBits = 5, kNumWarpBits = 2,
                   kNumThreadBits = kNumLaneBits + kNumWarpBits,
                   kNumLanes = 1 << kNumLaneBits,
                   kNumThreads = 1 << kNumThreadBits;

/// The maximum number of elements of an array in a thread. A thread has 255
/// registers and spills the rest to local memory, but straight-line code for
/// more elements would be too long.
constexpr int64_t kMaxElementsOfThread = 4096;

/// The coordinates of an element of an array, or the sizes of one.
using Coordinates = llvm::SmallVector<int64_t, 4>;
using Shape = llvm::ArrayRef<int64_t>;

/// The row-major index of an element of an array, and its coordinates.
int64_t linearize(llvm::ArrayRef<int64_t> at, Shape shape);
Coordinates delinearize(int64_t index, Shape shape);
int64_t getNumElements(Shape shape);

class Layout {
public:
  /// A splat: one register of every thread holds the value of all elements.
  static Layout splat() { return Layout(); }

  /// An element of the tile is identified by its row-major index. Since sizes
  /// are powers of two, the index is the concatenation of the bits of each
  /// dimension. Of the basis vectors `kNumThreadBits` are those of the bits of
  /// the thread.
  Layout(Shape tile, llvm::ArrayRef<uint64_t> registers,
         llvm::ArrayRef<uint64_t> threads);

  /// Consecutive threads hold `vector` consecutive elements each, in the
  /// row-major order of an array of any rank.
  static Layout strided(int64_t vector);

  /// The layout for an array of any shape whose threads hold up to
  /// `maxVector` consecutive elements of the last dimension, consecutive
  /// threads consecutive ones.
  static Layout blocked(Shape shape, int64_t maxVector);

  bool isSplat() const { return tile.empty(); }

  /// True if the tile is in the row-major order of an array of `rank`
  /// dimensions, and not a tile of that rank.
  bool isFlat(unsigned rank) const { return tile.size() == 1 && rank != 1; }

  Shape getTile() const { return tile; }

  /// Registers of each thread for one tile.
  int64_t getNumTileRegisters() const {
    return int64_t(1) << registers.getNumInputs();
  }
  const BitMap &getRegisters() const { return registers; }
  const BitMap &getThreads() const { return threads; }

  /// True if tiles cover an array without remainder, or the array is padded.
  bool fits(Shape shape) const;

  /// True if the last tile extends beyond the last element of an array.
  bool isPadded(Shape shape) const;

  //===--------------------------------------------------------------------===//
  // On an array that it fits
  //===--------------------------------------------------------------------===//

  int64_t getNumRegisters(Shape shape) const;

  /// The row-major index of the element in a register of a thread.
  int64_t getElement(Shape shape, int64_t reg, unsigned thread) const;

  /// The same, but padding has indices beyond the last element.
  int64_t getUnpaddedElement(Shape shape, int64_t reg, unsigned thread) const;

  /// The first register and thread that hold an element.
  struct Holder {
    int64_t reg;
    unsigned thread;
  };
  Holder getHolder(Shape shape, int64_t element) const;

  /// The number of threads that hold each element, except padding.
  int64_t getReplication() const {
    return kNumThreads * getNumTileRegisters() / getNumElements(tile);
  }

  /// Bits of the thread that do not affect its elements, except padding. If two
  /// bits have the same effect, the later one.
  uint64_t getReplicatedBits() const;

  /// The length of aligned runs of registers that hold consecutive elements of
  /// the last dimension, at a multiple of the length: a power of two.
  int64_t getVectorLength(Shape shape) const;

  /// True if two layouts hold the same element in each register.
  static bool isSame(const Layout &a, const Layout &b, Shape shape);

  /// The same layout with a tile of the array's rank, if rows of the array
  /// consist of whole tiles, or tiles of whole rows.
  std::optional<Layout> unflatten(Shape shape) const;

  //===--------------------------------------------------------------------===//
  // Layouts of derived arrays
  //
  // Each thread already holds its elements; `findRegisters` locates them.
  //===--------------------------------------------------------------------===//

  /// Dimension i of the result is dimension `permutation[i]`.
  std::optional<Layout> transpose(llvm::ArrayRef<int64_t> permutation,
                                  Shape shape) const;

  /// Returns the layout of the array without `dims`, after a reduction: a
  /// thread holds an element of the result if it held one of its elements
  /// before.
  std::optional<Layout> dropDims(llvm::ArrayRef<int64_t> dims,
                                 Shape shape) const;

  /// The array with dimensions of size 1 inserted, at `dims` of the result.
  std::optional<Layout> insertDims(llvm::ArrayRef<int64_t> dims,
                                   Shape shape) const;

  /// The same elements in row-major order, as an array of shape `to`.
  std::optional<Layout> reshape(Shape from, Shape to) const;

  /// The tile `outer` times this one's: bits of `outer` choose among copies of
  /// this tile, and are the higher bits of the register. Threads that this one
  /// replicates may be spread by `outer`.
  std::optional<Layout> multiply(const Layout &outer) const;

  /// A layout of a larger tile that repeats less; registers are numbered
  /// within the tile first.
  Layout enlarge(Shape largerTile) const;

  bool operator==(const Layout &other) const {
    return tile == other.tile && registers == other.registers &&
           threads == other.threads;
  }
  bool operator!=(const Layout &other) const { return !(*this == other); }

private:
  Layout() = default;

  Coordinates tile;
  BitMap registers, threads;
};

/// For each register of `dest` the one of `source` that holds, in every thread,
/// the element that `toSource` gives for the one in `dest`; none where a thread
/// lacks an element.
std::optional<llvm::SmallVector<int64_t>>
findRegisters(const Layout &source, Shape sourceShape, const Layout &dest,
              Shape destShape, llvm::function_ref<int64_t(int64_t)> toSource);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_LAYOUT_LAYOUT_H
