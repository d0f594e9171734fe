//===- Distribution.cpp - Which thread holds which elements ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Distribution.h"

#include "dialects/Warpgroup/IR/RegisterCoordinates.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

static int64_t product(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                         std::multiplies<>());
}

Coords delinearize(int64_t index, ArrayRef<int64_t> shape) {
  Coords coords(shape.size());
  for (int64_t d = shape.size() - 1; d >= 0; --d) {
    coords[d] = index % shape[d];
    index /= shape[d];
  }
  return coords;
}

int64_t linearize(ArrayRef<int64_t> coords, ArrayRef<int64_t> shape) {
  int64_t index = 0;
  for (auto [coord, size] : llvm::zip_equal(coords, shape))
    index = index * size + coord;
  return index;
}

int64_t Distribution::getNumElements() const { return product(shape); }

bool Distribution::exceeds() const {
  return space.size() == 1 &&
         getCoords(getNumRegisters() - 1, kNumThreads - 1)[0] >= space[0];
}

bool Distribution::hasCopies() const {
  return llvm::any_of(threadBits, [](const Coords &bit) {
    return llvm::all_of(bit, [](int64_t x) { return x == 0; });
  });
}

Coords Distribution::getCoords(unsigned r, unsigned thread) const {
  Coords coords = registers[r];
  for (unsigned bit = 0; bit < kNumThreadBits; ++bit)
    if (thread >> bit & 1)
      for (auto [sum, part] : llvm::zip_equal(coords, threadBits[bit]))
        sum += part;
  return coords;
}

Coords Distribution::getElement(unsigned r, unsigned thread) const {
  Coords coords = getCoords(r, thread);
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
        Coords expected = registers[first];
        expected.back() += i;
        if (registers[first].back() % count != 0 ||
            registers[first + i] != expected)
          return false;
      }
    return llvm::all_of(
        threadBits, [&](const Coords &bit) { return bit.back() % count == 0; });
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
  auto convert = [&](Coords &coords) {
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

std::optional<Distribution> Distribution::get(const warpgroup::Layout &layout,
                                              ArrayRef<int64_t> shape) {
  if (!layout.fits(shape))
    return std::nullopt;
  if (layout.isSplat()) {
    Distribution result = getStrided(shape, /*run=*/4);
    result.isSplat = true;
    return result;
  }
  Distribution result;
  result.shape.assign(shape.begin(), shape.end());
  result.space = {product(shape)};
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

Distribution Distribution::getStrided(ArrayRef<int64_t> shape, int64_t run) {
  Distribution result;
  int64_t count = product(shape);
  result.shape.assign(shape.begin(), shape.end());
  result.space = {count};
  while (run > 1 && count % (run * kNumThreads) != 0)
    run /= 2;
  // With fewer elements than threads, the last threads hold copies.
  bool repeats = count < kNumThreads && llvm::isPowerOf2_64(count);
  for (unsigned bit = 0; bit < kNumThreadBits; ++bit) {
    int64_t step = run << bit;
    result.threadBits[bit] = {repeats && step >= count ? 0 : step};
  }
  int64_t numRegisters = llvm::divideCeil(count, kNumThreads);
  for (int64_t r = 0; r < numRegisters; ++r)
    result.registers.push_back({(r / run * kNumThreads) * run + r % run});
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
    return Coords(llvm::map_range(dims, [&](int64_t d) { return coords[d]; }));
  };
  for (const Coords &coords : other.registers) {
    Coords projected = project(coords);
    if (!llvm::is_contained(result.registers, projected))
      result.registers.push_back(projected);
  }
  for (auto [to, from] : llvm::zip_equal(result.threadBits, other.threadBits))
    to = project(from);
  return result;
}

const Distribution *Distributions::find(RankedTensorType type) {
  auto &held = known[type];
  if (!held) {
    held = std::make_unique<std::optional<Distribution>>();
    if (std::optional<warpgroup::Layout> layout = warpgroup::getLayout(type))
      *held = Distribution::get(*layout, type.getShape());
  }
  return held->has_value() ? &**held : nullptr;
}

} // namespace gridir::warpgroup_to_nvvm
