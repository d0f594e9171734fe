//===- SharedAccess.cpp - Bank conflicts of shared memory -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Layout/SharedAccess.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>

using namespace gridir::warpgroup;
using llvm::ArrayRef;
using llvm::SmallVector;

static constexpr int64_t kNumBanks = 32, kWordBytes = 4;

/// The words that one access reads, by bank. A word is read once for all lanes.
static int64_t getNumPasses(ArrayRef<int64_t> offsets, int64_t bytes) {
  llvm::SmallDenseSet<int64_t, 64> words;
  SmallVector<int64_t, 32> ofBank(kNumBanks, 0);
  int64_t most = 0;
  for (int64_t offset : offsets)
    for (int64_t word = offset / kWordBytes;
         word <= (offset + bytes - 1) / kWordBytes; ++word)
      if (words.insert(word).second)
        most = std::max(most, ++ofBank[word % kNumBanks]);
  return most;
}

int64_t gridir::warpgroup::getNumWavefronts(ArrayRef<int64_t> offsets,
                                            int64_t bytes) {
  // Lanes are served together as far as 128 bytes reach: half a warp for 8
  // bytes each, a quarter for 16.
  auto together =
      std::clamp<int64_t>(kNumBanks * kWordBytes / bytes, 1, kNumLanes);
  int64_t passes = 0;
  for (; !offsets.empty(); offsets = offsets.drop_front(together)) {
    together = std::min<int64_t>(together, offsets.size());
    passes += getNumPasses(offsets.take_front(together), bytes);
  }
  return passes;
}

SharedAccess gridir::warpgroup::countSharedAccess(
    const Layout &layout, Shape shape, int64_t vector, unsigned elementBits,
    llvm::function_ref<int64_t(int64_t)> getOffset) {
  int64_t numRegisters = layout.getNumRegisters(shape);
  int64_t bytes = std::max<int64_t>(vector * elementBits / 8, 1);
  int64_t best =
      std::max<int64_t>(bytes * kNumLanes / (kNumBanks * kWordBytes), 1);
  SharedAccess access;
  access.instructions = numRegisters / vector;
  for (unsigned warp = 0; warp < kNumThreads; warp += kNumLanes) {
    int64_t conflicts = 0;
    for (int64_t reg = 0; reg < numRegisters; reg += vector) {
      SmallVector<int64_t, 32> offsets;
      for (unsigned lane = 0; lane < kNumLanes; ++lane)
        offsets.push_back(
            getOffset(layout.getElement(shape, reg, warp + lane)));
      // Lanes that hold the same may need fewer.
      conflicts +=
          std::max<int64_t>(getNumWavefronts(offsets, bytes) - best, 0);
    }
    access.conflicts = std::max(access.conflicts, conflicts);
  }
  return access;
}
