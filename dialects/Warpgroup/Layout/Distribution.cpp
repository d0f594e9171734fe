//===- Distribution.cpp - Layouts as sums of coordinates ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Layout/Distribution.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace gridir::warpgroup;
using llvm::ArrayRef;
using llvm::SmallVector;

int64_t Distribution::getNumElements() const {
  return gridir::warpgroup::getNumElements(shape);
}

bool Distribution::exceeds() const {
  return space.size() == 1 &&
         getCoords(getNumRegisters() - 1, kNumThreads - 1)[0] >= space[0];
}

bool Distribution::hasCopies() const {
  return llvm::any_of(threadBits, [](const Coordinates &bit) {
    return llvm::all_of(bit, [](int64_t x) { return x == 0; });
  });
}

Coordinates Distribution::getCoords(unsigned r, unsigned thread) const {
  Coordinates coords = registers[r];
  for (unsigned bit = 0; bit < kNumThreadBits; ++bit)
    if (thread >> bit & 1)
      for (auto [sum, part] : llvm::zip_equal(coords, threadBits[bit]))
        sum += part;
  return coords;
}

Coordinates Distribution::getElement(unsigned r, unsigned thread) const {
  Coordinates coords = getCoords(r, thread);
  if (!isFlat())
    return coords;
  return delinearize(std::min(coords[0], space[0] - 1), shape);
}

int64_t Distribution::getRunLength(int64_t limit) const {
  if (space.empty())
    return 1;
  int64_t length = 1;
  auto isRun = [&](int64_t count) {
    if (registers.size() % count != 0)
      return false;
    for (size_t first = 0; first < registers.size(); first += count)
      for (int64_t i = 0; i < count; ++i) {
        Coordinates expected = registers[first];
        expected.back() += i;
        if (registers[first].back() % count != 0 ||
            registers[first + i] != expected)
          return false;
      }
    return llvm::all_of(threadBits, [&](const Coordinates &bit) {
      return bit.back() % count == 0;
    });
  };
  while (length * 2 <= limit && isRun(length * 2))
    length *= 2;
  return length;
}

bool Distribution::operator==(const Distribution &other) const {
  return shape == other.shape && space == other.space &&
         registers == other.registers && threadBits == other.threadBits &&
         isSplat == other.isSplat;
}

/// Returns the distribution in coordinates of the array, if these are such a
/// sum.
static std::optional<Distribution> toShape(const Distribution &flat) {
  Distribution result = flat;
  result.space = flat.shape;
  auto convert = [&](Coordinates &coords) {
    coords = delinearize(coords[0], flat.shape);
  };
  llvm::for_each(result.registers, convert);
  llvm::for_each(result.threadBits, convert);
  for (unsigned r = 0; r < flat.getNumRegisters(); ++r)
    for (unsigned thread = 0; thread < kNumThreads; ++thread)
      if (result.getCoords(r, thread) !=
          delinearize(flat.getCoords(r, thread)[0], flat.shape))
        return std::nullopt;
  return result;
}

/// Returns a layout with as few registers as possible for an array of equal
/// elements, in row-major order. With fewer elements than threads, the last
/// threads hold copies.
static Layout getLayoutOfSplat(int64_t count) {
  if (count < kNumThreads && llvm::isPowerOf2_64(count))
    return Layout::blocked({count}, /*maxVector=*/1);
  int64_t run = 4;
  while (run > 1 && count % (run * kNumThreads) != 0)
    run /= 2;
  return Layout::strided(run);
}

std::optional<Distribution> Distribution::get(const Layout &layout,
                                              ArrayRef<int64_t> shape) {
  if (!layout.fits(shape))
    return std::nullopt;
  int64_t count = gridir::warpgroup::getNumElements(shape);
  if (layout.isSplat()) {
    std::optional<Distribution> result = get(getLayoutOfSplat(count), shape);
    result->isSplat = true;
    return result;
  }
  Distribution result;
  result.shape.assign(shape.begin(), shape.end());
  result.space = {count};
  for (int64_t r = 0, e = layout.getNumRegisters(shape); r < e; ++r)
    result.registers.push_back({layout.getUnpaddedElement(shape, r, 0)});
  for (unsigned bit = 0; bit < kNumThreadBits; ++bit)
    result.threadBits[bit] = {layout.getUnpaddedElement(shape, 0, 1u << bit) -
                              result.registers[0][0]};
  for (unsigned r = 0; r < result.getNumRegisters(); ++r)
    for (unsigned thread = 0; thread < kNumThreads; ++thread)
      if (result.getCoords(r, thread)[0] !=
          layout.getUnpaddedElement(shape, r, thread))
        return std::nullopt;
  if (result.exceeds())
    return result;
  return toShape(result).value_or(result);
}

