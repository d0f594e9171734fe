//===- Copies.h - Copies that go on beside the threads --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_COPIES_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_COPIES_H

#include "Collectives.h"

#include "llvm/Support/MathExtras.h"

#include <map>

namespace gridir::ptx {

/// The rank of the block that a shared address is in, and the offset there.
constexpr uint64_t kOffsetInBlock = (uint64_t(1) << kBlockWindowBits) - 1;

inline uint64_t getSharedAddress(uint64_t rank, uint64_t address) {
  return rank << kBlockWindowBits | (address & kOffsetInBlock);
}

/// Which way a bulk copy goes, by the order of its modifiers, which are taken.
enum class Direction : uint64_t { ToShared, ToGlobal, ToCluster };
Direction takeDirection(Emitter &emitter);

/// Modifiers that say how a copy is waited for and cached, which have no effect
/// on values. True where a mask of blocks is given.
bool takeCopyModifiers(Emitter &emitter);

/// Calls `body` with each block of a multicast, or with that of the address.
template <typename Body>
void forEachDestination(const Group &group, bool isMulticast, uint64_t mask,
                        uint64_t address, Body body) {
  if (!isMulticast) {
    body(address >> kBlockWindowBits);
    return;
  }
  for (uint64_t rank = 0; rank < 16; ++rank) {
    if (!(mask >> rank & 1))
      continue;
    if (rank >= group.thread.frame.special[ClusterRanks])
      group.fail("expected a mask of the blocks of the cluster, got block " +
                 std::to_string(rank));
    body(rank);
  }
}

/// The writes of a load in each CTA, by rank, as separate units: a thread that
/// waits for the barrier of one CTA does not know the writes in others.
using UnitsOfBlocks = std::map<uint64_t, AsyncUnitRef>;

/// The unit of a CTA, ordered after reads of the source; for a load to one CTA
/// the same unit.
AsyncUnitRef startUnitOfBlock(const Group &group, const AsyncUnitRef &reader,
                              bool isMulticast);

/// Adds a copy to global memory to the groups of its thread, which may wait for
/// its reads alone.
void addStore(const Group &group, AsyncUnitRef reader, AsyncUnitRef writer,
              AsyncWorkRef work);

/// Performs the rest of a copy, with the first of its arguments; with a seed,
/// when no thread can continue without it.
AsyncWorkRef startCopy(const Group &group, unsigned numArguments,
                       std::function<void(const Group &)> body);

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_COPIES_H
