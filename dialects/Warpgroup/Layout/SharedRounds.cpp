//===- SharedRounds.cpp - Through shared memory in parts ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Layout/SharedRounds.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace gridir::warpgroup;
using llvm::SmallVector;

/// The bits that `mask` has not, side by side.
static uint64_t dropBits(uint64_t bits, uint64_t mask) {
  uint64_t left = 0;
  for (unsigned bit = 0, to = 0; bits >> bit; ++bit)
    if (!(mask >> bit & 1))
      left |= (bits >> bit & 1) << to++;
  return left;
}

/// The bits that `mask` has, side by side.
static uint64_t keepBits(uint64_t bits, uint64_t mask) {
  return dropBits(bits & mask, ~mask);
}

bool SharedRounds::isInRound(uint64_t element, int64_t round) const {
  return static_cast<int64_t>(keepBits(element, roundBits)) == round;
}

int64_t SharedRounds::getOffset(uint64_t element) const {
  return swizzle.apply(static_cast<int64_t>(dropBits(element, roundBits)) *
                       elementBytes);
}

/// Accesses of the first round beyond those that as many bytes need, of the
/// warp that has most.
static int64_t countConflicts(const SharedRounds &rounds, const Layout &layout,
                              int64_t vector) {
  constexpr unsigned numLanes = 1 << kNumLaneBits;
  constexpr int64_t bankBytes = 128;
  int64_t bytes = vector * rounds.elementBytes, most = 0;
  int64_t best = std::max<int64_t>(bytes * numLanes / bankBytes, 1);
  for (unsigned warp = 0; warp < kNumThreads; warp += numLanes) {
    int64_t conflicts = 0;
    for (int64_t reg = 0; reg < layout.getNumTileRegisters(); reg += vector) {
      uint64_t element = layout.getRegisters().apply(reg);
      if (!rounds.isInRound(element, 0))
        continue;
      SmallVector<int64_t, 32> offsets;
      for (unsigned lane = 0; lane < numLanes; ++lane)
        offsets.push_back(
            rounds.getOffset(element ^ layout.getThreads().apply(warp + lane)));
      // Lanes that hold the same may need fewer.
      conflicts +=
          std::max<int64_t>(getNumWavefronts(offsets, bytes) - best, 0);
    }
    most = std::max(most, conflicts);
  }
  return most;
}

/// Bits of the row go to those of the bank that no run of elements has.
static void chooseSwizzle(SharedRounds &rounds) {
  auto count = [&] {
    return countConflicts(rounds, rounds.source.get(), rounds.storeVector) +
           countConflicts(rounds, rounds.dest.get(), rounds.loadVector);
  };
  rounds.conflicts = count();
  constexpr unsigned bankBits = 7;
  unsigned run = llvm::Log2_64(std::max(rounds.storeVector, rounds.loadVector) *
                               rounds.elementBytes);
  unsigned end = llvm::Log2_64(rounds.bytes);
  Swizzle best;
  for (unsigned from = bankBits; from < end && rounds.conflicts; ++from) {
    rounds.swizzle = {from, run, std::min(bankBits - run, end - from)};
    if (int64_t conflicts = count(); conflicts < rounds.conflicts) {
      rounds.conflicts = conflicts;
      best = rounds.swizzle;
    }
  }
  rounds.swizzle = best;
}

std::optional<SharedRounds>
/// The rounds are selected by bits of the element's index in the tile. Only
/// bits that do not depend on the thread, in either layout, can be used: then a
/// register belongs to one round in all threads. Each such bit halves the
/// memory of a round.
gridir::warpgroup::planSharedRounds(const Layout &source, const Layout &dest,
                                    Shape shape, unsigned elementBits,
                                    int64_t maxBytes) {
  std::optional<Layout> from = source.unflatten(shape),
                        to = dest.unflatten(shape);
  if (!from || !to || from->isSplat() || to->isSplat() ||
      from->isFlat(shape.size()) || to->isFlat(shape.size()) ||
      from->isPadded(shape) || to->isPadded(shape))
    return std::nullopt;
  Coordinates tile;
  for (int64_t size : shape)
    tile.push_back(size & -size);
  int64_t elementBytes = std::max<int64_t>(elementBits / 8, 1);
  SharedRounds rounds(LargeTiles(*from, shape, tile),
                      LargeTiles(*to, shape, tile), elementBytes);
  auto getVector = [&](const Layout &layout) {
    return std::min<int64_t>(layout.getVectorLength(tile), 16 / elementBytes);
  };
  rounds.storeVector = getVector(rounds.source.get());
  rounds.loadVector = getVector(rounds.dest.get());
  rounds.bytes = getNumElements(tile) * elementBytes;
  uint64_t ofThreads = 0;
  for (const LargeTiles *tiles : {&rounds.source, &rounds.dest})
    for (uint64_t column : tiles->get().getThreads().getColumns())
      ofThreads |= column;
  // The highest first, which no run of elements has.
  for (int64_t bit = llvm::Log2_64(getNumElements(tile)) - 1;
       bit >= 0 && rounds.bytes > maxBytes; --bit) {
    int64_t mask = int64_t(1) << bit;
    if (ofThreads & mask)
      continue;
    rounds.roundBits |= mask;
    rounds.bytes /= 2;
    rounds.storeVector = std::min(rounds.storeVector, mask);
    rounds.loadVector = std::min(rounds.loadVector, mask);
  }
  chooseSwizzle(rounds);
  return rounds;
}
