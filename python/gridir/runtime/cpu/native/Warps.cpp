//===- Warps.cpp - Warps of a task that run code of their own -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The warps of a task start as copies of it, like forked processes. Each has a
// copy of the task's frames for the same addresses, and the stack contains the
// frames of the running warp.
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"

namespace gridir::cpu {

// Nothing that is on the stack here, or in the frames around, owns memory: each
// warp returns from here.
[[gnu::no_sanitize("thread")]] int64_t Scheduler::startWarps() {
  getTask(running).startsWarps = true;
  suspend();
  return getTask(running).warp;
}

void Scheduler::createWarps(Task &task, std::size_t index) {
  if (!task.firstWarp) {
    task.firstWarp = numTasks + warps.size();
    for (int64_t warp = 1; warp < kNumWarps; ++warp) {
      warps.push_back(std::make_unique<Task>());
      warps.back()->warpgroup = index;
      warps.back()->warp = warp;
      barriers.addWarp({index, warp});
    }
  }
  task.hasWarps = true;
  task.numJoined = 0;
  ready.push_back(index);
  for (int64_t number = 1; number < kNumWarps; ++number) {
    std::size_t taskIndex = *task.firstWarp + number - 1;
    Task &warp = getTask(taskIndex);
    warp.device = task.device;
    warp.item = task.item;
    warp.program = task.program;
    warp.frames = task.fiber->save();
    if (races)
      warp.thread = races->fork(task.thread, task.program);
    ready.push_back(taskIndex);
  }
}

void Scheduler::joinWarps() {
  Task &task = getWorkItem();
  if (getTask(running).warp != 0) {
    if (races) {
      races->release(getTask(running).thread, &task.numJoined);
      races->join(getTask(running).thread);
    }
    ++task.numJoined;
    wake(&task.numJoined);
    abandon();
  }
  wait(std::make_unique<NothingLeft>(
           &task.numJoined, [&task] { return kNumWarps - 1 - task.numJoined; }),
       /*diagnostic=*/0);
  getWorkItem().hasWarps = false;
}

} // namespace gridir::cpu
