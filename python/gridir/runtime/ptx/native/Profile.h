//===- Profile.h - What a launch executes, and how it touches memory ------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads run one at a time here; on hardware the lanes of a warp run together.
// The n-th executions of an instruction by all lanes are therefore grouped as
// one request of the warp.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_PROFILE_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_PROFILE_H

#include "Buffers.h"
#include "Program.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

#include <deque>

namespace gridir::ptx {

/// The simultaneous memory accesses of a warp's lanes at one instruction.
struct Request {
  std::array<uint64_t, 32> addresses = {};
  uint32_t lanes = 0;
  uint32_t bytes = 0;
};

/// The requests of a warp at one instruction that not all lanes have made yet.
class RequestStream {
public:
  /// The lane has made its next request; gives how far it is ahead.
  uint64_t add(unsigned lane, uint64_t address, uint32_t bytes);
  /// Takes the first request, if all of these lanes have made it.
  std::optional<Request> takeComplete(uint32_t lanes);
  /// Takes the first request, complete or not.
  std::optional<Request> take();

private:
  std::deque<Request> open;
  /// The number of the first open request, and the next one of each lane.
  uint64_t first = 0;
  std::array<uint64_t, 32> next = {};
};

/// The counts of the lanes of one warp.
class WarpProfile {
public:
  explicit WarpProfile(size_t numSites)
      : numSites(numSites), executed(32 * numSites) {}

  /// The number of executions of each instruction by a lane; generated code
  /// counts.
  llvm::MutableArrayRef<uint64_t> getExecuted(unsigned lane) {
    return llvm::MutableArrayRef(executed).slice(lane * numSites, numSites);
  }

private:
  friend class Profile;

  size_t numSites;
  std::vector<uint64_t> executed;
  /// By the number of the instruction, twice: of shared memory, and of global.
  llvm::DenseMap<uint32_t, RequestStream> streams;
};

/// The counts of a launch.
class Profile {
public:
  Profile(size_t numSites, const BufferTable &buffers)
      : counts(numSites), buffers(buffers) {}

  /// A lane touches shared memory, at an offset there, or global memory. Gives
  /// whether it is far ahead of those of its warp that are live.
  bool access(WarpProfile &warp, unsigned lane, uint32_t live, uint64_t address,
              uint32_t bytes, bool isShared, unsigned site);
  /// A copy that goes on beside threads touches memory.
  void copy(uint64_t bytes, bool isShared, unsigned site) {
    (isShared ? counts[site].copiedShared : counts[site].copiedGlobal) += bytes;
  }
  /// A thread has waited while others executed this many more instructions.
  void wait(uint64_t instructions, unsigned site) {
    ++counts[site].waits;
    counts[site].stalled += instructions;
  }
  /// The warp has ended.
  void finish(WarpProfile &warp);

  /// When the arrivals at a barrier in memory were made, in instructions of
  /// those who made them.
  struct Phases {
    uint64_t current = 0, completed = 0;
  };
  Phases &getPhases(const void *barrier) { return phases[barrier]; }

  std::vector<SiteCounts> take() { return std::move(counts); }

private:
  void count(const Request &request, bool isShared, SiteCounts &into) const;

  std::vector<SiteCounts> counts;
  const BufferTable &buffers;
  llvm::DenseMap<const void *, Phases> phases;
};

/// How many times shared memory is gone through for a request: its 32 banks
/// give a word of 32 bits each at a time. Threads of a half, a quarter of the
/// warp go together where each has 8 bytes, 16 and more; gives the least number
/// for as many lanes, too.
std::pair<uint64_t, uint64_t> countWavefronts(const Request &request);

/// How many sectors of 32 bytes a request touches, and the least number that
/// would hold as many different bytes.
std::pair<uint64_t, uint64_t> countSectors(const Request &request);

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_PROFILE_H
