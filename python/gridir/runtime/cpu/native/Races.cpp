//===- Races.cpp - Unordered accesses of a call ---------------------------===//
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
// Threads and semaphores
//===----------------------------------------------------------------------===//

RaceDetector::Thread RaceDetector::fork(std::optional<Thread> parent,
                                        Program program) {
  // Who knows the time of the fork knows all that the parent knows then.
  if (parent)
    clocks.advance(*parent);
  Thread thread = clocks.fork(parent);
  programs.resize(std::max<std::size_t>(programs.size(), thread + 1));
  programs[thread] = program;
  return thread;
}

void RaceDetector::join(Thread thread) { clocks.join(thread); }

void RaceDetector::release(Thread thread, const void *object) {
  release(thread, objects[object]);
}

void RaceDetector::release(Thread thread, VectorClock &clock) {
  clock.join(clocks.publish(thread));
}

void RaceDetector::acquire(Thread thread, const void *object) {
  auto found = objects.find(object);
  if (found != objects.end())
    acquire(thread, found->second);
}

SemaphoreOrder &RaceDetector::getSemaphore(const void *semaphore,
                                           std::optional<int64_t> current) {
  SemaphoreOrder &order = semaphores[semaphore];
  if (current)
    order.synchronize(*current);
  return order;
}

void RaceDetector::signal(Thread thread, const void *semaphore, int64_t amount,
                          std::optional<int64_t> current) {
  clocks.advance(thread);
  getSemaphore(semaphore, current).add(amount, thread, clocks.publish(thread));
}

void RaceDetector::startCopy(Thread copy, Thread parent, const void *semaphore,
                             int64_t amount, std::optional<int64_t> current) {
  const VectorClock &clock = clocks.publish(copy);
  getSemaphore(semaphore, current)
      .addCopy(amount, copy, clock, {parent, clock.get(parent)});
}

void RaceDetector::endCopy(Thread copy, const void *semaphore,
                           std::optional<int64_t> current) {
  getSemaphore(semaphore, current).endCopy(copy, clocks.publish(copy));
}

void RaceDetector::wait(Thread thread, const void *semaphore, int64_t amount,
                        bool keeps, std::optional<int64_t> current) {
  SemaphoreOrder &order = getSemaphore(semaphore, current);
  acquire(thread, order.observe(amount, thread, clocks.getClock(thread)));
  if (keeps)
    return;
  // A new time, which no other thread knows yet.
  VectorClock::Time time = clocks.advance(thread);
  order.take(amount, thread, time);
}

void RaceDetector::arrive(Thread thread, const void *barrier) {
  release(thread, barriers[barrier].current);
}

void RaceDetector::completePhase(const void *barrier) {
  Phases &phases = barriers[barrier];
  phases.completed = phases.current;
}

void RaceDetector::observePhase(Thread thread, const void *barrier) {
  acquire(thread, barriers[barrier].completed);
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

void RaceDetector::check(const Cell &cell, Thread thread,
                         const Access &access) {
  if (race)
    return;
  if (cell.write &&
      !clocks.knows(thread, cell.write->thread, cell.write->time)) {
    AccessKind kind = cell.atomics ? AccessKind::Atomic : AccessKind::Write;
    race = Race{{cell.write->site, cell.write->program, kind}, access};
    return;
  }
  if (access.kind == AccessKind::Read)
    return;
  for (const Event &read : cell.reads)
    if (!clocks.knows(thread, read.thread, read.time)) {
      race = Race{{read.site, read.program, AccessKind::Read}, access};
      return;
    }
}

void RaceDetector::update(Cell &cell, const Event &event, AccessKind kind) {
  if (kind != AccessKind::Read) {
    cell.write = event;
    cell.reads.clear();
    if (kind == AccessKind::Write)
      cell.atomics = nullptr;
    return;
  }
  // Reads that happen before this one need not be recorded. Iterate over the
  // clock of the reading thread, which is usually shorter than the list of
  // reads.
  auto position = cell.reads.begin();
  for (auto [thread, time] : clocks.getClock(event.thread).getEntries()) {
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
  Address low = reinterpret_cast<Address>(begin), high = low + bytes;
  Event event{thread, clocks.advance(thread), site, programs[thread]};
  auto first = split(low);
  auto last = split(high);

  if (kind == AccessKind::Atomic) {
    // It comes after the atomic updates before it.
    for (auto cell = first; cell != last; ++cell)
      if (cell->second.atomics)
        clocks.learn(thread, *cell->second.atomics);
  }
  Address done = low;
  for (auto cell = first; done < high;) {
    // Bytes that nothing has touched yet.
    if (cell == last || cell->first > done) {
      Address end = cell == last ? high : cell->first;
      cell = shadow.emplace_hint(cell, done, Cell{end, {}, nullptr, {}});
    }
    check(cell->second, thread, {site, programs[thread], kind});
    update(cell->second, event, kind);
    done = cell->second.end;
    cell = std::next(mergeWithPrevious(cell));
  }
  if (kind == AccessKind::Atomic) {
    auto known = std::make_shared<const VectorClock>(clocks.publish(thread));
    for (auto cell = shadow.lower_bound(low);
         cell != shadow.end() && cell->first < high; ++cell)
      cell->second.atomics = known;
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
  auto drop = [&](auto &map) {
    map.erase(map.lower_bound(begin), map.lower_bound(end));
  };
  drop(objects);
  drop(semaphores);
  drop(barriers);
}

} // namespace gridir::cpu
