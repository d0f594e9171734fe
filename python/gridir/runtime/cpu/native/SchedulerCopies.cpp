//===- SchedulerCopies.cpp - Asynchronous copies of tasks -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"

#include <cstring>
#include <utility>

namespace gridir::cpu {

/// The byte of a number that stands out: floats of it are NaN, integers -1.
constexpr int kPoison = 0xff;

void Scheduler::startCopy(Copy copy) {
  copy.task = running;
  if (races)
    copy.thread =
        races->fork(getTask(running).thread, getTask(running).program);
  if (races)
    for (Counter counter : copy.counters)
      if (counter.getAddress())
        races->startCopy(copy.thread, getTask(running).thread,
                         counter.getAddress(), copy.bytes, counter.getExact());
  // JAX's interpreter, which only reports races, does not model proxies.
  if (races && copy.group && !kernel.reportsRaces)
    checkCommitted(copy);
  if (!failure.empty())
    abandon();
  copies.push_back(std::move(copy));
  if (!seeded && !copies.back().isRemote())
    finishCopy(copies.size() - 1);
  else
    poison(copies.back());
  pause();
}

/// A read of elements that a bulk copy has not brought yet must be visible.
void Scheduler::poison(const Copy &copy) {
  if (!copy.arrival.barrier && !copy.group)
    return;
  copy.region.forEachRun([&](int64_t, int64_t to, int64_t bytes) {
    std::memset(copy.dest + to, kPoison, bytes);
  });
}

void Scheduler::finishCopy(std::size_t number) {
  Copy copy = std::move(copies[number]);
  copies.erase(copies.begin() + number);
  copy.region.forEachRun([&](int64_t from, int64_t to, int64_t bytes) {
    std::memmove(copy.dest + to, copy.source + from, bytes);
  });
  if (memory) {
    copy.region.forEachRun([&](int64_t from, int64_t to, int64_t bytes) {
      memory->copy(copy.source + from, copy.dest + to, bytes);
      const Task &task = tasks[getTask(copy.task).warpgroup];
      if (auto range = findInArena(task, copy.dest + to, bytes))
        carries.write(task.warpgroup, *range,
                      {copy.sites[1], task.program, AccessKind::Write});
    });
  }
  if (races)
    noteEnd(copy);
  for (Counter counter : copy.counters)
    if (counter.getAddress()) {
      counter.add(copy.bytes);
      wake(counter.getAddress());
    }
  if (copy.arrival.barrier)
    complete(copy.arrival);
  if (copy.group)
    wake(&tasks[getTask(copy.task).warpgroup]);
}

/// Orders the accesses of a copy before waits for it. The sender's semaphore
/// says only that the source has been read.
void Scheduler::noteEnd(const Copy &copy) {
  auto [arrived, sent] = copy.counters;
  copy.region.forEachRun([&](int64_t from, int64_t, int64_t bytes) {
    races->access(copy.thread, copy.source + from, bytes, AccessKind::Read,
                  copy.sites[0]);
  });
  if (copy.group)
    races->release(copy.thread, getTask(copy.task).groups[*copy.group].reads);
  if (sent.getAddress())
    races->endCopy(copy.thread, sent.getAddress(), sent.getExact());
  copy.region.forEachRun([&](int64_t, int64_t to, int64_t bytes) {
    races->access(copy.thread, copy.dest + to, bytes, AccessKind::Write,
                  copy.sites[1]);
    uncommitted.forget(copy.dest + to, bytes);
  });
  if (arrived.getAddress())
    races->endCopy(copy.thread, arrived.getAddress(), arrived.getExact());
  if (copy.arrival.barrier)
    races->arrive(copy.thread, copy.arrival.barrier);
  if (copy.group)
    races->release(copy.thread, getTask(copy.task).groups[*copy.group].all);
  races->join(copy.thread);
}

void Scheduler::move(const char *source, char *dest,
                     const StridedRegion &region, bool isUpdate) {
  region.forEachRun([&](int64_t from, int64_t to, int64_t bytes) {
    std::memmove(dest + to, source + from, bytes);
    if (memory)
      memory->copy(source + from, dest + to, bytes);
    if (!races)
      return;
    RaceDetector::Thread thread = getTask(running).thread;
    races->access(thread, source + from, bytes,
                  isUpdate ? AccessKind::Atomic : AccessKind::Read, sites[0]);
    races->access(thread, dest + to, bytes,
                  isUpdate ? AccessKind::Atomic : AccessKind::Write, sites[1]);
  });
}

} // namespace gridir::cpu
