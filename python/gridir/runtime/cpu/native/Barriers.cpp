//===- Barriers.cpp - Barriers that count arrivals in phases --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Barriers.h"

#include <algorithm>

namespace gridir::cpu {

std::optional<Misuse> Barriers::arrive(const Arrival &arrival) {
  Barrier &state = barriers[arrival.barrier];
  state.numArrived += arrival.count;
  state.numInAll += arrival.count;
  state.numDeclared = arrival.arrivals;
  if (arrival.count > 0)
    state.lastSite = arrival.site;
  state.numCopies += arrival.copies;
  if (state.numArrived < arrival.arrivals || state.numCopies != 0)
    return std::nullopt;
  std::optional<Misuse> misuse;
  if (!state.isObserved)
    misuse = Misuse{arrival.site,
                    "Barrier completed phase " + std::to_string(state.phase) +
                        ", but no threads observed phase " +
                        std::to_string(state.phase - 1) + ".",
                    state.site};
  state.numArrived -= arrival.arrivals;
  state.site = arrival.site;
  state.isObserved = false;
  ++state.phase;
  return misuse;
}

int64_t Barriers::getPhase(const void *barrier) const {
  auto found = barriers.find(static_cast<const char *>(barrier));
  return found == barriers.end() ? 0 : found->second.phase;
}

int64_t Barriers::getNumObserved(const void *barrier, Observer observer) const {
  auto found = barriers.find(static_cast<const char *>(barrier));
  if (found == barriers.end())
    return 0;
  auto seen = found->second.numObserved.find(observer);
  return seen == found->second.numObserved.end() ? 0 : seen->second;
}

bool Barriers::isComplete(const void *barrier, Observer observer) const {
  return getNumObserved(barrier, observer) < getPhase(barrier);
}

static std::string count(int64_t number, const char *what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

std::pair<std::string, std::optional<int64_t>>
Barriers::describeArrivals(const void *barrier) const {
  auto found = barriers.find(static_cast<const char *>(barrier));
  if (found == barriers.end() || !found->second.lastSite)
    return {"nothing has arrived there", std::nullopt};
  const Barrier &state = found->second;
  return {count(state.numDeclared, "arrival") + " complete" +
              (state.numDeclared == 1 ? "s" : "") + " a phase, " +
              count(state.numArrived, "arrival") + " came to this one and " +
              std::to_string(state.numInAll) + " in all, the last at ",
          state.lastSite};
}

void Barriers::join(const void *barrier, Observer observer) {
  Barrier &state = barriers[static_cast<const char *>(barrier)];
  state.numObserved[observer] = state.phase;
}

void Barriers::skip(const void *barrier, Observer warp) {
  ++barriers[static_cast<const char *>(barrier)].numObserved[warp];
}

void Barriers::addWarp(Observer warp) {
  for (auto &[address, state] : barriers) {
    auto found = state.numObserved.find({warp.first, 0});
    if (found != state.numObserved.end())
      state.numObserved[warp] = found->second;
  }
}

std::optional<Misuse> Barriers::checkWarps(const void *barrier,
                                           std::size_t warpgroup,
                                           int64_t numWarps,
                                           int64_t site) const {
  std::string phases;
  bool differ = false;
  for (int64_t warp = 0; warp < numWarps; ++warp) {
    int64_t seen = getNumObserved(barrier, {warpgroup, warp});
    differ |= seen != getNumObserved(barrier, {warpgroup, 0});
    phases += (warp ? ", " : "") + std::to_string(seen);
  }
  if (!differ)
    return std::nullopt;
  return Misuse{site, "a warpgroup waits whose warps have previously observed "
                      "different numbers of phases: " +
                          phases + "."};
}

std::optional<Misuse> Barriers::observe(const void *barrier, Observer observer,
                                        int64_t thread, int64_t site) {
  Barrier &state = barriers[static_cast<const char *>(barrier)];
  int64_t &seen = state.numObserved[observer];
  if (++seen < state.phase)
    return Misuse{site,
                  "Thread " + std::to_string(thread) + " is awaiting phase " +
                      std::to_string(seen) +
                      ", but barrier is already at phase " +
                      std::to_string(state.phase) + ".",
                  state.site,
                  count(state.numDeclared, "arrival") + " complete" +
                      (state.numDeclared == 1 ? "s" : "") + " a phase, and " +
                      std::to_string(state.numInAll) + " came."};
  state.isObserved = true;
  return std::nullopt;
}

std::optional<Misuse> Barriers::forget(const char *begin, int64_t bytes,
                                       std::size_t firstTask) {
  std::optional<Misuse> misuse;
  auto first = barriers.lower_bound(begin),
       last = barriers.lower_bound(begin + bytes);
  for (auto it = first; it != last; ++it) {
    // A warpgroup has observed the phases of any of its warps.
    std::map<std::size_t, int64_t> numObserved;
    for (auto [observer, seen] : it->second.numObserved)
      numObserved[observer.first] = std::max(numObserved[observer.first], seen);
    for (auto [task, seen] : numObserved)
      if (seen < it->second.phase && !misuse)
        misuse = {it->second.site,
                  "Thread " + std::to_string(task - firstTask) +
                      " did not observe all phases (" +
                      std::to_string(it->second.phase) +
                      ") for barrier (but observed " + std::to_string(seen) +
                      (seen == 1 ? " phase)." : " phases).")};
  }
  barriers.erase(first, last);
  return misuse;
}

} // namespace gridir::cpu
