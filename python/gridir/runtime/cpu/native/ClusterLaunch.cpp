//===- ClusterLaunch.cpp - Work of clusters that have not begun -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The clusters of a device start in order, as soon as there is room. A block
// that requests a cluster receives the next one, whose work items never start
// and count as completed.
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"

#include <algorithm>
#include <cstring>

namespace gridir::cpu {

/// The bytes of an answer in a kernel.
static constexpr int64_t kAnswerBytes = 16;

std::optional<std::size_t> Scheduler::findStarting() const {
  for (std::size_t position = numUnstarted; position-- > 0;) {
    const Task &task = tasks[unstarted[position]];
    const Launches &ofDevice = launches[task.device];
    if (!ofDevice.numLaunched ||
        task.item / kernel.info.tasks->clusterItems < *ofDevice.numLaunched)
      return position;
  }
  return std::nullopt;
}

int64_t Scheduler::takeCluster(std::size_t device, int64_t clustersAtOnce) {
  const int64_t clusterItems = kernel.info.tasks->clusterItems;
  const std::size_t firstTask = firstTasks[device];
  const std::size_t endTask =
      device + 1 < firstTasks.size() ? firstTasks[device + 1] : numTasks;
  Launches &ofDevice = launches[device];
  if (!ofDevice.numLaunched)
    ofDevice.numLaunched = clustersAtOnce + ofDevice.numDone;
  const int64_t numClusters = (endTask - firstTask) / clusterItems;
  while (*ofDevice.numLaunched < numClusters) {
    const std::size_t first =
        firstTask + (*ofDevice.numLaunched)++ * clusterItems;
    // Before the first response, any cluster may have started.
    if (std::any_of(tasks.get() + first, tasks.get() + first + clusterItems,
                    [](const Task &task) { return task.hasStarted; }))
      continue;
    auto isTaken = [&](std::size_t task) {
      return task >= first && task < first + clusterItems;
    };
    std::size_t *end = std::remove_if(unstarted.get(),
                                      unstarted.get() + numUnstarted, isTaken);
    numUnstarted = end - unstarted.get();
    numDone += clusterItems;
    return tasks[first].item;
  }
  return -1;
}

void Scheduler::askForCluster(char *answer, int64_t members, bool isAlone,
                              int64_t clustersAtOnce, int64_t site) {
  Task &task = getWorkItem();
  const int64_t member = task.item % members;
  // One warpgroup makes the request for its block.
  if (!isAlone && member != 0)
    return;
  std::vector<int64_t> &ofMember = answers[getFirstOfCluster(task) + member];
  if (task.numAsked == ofMember.size())
    ofMember.push_back(takeCluster(task.device, clustersAtOnce));
  const int64_t item = ofMember[task.numAsked++];
  std::memset(answer, 0, kAnswerBytes);
  std::memcpy(answer, &item, sizeof(item));
  if (memory)
    memory->define(answer, kAnswerBytes);
  if (races)
    races->access(getTask(running).thread, answer, kAnswerBytes,
                  AccessKind::Write, site);
}

} // namespace gridir::cpu
