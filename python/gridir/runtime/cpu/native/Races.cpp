//===- Races.cpp - Accesses of a call that nothing orders -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Races.h"

#include <algorithm>

namespace gridir::cpu {

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

namespace {

struct EarlierThread {
  bool operator()(const VectorClock::Entry &entry,
                  VectorClock::Thread thread) const {
    return entry.first < thread;
  }
};

} // namespace

VectorClock::Time VectorClock::get(Thread thread) const {
  auto found =
      std::lower_bound(entries.begin(), entries.end(), thread, EarlierThread());
  return found != entries.end() && found->first == thread ? found->second : 0;
}

void VectorClock::set(Thread thread, Time time) {
  auto found =
      std::lower_bound(entries.begin(), entries.end(), thread, EarlierThread());
  if (found != entries.end() && found->first == thread)
    found->second = time;
  else
    entries.insert(found, {thread, time});
}

void VectorClock::join(const VectorClock &other) {
  std::vector<Entry> merged;
  merged.reserve(entries.size() + other.entries.size());
  auto mine = entries.begin();
  for (const Entry &entry : other.entries) {
    while (mine != entries.end() && mine->first < entry.first)
      merged.push_back(*mine++);
    merged.push_back(entry);
    if (mine != entries.end() && mine->first == entry.first)
      merged.back().second = std::max(entry.second, (mine++)->second);
  }
  merged.insert(merged.end(), mine, entries.end());
  entries = std::move(merged);
}

//===----------------------------------------------------------------------===//
// Threads and semaphores
//===----------------------------------------------------------------------===//

RaceDetector::Thread RaceDetector::fork(std::optional<Thread> parent,
                                        Program program) {
  State state;
  Thread thread = threads.size();
  if (parent) {
    threads[*parent].isPublished = true;
    state.clock = threads[*parent].clock;
    // A number that is free may be used again where all that was done under it
    // is known: later times of it are then later in every sense.
    for (auto [other, time] : state.clock.getEntries())
      if (!threads[other].isLive && time >= threads[other].time) {
        thread = other;
        state.time = time;
        break;
      }
  }
  state.program = program;
  state.isLive = true;
  state.clock.set(thread, ++state.time);
  if (thread == threads.size())
    threads.push_back(std::move(state));
  else
    threads[thread] = std::move(state);
  return thread;
}

void RaceDetector::join(Thread thread) {
  threads[thread].isLive = false;
  threads[thread].clock = {};
}

void RaceDetector::release(Thread thread, const void *semaphore) {
  State &state = threads[thread];
  state.isPublished = true;
  semaphores[semaphore].join(state.clock);
}

void RaceDetector::acquire(Thread thread, const void *semaphore) {
  auto found = semaphores.find(semaphore);
  if (found != semaphores.end())
    threads[thread].clock.join(found->second);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

RaceDetector::Shadow::iterator RaceDetector::split(Address at) {
  auto next = shadow.lower_bound(at);
  if (next == shadow.begin() || (next != shadow.end() && next->first == at))
    return next;
  Cell &cell = std::prev(next)->second;
  if (cell.end <= at)
    return next;
  auto rest = shadow.emplace_hint(next, at, cell);
  cell.end = at;
  return rest;
}

RaceDetector::Shadow::iterator
RaceDetector::mergeWithPrevious(Shadow::iterator cell) {
  if (cell == shadow.end() || cell == shadow.begin())
    return cell;
  auto previous = std::prev(cell);
  if (previous->second.end != cell->first ||
      !previous->second.equals(cell->second))
    return cell;
  previous->second.end = cell->second.end;
  shadow.erase(cell);
  return previous;
}

void RaceDetector::check(const Cell &cell, const State &state,
                         const Access &access) {
  if (race)
    return;
  if (cell.write && !isBefore(*cell.write, state)) {
    AccessKind kind = cell.atomics ? AccessKind::Atomic : AccessKind::Write;
    race = Race{{cell.write->site, cell.write->program, kind}, access};
    return;
  }
  if (access.kind == AccessKind::Read)
    return;
  for (const Event &read : cell.reads)
    if (!isBefore(read, state)) {
      race = Race{{read.site, read.program, AccessKind::Read}, access};
      return;
    }
}

void RaceDetector::update(Cell &cell, const Event &event, const State &state,
                          AccessKind kind) {
  if (kind != AccessKind::Read) {
    cell.write = event;
    cell.reads.clear();
    if (kind == AccessKind::Write)
      cell.atomics = nullptr;
    return;
  }
  // What this read comes after need not be remembered. The reading thread
  // knows of few others, and of itself, while many may have read before.
  auto position = cell.reads.begin();
  for (auto [thread, time] : state.clock.getEntries()) {
    position = std::lower_bound(
        position, cell.reads.end(), thread,
        [](const Event &read, Thread thread) { return read.thread < thread; });
    if (position != cell.reads.end() && position->thread == thread &&
        position->time <= time)
      position = cell.reads.erase(position);
  }
  position = std::lower_bound(
      cell.reads.begin(), cell.reads.end(), event.thread,
      [](const Event &read, Thread thread) { return read.thread < thread; });
  cell.reads.insert(position, event);
}

void RaceDetector::access(Thread thread, const void *begin, int64_t bytes,
                          AccessKind kind, int64_t site) {
  if (race || bytes <= 0)
    return;
  State &state = threads[thread];
  if (state.isPublished) {
    state.clock.set(thread, ++state.time);
    state.isPublished = false;
  }
  Address low = reinterpret_cast<Address>(begin), high = low + bytes;
  Event event{thread, state.time, site, state.program};
  auto first = split(low);
  auto last = split(high);

  if (kind == AccessKind::Atomic) {
    // It comes after the atomic updates before it.
    for (auto cell = first; cell != last; ++cell)
      if (cell->second.atomics)
        state.clock.join(*cell->second.atomics);
  }
  Address done = low;
  for (auto cell = first; done < high;) {
    // Bytes that nothing has touched yet.
    if (cell == last || cell->first > done) {
      Address end = cell == last ? high : cell->first;
      cell = shadow.emplace_hint(cell, done, Cell{end, {}, nullptr, {}});
    }
    check(cell->second, state, {site, state.program, kind});
    update(cell->second, event, state, kind);
    done = cell->second.end;
    cell = std::next(mergeWithPrevious(cell));
  }
  if (kind == AccessKind::Atomic) {
    auto known = std::make_shared<const VectorClock>(state.clock);
    for (auto cell = shadow.lower_bound(low);
         cell != shadow.end() && cell->first < high; ++cell)
      cell->second.atomics = known;
    state.isPublished = true;
    return;
  }
  mergeWithPrevious(last);
}

void RaceDetector::forget(const void *begin, int64_t bytes) {
  if (bytes <= 0)
    return;
  Address low = reinterpret_cast<Address>(begin), high = low + bytes;
  auto first = split(low);
  shadow.erase(first, split(high));
  const char *end = static_cast<const char *>(begin) + bytes;
  semaphores.erase(semaphores.lower_bound(begin), semaphores.lower_bound(end));
}

} // namespace gridir::cpu
