//===- Profile.cpp - What a launch executes, and how it touches memory ----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

constexpr uint64_t kBanks = 32, kBankBytes = 4, kSectorBytes = 32;
/// Requests that a lane may be ahead of the other lanes of its warp.
constexpr size_t kMostOpen = 512;

} // namespace

uint64_t RequestStream::add(unsigned lane, uint64_t address, uint32_t bytes) {
  // Requests that are gone were made without the lane.
  const uint64_t number = std::max(next[lane], first);
  next[lane] = number + 1;
  while (first + open.size() <= number)
    open.emplace_back();
  Request &request = open[number - first];
  request.addresses[lane] = address;
  request.lanes |= uint32_t(1) << lane;
  request.bytes = std::max(request.bytes, bytes);
  return number - first;
}

std::optional<Request> RequestStream::takeComplete(uint32_t lanes) {
  if (open.empty() || (lanes & ~open.front().lanes))
    return std::nullopt;
  return take();
}

std::optional<Request> RequestStream::take() {
  if (open.empty())
    return std::nullopt;
  Request request = open.front();
  open.pop_front();
  ++first;
  return request;
}

/// Without those that are there already.
static void keepDifferent(SmallVectorImpl<uint64_t> &numbers) {
  llvm::sort(numbers);
  numbers.erase(llvm::unique(numbers), numbers.end());
}

std::pair<uint64_t, uint64_t> countWavefronts(const Request &request) {
  const unsigned together = request.bytes <= 4   ? 32
                            : request.bytes <= 8 ? 16
                                                 : 8;
  uint64_t wavefronts = 0, least = 0;
  for (unsigned begin = 0; begin < 32; begin += together) {
    SmallVector<uint64_t, 64> words;
    for (unsigned lane = begin; lane < begin + together; ++lane)
      if (request.lanes >> lane & 1)
        for (uint64_t byte = 0; byte < request.bytes; byte += kBankBytes)
          words.push_back((request.addresses[lane] + byte) / kBankBytes);
    keepDifferent(words);
    std::array<uint64_t, kBanks> ofBank = {};
    for (uint64_t word : words)
      ++ofBank[word % kBanks];
    wavefronts += *llvm::max_element(ofBank);
    least += divideCeil(words.size(), kBanks);
  }
  return {wavefronts, least};
}

std::pair<uint64_t, uint64_t> countSectors(const Request &request) {
  SmallVector<uint64_t, 64> begins, sectors;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (request.lanes >> lane & 1) {
      const uint64_t begin = request.addresses[lane];
      const uint64_t last = (begin + request.bytes - 1) / kSectorBytes;
      begins.push_back(begin);
      for (uint64_t sector = begin / kSectorBytes; sector <= last; ++sector)
        sectors.push_back(sector);
    }
  keepDifferent(begins);
  keepDifferent(sectors);
  uint64_t bytes = 0, end = 0;
  for (uint64_t begin : begins) {
    bytes += begin + request.bytes - std::max(begin, end);
    end = begin + request.bytes;
  }
  return {sectors.size(), divideCeil(bytes, kSectorBytes)};
}

bool Profile::access(WarpProfile &warp, unsigned lane, uint32_t live,
                     uint64_t address, uint32_t bytes, bool isShared,
                     unsigned site) {
  // An array begins with a sector on a GPU, wherever it is here.
  if (!isShared)
    if (const Buffer *buffer = buffers.find(address, 1))
      address -= buffer->begin - alignTo(buffer->begin, 256);
  RequestStream &stream = warp.streams[2 * site + isShared];
  uint64_t ahead = stream.add(lane, address, bytes);
  while (std::optional<Request> request = stream.takeComplete(live))
    count(*request, isShared, counts[site]);
  // Lanes that never come to it are not waited for.
  for (; ahead >= 2 * kMostOpen; --ahead)
    if (std::optional<Request> request = stream.take())
      count(*request, isShared, counts[site]);
  return ahead >= kMostOpen;
}

void Profile::count(const Request &request, bool isShared,
                    SiteCounts &into) const {
  MemoryCounts &memory = isShared ? into.shared : into.global;
  auto [pieces, least] =
      isShared ? countWavefronts(request) : countSectors(request);
  ++memory.requests;
  memory.bytes += uint64_t(llvm::popcount(request.lanes)) * request.bytes;
  memory.pieces += pieces;
  memory.least += least;
}

void Profile::finish(WarpProfile &warp) {
  for (auto &[key, stream] : warp.streams)
    while (std::optional<Request> request = stream.take())
      count(*request, key % 2, counts[key / 2]);
  for (size_t site = 0; site < warp.numSites; ++site) {
    uint64_t most = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      const uint64_t executed = warp.getExecuted(lane)[site];
      counts[site].threads += executed;
      most = std::max(most, executed);
    }
    counts[site].warps += most;
  }
}

// Events of an execution.

void Execution::countAccess(Thread &thread, const void *pointer, uint64_t bytes,
                            uint32_t flags, unsigned site) {
  const uint64_t address = reinterpret_cast<uint64_t>(pointer);
  const uint64_t offset =
      address - reinterpret_cast<uint64_t>(thread.frame.window);
  const bool isShared = offset < kClusterWindow;
  if (flags & Tensor)
    return;
  if (flags & Async)
    profile->copy(bytes, isShared, site);
  else
    thread.isAhead |= profile->access(
        *thread.warp->profile, thread.getLane(), thread.warp->live,
        isShared ? offset : address, bytes, isShared, site);
}

void Execution::keepTogether(Thread &thread) {
  if (!std::exchange(thread.isAhead, false))
    return;
  // It waits for nothing, so that the others of its warp have their turns.
  thread.fiber->suspend();
}

void Execution::countWait(Thread &thread, uint64_t clock) {
  if (!profile)
    return;
  const uint64_t begin = thread.frame.clock;
  thread.frame.clock = std::max(begin, clock);
  profile->wait(thread.frame.clock - begin, thread.site);
}

void Execution::takeProfile() {
  if (!profile)
    return;
  for (auto [site, counts] :
       llvm::zip_equal(function.translation.sites, profile->take()))
    report.profile.push_back({site.text, site.where, {}, site.source, counts});
}

} // namespace gridir::ptx
