//===- SharedRounds.h - Through shared memory in parts ---------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans a conversion between two layouts through shared memory, for layouts
// whose indices are linear in one tile. Each round moves a part of the tile,
// whose elements depend only on registers, not on threads.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_LAYOUT_SHAREDROUNDS_H
#define GRIDIR_DIALECTS_WARPGROUP_LAYOUT_SHAREDROUNDS_H

#include "dialects/Warpgroup/Layout/LargeTiles.h"
#include "dialects/Warpgroup/Layout/SharedAccess.h"
#include "llvm/ADT/bit.h"

namespace gridir::warpgroup {

/// The bytes of shared memory that each warpgroup prefers.
constexpr int64_t kRoundBytes = 32 << 10;

struct SharedRounds {
  SharedRounds(LargeTiles source, LargeTiles dest, int64_t elementBytes)
      : source(std::move(source)), dest(std::move(dest)),
        elementBytes(elementBytes) {}

  LargeTiles source, dest;
  int64_t elementBytes;
  /// The bits of an index in the tile that tell the round of its element.
  uint64_t roundBits = 0;
  /// Bytes of a round.
  int64_t bytes = 0;
  /// The elements that threads store and load at once.
  int64_t storeVector = 1, loadVector = 1;
  /// Moves the bytes of a round.
  Swizzle swizzle;
  /// Accesses of the warp that has most, beyond those that its bytes need.
  int64_t conflicts = 0;

  /// The rounds of one tile, and of all repeats of it.
  int64_t getNumRoundsOfTile() const {
    return int64_t(1) << llvm::popcount(roundBits);
  }
  int64_t getNumRounds() const {
    return source.getNumRepeats() * getNumRoundsOfTile();
  }

  /// True if an element belongs to a round of its tile.
  bool isInRound(uint64_t element, int64_t round) const;

  /// The byte of an element in its round: linear in the bits of its index.
  int64_t getOffset(uint64_t element) const;
};

/// Plans rounds of at most `maxBytes`, or of the minimum number of bytes.
/// Returns none if the indices are not linear in one tile.
std::optional<SharedRounds> planSharedRounds(const Layout &source,
                                             const Layout &dest, Shape shape,
                                             unsigned elementBits,
                                             int64_t maxBytes);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_LAYOUT_SHAREDROUNDS_H