Distribution Distribution::getProjection(const Distribution &other,
                                         ArrayRef<int64_t> dims,
                                         ArrayRef<int64_t> shape) {
  Distribution result;
  result.shape.assign(shape.begin(), shape.end());
  result.space = result.shape;
  auto project = [&](ArrayRef<int64_t> coords) {
    return Coordinates(
        llvm::map_range(dims, [&](int64_t d) { return coords[d]; }));
  };
  for (const Coordinates &coords : other.registers) {
    Coordinates projected = project(coords);
    if (!llvm::is_contained(result.registers, projected))
      result.registers.push_back(projected);
  }
  for (auto [to, from] : llvm::zip_equal(result.threadBits, other.threadBits))
    to = project(from);
  return result;
}

std::optional<SmallVector<unsigned>> gridir::warpgroup::findRegisters(
    const Distribution &from, const Distribution &to,
    llvm::function_ref<Coordinates(const Coordinates &)> find) {
  llvm::DenseMap<int64_t, unsigned> ofFirst;
  for (unsigned r = 0; r < from.getNumRegisters(); ++r)
    ofFirst.try_emplace(linearize(from.getElement(r, 0), from.shape), r);
  SmallVector<unsigned> result;
  for (unsigned r = 0; r < to.getNumRegisters(); ++r) {
    auto source =
        ofFirst.find(linearize(find(to.getElement(r, 0)), from.shape));
    if (source == ofFirst.end())
      return std::nullopt;
    for (unsigned thread = 0; thread < kNumThreads; ++thread)
      if (from.getElement(source->second, thread) !=
          find(to.getElement(r, thread)))
        return std::nullopt;
    result.push_back(source->second);
  }
  return result;
}

std::optional<SmallVector<int64_t>>
gridir::warpgroup::findWindow(const Distribution &window,
                              const Distribution &array,
                              ArrayRef<int64_t> offsets) {
  llvm::DenseMap<int64_t, unsigned> ofFirst;
  for (unsigned r = 0; r < window.getNumRegisters(); ++r)
    ofFirst.try_emplace(linearize(window.getElement(r, 0), window.shape), r);
  auto find = [&](unsigned r, unsigned thread) -> std::optional<Coordinates> {
    Coordinates coords = array.getElement(r, thread);
    for (auto [at, offset, size] :
         llvm::zip_equal(coords, offsets, window.shape)) {
      at -= offset;
      if (at < 0 || at >= size)
        return std::nullopt;
    }
    return coords;
  };
  // If coordinates are sums of a register's and a thread's part, those of all
  // threads are between those of the first and the last thread.
  constexpr unsigned last = kNumThreads - 1;
  bool areSums = !window.isFlat() && !array.isFlat();
  bool hasSameThreads = areSums && window.threadBits == array.threadBits;
  auto isOutside = [&](unsigned r) {
    return llvm::any_of(llvm::zip_equal(array.getElement(r, 0),
                                        array.getElement(r, last), offsets,
                                        window.shape),
                        [](auto dim) {
                          auto [least, most, offset, size] = dim;
                          return most < offset || least >= offset + size;
                        });
  };
  SmallVector<int64_t> result;
  for (unsigned r = 0; r < array.getNumRegisters(); ++r) {
    std::optional<Coordinates> first = find(r, 0);
    int64_t source = -1;
    if (first) {
      auto known = ofFirst.find(linearize(*first, window.shape));
      if (known == ofFirst.end())
        return std::nullopt;
      source = known->second;
    }
    if (first ? hasSameThreads && find(r, last) &&
                    window.getElement(source, 0) == *first
              : areSums && isOutside(r)) {
      result.push_back(source);
      continue;
    }
    for (unsigned thread = 0; thread < kNumThreads; ++thread) {
      std::optional<Coordinates> coords = find(r, thread);
      if (coords.has_value() != first.has_value() ||
          (coords && window.getElement(source, thread) != *coords))
        return std::nullopt;
    }
    result.push_back(source);
  }
  return result;
}
