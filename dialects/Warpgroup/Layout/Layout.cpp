//===- Layout.cpp - Which thread holds which element ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Layout/Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>

using namespace gridir::warpgroup;
using llvm::ArrayRef;
using llvm::SmallVector;

//===----------------------------------------------------------------------===//
// Indices of arrays
//===----------------------------------------------------------------------===//

int64_t gridir::warpgroup::linearize(ArrayRef<int64_t> at, Shape shape) {
  int64_t index = 0;
  for (auto [coordinate, size] : llvm::zip_equal(at, shape))
    index = index * size + coordinate;
  return index;
}

Coordinates gridir::warpgroup::delinearize(int64_t index, Shape shape) {
  Coordinates at(shape.size());
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    at[dim] = index % shape[dim];
    index /= shape[dim];
  }
  return at;
}

int64_t gridir::warpgroup::getNumElements(Shape shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// The largest power of two that divides a size; 1 for a size of 0.
static int64_t getPowerOfTwo(int64_t size) {
  return size == 0 ? 1 : size & -size;
}

//===----------------------------------------------------------------------===//
// Making layouts
//===----------------------------------------------------------------------===//

Layout::Layout(Shape tile, ArrayRef<uint64_t> registers,
               ArrayRef<uint64_t> threads)
    : tile(tile.begin(), tile.end()), registers(registers), threads(threads) {
  assert(threads.size() == kNumThreadBits &&
         "expected a basis vector for each bit");
}

namespace {

/// Distributes the bits of a tile, the last dimension first.
class TileBits {
public:
  explicit TileBits(Shape tile) : tile(tile) {}

  /// Returns the next free bit, from the last dimension on, or zero.
  uint64_t take() {
    return next < static_cast<uint64_t>(getNumElements(tile))
               ? std::exchange(next, next * 2)
               : 0;
  }

private:
  Shape tile;
  uint64_t next = 1;
};

} // namespace

Layout Layout::strided(int64_t vector) {
  return blocked({kNumThreads * vector}, vector);
}

Layout Layout::blocked(Shape shape, int64_t maxVector) {
  if (shape.empty())
    return splat();
  int64_t vector = std::min(getPowerOfTwo(shape.back()), maxVector);
  // The tile has as many elements as all threads hold; a longer row repeats the
  // tile.
  int64_t left = kNumThreads * vector;
  Coordinates tile(shape.size(), 1);
  for (int64_t dim = shape.size() - 1; dim >= 0 && left > 1; --dim) {
    tile[dim] = std::min(getPowerOfTwo(shape[dim]), left);
    left /= tile[dim];
  }
  TileBits bits(tile);
  SmallVector<uint64_t> registers, threads;
  for (int64_t held = 1; held < vector; held *= 2)
    registers.push_back(bits.take());
  for (unsigned bit = 0; bit < kNumThreadBits; ++bit)
    threads.push_back(bits.take());
  return Layout(tile, registers, threads);
}

bool Layout::fits(Shape shape) const {
  if (isSplat())
    return true;
  // One dimension may be padded.
  if (tile.size() == 1)
    return true;
  return tile.size() == shape.size() &&
         llvm::all_of(llvm::zip(shape, tile), [](auto sizes) {
           return std::get<0>(sizes) % std::get<1>(sizes) == 0;
         });
}

bool Layout::isPadded(Shape shape) const {
  return tile.size() == 1 && getNumElements(shape) % tile.front() != 0;
}

/// The number of tiles along each dimension.
static Coordinates getRepeats(Shape shape, Shape tile) {
  Coordinates repeats;
  for (auto [size, tileSize] : llvm::zip_equal(shape, tile))
    repeats.push_back(size / tileSize);
  return repeats;
}

//===----------------------------------------------------------------------===//
// On an array
//===----------------------------------------------------------------------===//

int64_t Layout::getNumRegisters(Shape shape) const {
  if (isSplat())
    return 1;
  return static_cast<int64_t>(
             llvm::divideCeil(getNumElements(shape), getNumElements(tile))) *
         getNumTileRegisters();
}

int64_t Layout::getElement(Shape shape, int64_t reg, unsigned thread) const {
  return std::min(getUnpaddedElement(shape, reg, thread),
                  getNumElements(shape) - 1);
}

int64_t Layout::getUnpaddedElement(Shape shape, int64_t reg,
                                   unsigned thread) const {
  if (isSplat())
    return 0;
  auto inTile = static_cast<int64_t>(
      registers.apply(reg % getNumTileRegisters()) ^ threads.apply(thread));
  int64_t repeat = reg / getNumTileRegisters();
  if (tile.size() == 1)
    return repeat * tile.front() + inTile;
  Coordinates at = delinearize(repeat, getRepeats(shape, tile));
  for (auto [index, tileSize, offset] :
       llvm::zip_equal(at, tile, delinearize(inTile, tile)))
    index = index * tileSize + offset;
  return linearize(at, shape);
}

/// Inverts the layout: the tile that contains the element gives the upper part
/// of the register number, and a solution of the linear system over F2 gives
/// the register within the tile and the thread. The solver prefers registers,
/// so the first holder is found.
Layout::Holder Layout::getHolder(Shape shape, int64_t element) const {
  if (isSplat())
    return {0, 0};
  int64_t repeat = 0, inTile = 0;
  if (tile.size() == 1) {
    repeat = element / tile.front();
    inTile = element % tile.front();
  } else {
    Coordinates repeats, offsets;
    for (auto [at, tileSize] :
         llvm::zip_equal(delinearize(element, shape), tile)) {
      repeats.push_back(at / tileSize);
      offsets.push_back(at % tileSize);
    }
    repeat = linearize(repeats, getRepeats(shape, tile));
    inTile = linearize(offsets, tile);
  }
  SmallVector<uint64_t> columns(registers.getColumns());
  llvm::append_range(columns, threads.getColumns());
  uint64_t holder = BitMap(columns).solve(inTile).value_or(0);
  return {repeat * getNumTileRegisters() +
              static_cast<int64_t>(holder % getNumTileRegisters()),
          static_cast<unsigned>(holder / getNumTileRegisters())};
}

/// A bit of the thread is redundant if its basis vector depends linearly on
/// those of the registers and of earlier bits.
uint64_t Layout::getReplicatedBits() const {
  if (isSplat())
    return kNumThreads - 1;
  Span span;
  for (uint64_t column : registers.getColumns())
    span.insert(column);
  uint64_t bits = 0;
  for (auto [bit, column] : llvm::enumerate(threads.getColumns()))
    if (!span.insert(column))
      bits |= uint64_t(1) << bit;
  return bits;
}

/// Starts from the largest power of two that the shape and the basis vectors of
/// threads allow, and halves it until all aligned runs of that length are
/// consecutive.
int64_t Layout::getVectorLength(Shape shape) const {
  if (isSplat() || shape.empty() || isPadded(shape))
    return 1;
  auto minor = [&](int64_t reg, unsigned thread) {
    return getElement(shape, reg, thread) % shape.back();
  };
  int64_t numRegisters = getNumRegisters(shape);
  int64_t length =
      std::min(getPowerOfTwo(numRegisters), getPowerOfTwo(shape.back()));
  for (unsigned bit = 0; bit < kNumThreadBits; ++bit)
    if (int64_t moved = minor(0, 1 << bit))
      length = std::min(length, getPowerOfTwo(moved));
  auto isRun = [&](int64_t first) {
    return minor(first, 0) % length == 0 &&
           llvm::all_of(llvm::seq<int64_t>(length), [&](int64_t i) {
             return getElement(shape, first + i, 0) ==
                    getElement(shape, first, 0) + i;
           });
  };
  for (; length > 1; length /= 2)
    if (llvm::all_of(llvm::seq<int64_t>(numRegisters / length),
                     [&](int64_t run) { return isRun(run * length); }))
      break;
  return length;
}

bool Layout::isSame(const Layout &a, const Layout &b, Shape shape) {
  if (a == b)
    return true;
  if (a.isSplat() || b.isSplat() ||
      a.getNumRegisters(shape) != b.getNumRegisters(shape))
    return false;
  for (int64_t reg = 0, e = a.getNumRegisters(shape); reg < e; ++reg)
    for (unsigned thread = 0; thread < kNumThreads; ++thread)
      if (a.getElement(shape, reg, thread) != b.getElement(shape, reg, thread))
        return false;
  return true;
}

/// Cuts a one-dimensional tile into one of the array's rank. The tile must
/// cover whole rows, or divide a row; otherwise it does not repeat in a box.
std::optional<Layout> Layout::unflatten(Shape shape) const {
  if (isSplat() || !isFlat(shape.size()))
    return *this;
  if (isPadded(shape))
    return std::nullopt;
  Coordinates cut(shape.size(), 1);
  int64_t left = tile.front();
  for (int64_t dim = shape.size() - 1; dim >= 0 && left > 1; --dim) {
    int64_t size = shape[dim];
    // A tile continues in the next row only if it contains the whole current
    // row.
    if (size % left == 0) {
      cut[dim] = left;
      left = 1;
    } else if (left % size == 0) {
      cut[dim] = size;
      left /= size;
    } else {
      return std::nullopt;
    }
  }
  return Layout(cut, registers.getColumns(), threads.getColumns());
}

Layout Layout::enlarge(Shape largerTile) const {
  auto move = [&](uint64_t element) -> uint64_t {
    return linearize(delinearize(element, tile), largerTile);
  };
  SmallVector<uint64_t> newRegisters, newThreads;
  for (uint64_t column : registers.getColumns())
    newRegisters.push_back(move(column));
  for (uint64_t column : threads.getColumns())
    newThreads.push_back(move(column));
  for (int64_t dim = tile.size() - 1; dim >= 0; --dim)
    for (int64_t at = tile[dim]; at < largerTile[dim]; at *= 2) {
      Coordinates repeat(tile.size(), 0);
      repeat[dim] = at;
      newRegisters.push_back(linearize(repeat, largerTile));
    }
  return Layout(largerTile, newRegisters, newThreads);
}
