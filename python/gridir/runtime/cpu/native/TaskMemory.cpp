//===- TaskMemory.cpp - Memory of tasks, and what they share --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"

#include <algorithm>
#include <cstring>

namespace gridir::cpu {

/// The memory of a task that runs, or of one that another task names before it
/// has started or when it is over already. Null when there is none left.
char *Scheduler::getArena(Task &task) {
  if (task.arena)
    return task.arena.get();
  if (idleArenas.empty()) {
    task.arena = allocateArray<char>(kernel.info.arenaBytes);
    if (!task.arena)
      lack(kernel.info.arenaBytes, "the scratch memory of a program");
  } else {
    task.arena = std::move(idleArenas.back());
    idleArenas.pop_back();
    std::memset(task.arena.get(), 0, kernel.info.arenaBytes);
  }
  if (memory)
    memory->undefine(task.arena.get(), kernel.info.arenaBytes);
  return task.arena.get();
}

char *Scheduler::getShared(int64_t members) {
  const Task &task = getTask(running);
  const std::vector<SharedBytes> &kinds = kernel.info.tasks->shared;
  auto kind =
      std::find_if(kinds.begin(), kinds.end(), [&](const SharedBytes &kind) {
        return kind.members == members;
      });
  char *base = getShared(shared[task.device][kind - kinds.begin()], task.item);
  if (!base)
    abandon();
  return base;
}

/// The memory of a work item's group; says so where there is none left.
char *Scheduler::getShared(SharedMemory &kind, int64_t item) {
  bool isNew = false;
  char *base = kind.get(item, isNew);
  if (!base)
    lack(kind.getNumBytes(), "the memory that programs share");
  else if (memory && isNew)
    memory->undefine(base, kind.getNumBytes());
  return base;
}

void Scheduler::endMemory(char *base, int64_t bytes,
                          std::optional<std::size_t> kind, Program last,
                          std::size_t firstTask) {
  checkSemaphores(base, kind, last);
  // No program waits any more. A GPU allows this, and JAX's own kernels leave
  // the last phases of a ring unobserved.
  std::optional<Misuse> misuse = barriers.forget(base, bytes, firstTask);
  if (misuse && kernel.info.tasks->semaphores)
    fail(*misuse);
  if (races) {
    races->forget(base, bytes);
    uncommitted.forget(base, bytes);
  }
}

/// The same offset in the memory of another device or work item; -1 stands for
/// the own one.
char *Scheduler::locate(char *address, int64_t device, int64_t item) {
  const Task &own = getWorkItem();
  auto isWithin = [&](const void *base, int64_t bytes) {
    auto *begin = static_cast<const char *>(base);
    return begin <= address && address < begin + bytes;
  };
  const int64_t target = device < 0 ? own.device : device;
  const DeviceBuffers &from = devices[own.device], &to = devices[target];
  if (char *arena = own.arena.get(); isWithin(arena, kernel.info.arenaBytes)) {
    std::size_t index = firstTasks[target] + (item < 0 ? own.item : item);
    // A device with an empty grid has no receiver.
    if (index >= numTasks || tasks[index].device != target)
      return address;
    // Where there is no memory, the task may write to its own while it still
    // runs: the call has failed.
    char *other = getArena(tasks[index]);
    return other ? other + (address - arena) : address;
  }
  for (std::size_t kind = 0; kind < shared[target].size(); ++kind) {
    SharedMemory &from = shared[own.device][kind], &to = shared[target][kind];
    char *base = from.find(own.item);
    if (!base || !isWithin(base, from.getNumBytes()))
      continue;
    char *there = getShared(to, item < 0 ? own.item : item);
    return there ? there + (address - base) : address;
  }
  for (std::size_t i = 0; i < from.data.size(); ++i) {
    auto *base = static_cast<char *>(from.data[i]);
    if (isWithin(base, from.sizes[i]))
      return static_cast<char *>(to.data[i]) + (address - base);
  }
  return address;
}

} // namespace gridir::cpu
