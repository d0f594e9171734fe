//===- TaskChecks.cpp - What tasks did, and what was wrong about it -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaceReports.h"
#include "Scheduler.h"

#include <algorithm>
#include <set>

namespace gridir::cpu {

//===----------------------------------------------------------------------===//
// Accesses of a task
//===----------------------------------------------------------------------===//

void Scheduler::setProgram(int64_t number) {
  Task &task = getTask(running);
  task.program.number = number;
  if (races)
    races->setProgram(task.thread, task.program);
}

std::optional<CarryFinder::ByteRange>
Scheduler::findInArena(const Task &task, const char *begin,
                       int64_t bytes) const {
  const char *arena = task.arena.get();
  if (begin < arena || begin + bytes > arena + kernel.info.arenaBytes)
    return std::nullopt;
  return CarryFinder::ByteRange{begin - arena, begin - arena + bytes};
}

void Scheduler::addScratch(const char *begin, int64_t bytes) {
  if (auto range = findInArena(getWorkItem(), begin, bytes))
    carries.addScratch(*range);
}

void Scheduler::addSemaphores(const int64_t *counters,
                              const std::vector<StridedRegion::Dim> &dims,
                              int64_t site) {
  const char *begin = reinterpret_cast<const char *>(counters);
  const Task &task = getWorkItem();
  std::optional<CarryFinder::ByteRange> range =
      findInArena(task, begin, sizeof(*counters));
  Semaphores added{{}, site};
  for (const StridedRegion::Dim &dim : dims)
    added.shape.push_back(dim.size);
  if (range) {
    semaphores[{std::nullopt, range->begin}] = added;
    return;
  }
  for (std::size_t kind = 0; kind < shared[task.device].size(); ++kind) {
    const SharedMemory &memory = shared[task.device][kind];
    const char *base = memory.find(task.item);
    if (base && base <= begin && begin < base + memory.getNumBytes())
      semaphores[{kind, begin - base}] = added;
  }
}

void Scheduler::checkSemaphores(const char *base,
                                std::optional<std::size_t> kind, Program last) {
  for (const auto &[location, array] : semaphores) {
    if (location.first != kind)
      continue;
    const auto *counters =
        reinterpret_cast<const int64_t *>(base + location.second);
    int64_t count = 1;
    for (int64_t size : array.shape)
      count *= size;
    for (int64_t number = 0; number < count; ++number)
      if (counters[number] != 0 && !leftSemaphore)
        leftSemaphore = {array.site, last, array.shape, number,
                         counters[number]};
  }
}

void Scheduler::setDefined(const char *base, const StridedRegion &region,
                           bool isDefined) {
  region.forEachRun([&](int64_t offset, int64_t, int64_t bytes) {
    // No program has written the current contents.
    if (races)
      uncommitted.forget(base + offset, bytes);
    if (!memory)
      return;
    if (isDefined)
      memory->define(base + offset, bytes);
    else
      memory->undefine(base + offset, bytes);
  });
}

void Scheduler::transfer(const char *source, const char *dest,
                         const StridedRegion &region) {
  if (memory)
    region.forEachRun([&](int64_t from, int64_t to, int64_t bytes) {
      memory->copy(source + from, dest + to, bytes);
    });
}

void Scheduler::access(const char *base, const StridedRegion &region,
                       AccessKind kind, int64_t site,
                       std::vector<int64_t> element) {
  const Task &task = getTask(running);
  if (kind == AccessKind::Use)
    return use(base, region, {site, task.program, kind, std::move(element)});
  const bool mayStay = races && kind != AccessKind::Read && isOwn(base);
  region.forEachRun([&](int64_t offset, int64_t, int64_t bytes) {
    if (races)
      races->access(task.thread, base + offset, bytes, kind, site);
    if (mayStay)
      uncommitted.write(base + offset, bytes, getBlock(), site);
    if (!memory || kind == AccessKind::Read)
      return;
    memory->define(base + offset, bytes);
    if (auto range = findInArena(getWorkItem(), base + offset, bytes))
      carries.write(task.warpgroup, *range, {site, task.program, kind});
  });
}

/// Something depends on the contents. If a part of it was written the rest
/// counts as padding, as of a buffer that is larger than its data.
void Scheduler::use(const char *base, const StridedRegion &region,
                    RaceDetector::Access read) {
  if (!memory)
    return;
  bool isAnyDefined = false, isEmpty = true;
  region.forEachRun([&](int64_t offset, int64_t, int64_t bytes) {
    isEmpty = false;
    isAnyDefined |= memory->isAnyDefined(base + offset, bytes);
  });
  if (isAnyDefined || isEmpty)
    return;
  if (!unwrittenRead)
    unwrittenRead = read;
  region.forEachRun([&](int64_t offset, int64_t, int64_t bytes) {
    if (auto range = findInArena(getWorkItem(), base + offset, bytes))
      carries.readUnwritten(getTask(running).warpgroup, *range, read);
  });
}

//===----------------------------------------------------------------------===//
// Visibility to copies
//===----------------------------------------------------------------------===//

bool Scheduler::isOwn(const char *address) const {
  const Task &task = tasks[getTask(running).warpgroup];
  if (findInArena(task, address, /*bytes=*/1))
    return true;
  for (const SharedMemory &kind : shared[task.device]) {
    const char *base = kind.find(task.item);
    if (base && base <= address && address < base + kind.getNumBytes())
      return true;
  }
  return false;
}

std::size_t Scheduler::getBlock() const {
  const Task &task = tasks[getTask(running).warpgroup];
  int64_t first = task.item, fewest = 0;
  for (const SharedMemory &kind : shared[task.device]) {
    const int64_t count = kind.getNumMembers();
    if (count == 0 || (fewest && count >= fewest))
      continue;
    fewest = count;
    first = kind.getFirstItem(task.item);
  }
  return firstTasks[task.device] + first;
}

void Scheduler::commitWrites() { uncommitted.commit(getBlock()); }

void Scheduler::checkCommitted(const Copy &copy) {
  std::optional<int64_t> write;
  copy.region.forEachRun([&](int64_t from, int64_t, int64_t bytes) {
    if (!write)
      write = uncommitted.find(copy.source + from, bytes);
  });
  if (write)
    fail({copy.sites[0], "it may not see the " + kernel.info.accesses[*write] +
                             ", which no `commit_smem` follows."});
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// The first element of an output that nothing has written.
std::optional<std::string> Scheduler::describeUnwritten() const {
  for (const DeviceBuffers &buffers : devices)
    for (const UnwrittenOperand &operand : kernel.info.tasks->unwritten)
      if (std::optional<int64_t> byte = memory->findUndefined(
              buffers.data[operand.operand], buffers.sizes[operand.operand]))
        return describeUnwrittenElement(kernel.info, operand,
                                        *byte / operand.bytesPerElement);
  return std::nullopt;
}

std::optional<std::string> Scheduler::describeRace() const {
  if (!races)
    return std::nullopt;
  const std::optional<RaceDetector::Race> &race =
      races->getRace() ? races->getRace() : carries.getCarry();
  if (!race)
    return std::nullopt;
  return gridir::cpu::describeRace(kernel.info, grids, *race);
}

std::optional<std::string> Scheduler::describeFailure() const {
  if (!failure.empty())
    return failure;
  for (std::size_t task = 0; task < numTasks; ++task)
    if (tasks[task].status[0] != 0)
      return describeCheck(kernel.info, tasks[task].status);
  std::optional<std::string> race = describeRace();
  if (kernel.reportsRaces)
    keepRace(std::move(race));
  else if (race)
    return race;
  bool looksForUnwritten = kernel.info.tasks->uninitialized;
  if (looksForUnwritten && unwrittenRead)
    return describeUnwrittenRead(kernel.info, grids, *unwrittenRead);
  if (isOver()) {
    if (leftSemaphore)
      return describeLeftSemaphore(kernel.info, grids, *leftSemaphore);
    return looksForUnwritten ? describeUnwritten() : std::nullopt;
  }
  // The first task that waits for other tasks than its own warps.
  std::set<std::size_t> waiting;
  std::pair<bool, std::size_t> first(true, 0);
  bool isAny = false;
  for (std::size_t index : blocked) {
    std::pair candidate(getTask(index).hasWarps && getTask(index).condition &&
                            getTask(index).diagnostic == 0,
                        index);
    first = isAny ? std::min(first, candidate) : candidate;
    isAny = true;
    waiting.insert(getTask(index).warpgroup);
  }
  const Task &task = getTask(first.second);
  std::string text = "kernel `" + kernel.info.name +
                     "` looks at a semaphore that nothing can signal";
  if (task.condition) {
    auto [state, expected] = task.condition->describe();
    text = describeCheck(kernel.info, {task.diagnostic, state, expected});
    auto [note, site] = task.condition->explain();
    if (!note.empty())
      text += "; " + note + (site ? kernel.info.accesses[*site] : "");
  }
  if (numTasks > 1)
    text += "; " + std::to_string(waiting.size()) + " of " +
            std::to_string(numTasks) + " programs wait";
  return text;
}

} // namespace gridir::cpu
