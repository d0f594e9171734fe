//===- VectorClock.cpp - What each of many threads knows of the others ----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorClock.h"

#include <algorithm>

namespace gridir::cpu {

namespace {

struct EarlierThread {
  bool operator()(const VectorClock::Entry &entry,
                  VectorClock::Thread thread) const {
    return entry.first < thread;
  }
};

} // namespace

std::vector<VectorClock::Entry>::const_iterator
VectorClock::find(Thread thread) const {
  // Threads that start together have numbers one after another.
  if (!entries.empty()) {
    const Thread position = thread - entries.front().first;
    if (position < entries.size() && entries[position].first == thread)
      return entries.begin() + position;
  }
  return std::lower_bound(entries.begin(), entries.end(), thread,
                          EarlierThread());
}

VectorClock::Time VectorClock::get(Thread thread) const {
  auto found = find(thread);
  return found != entries.end() && found->first == thread ? found->second : 0;
}

void VectorClock::set(Thread thread, Time time) {
  auto found = entries.begin() + (find(thread) - entries.begin());
  if (found != entries.end() && found->first == thread)
    found->second = time;
  else
    entries.insert(found, {thread, time});
}

void VectorClock::join(const VectorClock &other) {
  // Threads that synchronize at barriers know the same threads.
  auto mine = entries.begin();
  auto theirs = other.entries.begin();
  while (theirs != other.entries.end() && mine != entries.end() &&
         mine->first <= theirs->first) {
    if (mine->first == theirs->first) {
      mine->second = std::max(mine->second, theirs->second);
      ++theirs;
    }
    ++mine;
  }
  if (theirs == other.entries.end())
    return;
  // From here on `mine` is beyond the first one that is missing.
  std::vector<Entry> merged(entries.begin(), mine);
  merged.reserve(entries.size() + (other.entries.end() - theirs));
  for (; theirs != other.entries.end(); ++theirs) {
    while (mine != entries.end() && mine->first < theirs->first)
      merged.push_back(*mine++);
    merged.push_back(*theirs);
    if (mine != entries.end() && mine->first == theirs->first)
      merged.back().second = std::max(theirs->second, (mine++)->second);
  }
  merged.insert(merged.end(), mine, entries.end());
  entries = std::move(merged);
}

ThreadClocks::Thread ThreadClocks::fork(std::optional<Thread> parent) {
  State state;
  Thread thread = threads.size();
  if (parent) {
    state.clock = publish(*parent);
    // A number that is free may be used again where all that was done under it
    // is known: later times of it are then later in every sense.
    for (auto [other, time] : state.clock.getEntries())
      if (!threads[other].isLive && time >= threads[other].time) {
        thread = other;
        state.time = time;
        break;
      }
  }
  state.isLive = true;
  state.clock.set(thread, ++state.time);
  if (thread == threads.size())
    threads.push_back(std::move(state));
  else
    threads[thread] = std::move(state);
  return thread;
}

void ThreadClocks::join(Thread thread) {
  threads[thread].isLive = false;
  threads[thread].clock = {};
}

ThreadClocks::Time ThreadClocks::advance(Thread thread) {
  State &state = threads[thread];
  if (state.isPublished) {
    state.clock.set(thread, ++state.time);
    state.isPublished = false;
  }
  return state.time;
}

} // namespace gridir::cpu
