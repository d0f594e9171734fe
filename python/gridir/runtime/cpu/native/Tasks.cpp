//===- Tasks.cpp - Work items that wait for one another -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tasks.h"

#include "Scheduler.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gridir::cpu {

//===----------------------------------------------------------------------===//
// Called by kernels
//===----------------------------------------------------------------------===//

namespace {

void taskSignal(void *counter, int64_t bits, int64_t amount) {
  Scheduler::getCurrent()->signal({counter, bits}, amount);
}

void taskWait(void *counter, int64_t bits, int64_t amount, int64_t keep,
              int64_t diagnostic) {
  Scheduler::getCurrent()->wait(std::make_unique<CounterCondition>(
                                    Counter(counter, bits), amount, keep != 0),
                                diagnostic);
}

int64_t taskRead(void *counter, int64_t bits) {
  return Scheduler::getCurrent()->read({counter, bits});
}

void taskPause() { Scheduler::getCurrent()->pause(); }

char *taskLocate(char *address, int64_t device, int64_t item) {
  return Scheduler::getCurrent()->locate(address, device, item);
}

int64_t taskDevice() { return Scheduler::getCurrent()->getDevice(); }

char *taskShared(int64_t members) {
  return Scheduler::getCurrent()->getShared(members);
}

/// One dimension of the next copy or access.
void taskDim(int64_t size, int64_t stride0, int64_t stride1) {
  Scheduler::getCurrent()->dims.push_back({size, {stride0, stride1}});
}

void taskCopy(const char *source, char *dest, int64_t bytesPerElement,
              int64_t bytes, void *arrived, int64_t arrivedBits, void *sent,
              int64_t sentBits) {
  StridedRegion region(std::exchange(Scheduler::getCurrent()->dims, {}),
                       bytesPerElement, 2);
  Copy copy{source, dest, std::move(region)};
  copy.bytes = bytes;
  copy.counters = {Counter(arrived, arrivedBits), Counter(sent, sentBits)};
  copy.sites = Scheduler::getCurrent()->sites;
  Scheduler::getCurrent()->startCopy(std::move(copy));
}

void taskArrive(char *barrier, int64_t arrivals, int64_t site) {
  Scheduler::getCurrent()->arrive({barrier, arrivals, site});
}

void taskBarrierWait(char *barrier, int64_t diagnostic, int64_t site) {
  Scheduler::getCurrent()->waitForBarrier(barrier, diagnostic, site);
}

void taskNamedBarrier(int64_t members, int64_t number, int64_t arrivals,
                      int64_t waits, int64_t diagnostic, int64_t site) {
  Scheduler::getCurrent()->meetAtNamedBarrier(members, number, arrivals,
                                              waits != 0, diagnostic, site);
}

int64_t taskBarrierTest(char *barrier, int64_t site) {
  return Scheduler::getCurrent()->testBarrier(barrier, site);
}

/// A copy that ends in an arrival at a barrier, or, without one, belongs to the
/// open group of the task.
void taskBulkCopy(const char *source, char *dest, int64_t bytesPerElement,
                  char *barrier, int64_t arrivals, int64_t site, int64_t count,
                  int64_t copies) {
  Scheduler *scheduler = Scheduler::getCurrent();
  Copy copy{
      source, dest,
      StridedRegion(std::exchange(scheduler->dims, {}), bytesPerElement, 2)};
  copy.sites = scheduler->sites;
  if (barrier)
    copy.arrival = {barrier, arrivals, site, count, copies};
  else
    copy.group = scheduler->getOpenGroup();
  scheduler->startCopy(std::move(copy));
}

/// A copy that is done at once.
void taskMove(const char *source, char *dest, int64_t bytesPerElement,
              int64_t isUpdate) {
  Scheduler *scheduler = Scheduler::getCurrent();
  scheduler->move(
      source, dest,
      StridedRegion(std::exchange(scheduler->dims, {}), bytesPerElement, 2),
      isUpdate != 0);
}

// It returns once for each warp.
[[gnu::no_sanitize("thread")]] int64_t taskStartWarps() {
  return Scheduler::getCurrent()->startWarps();
}

void taskJoinWarps() { Scheduler::getCurrent()->joinWarps(); }

void taskAskForCluster(char *answer, int64_t members, int64_t isAlone,
                       int64_t clustersAtOnce, int64_t site) {
  Scheduler::getCurrent()->askForCluster(answer, members, isAlone,
                                         clustersAtOnce, site);
}

int64_t taskReadAnswer(const char *answer) {
  int64_t item;
  std::memcpy(&item, answer, sizeof(item));
  return item;
}

void taskCommit() { Scheduler::getCurrent()->commitWrites(); }

void taskCloseGroup() { Scheduler::getCurrent()->closeGroup(); }

void taskWaitGroups(int64_t pending, int64_t onlyReads) {
  Scheduler::getCurrent()->waitForGroups(pending, onlyReads != 0);
}

void taskSites(int64_t source, int64_t dest) {
  Scheduler::getCurrent()->sites = {source, dest};
}

/// The indices in a Ref of an element that is in its memory.
std::vector<int64_t> findElement(const Scheduler::Root &root,
                                 const char *address, int64_t bytesPerElement) {
  int64_t rest = root.base ? (address - root.base) / bytesPerElement : 0;
  std::vector<int64_t> indices;
  for (const StridedRegion::Dim &dim : root.dims) {
    int64_t stride = std::max<int64_t>(dim.strides[0], 1);
    indices.push_back(dim.size > 1 ? rest / stride : 0);
    rest -= indices.back() * stride;
  }
  return indices;
}

void taskAccess(const char *base, int64_t bytesPerElement, int64_t kind,
                int64_t site) {
  StridedRegion region(std::exchange(Scheduler::getCurrent()->dims, {}),
                       bytesPerElement, 1);
  std::vector<int64_t> element = findElement(
      std::exchange(Scheduler::getCurrent()->root, {}), base, bytesPerElement);
  Scheduler::getCurrent()->access(base, region, static_cast<AccessKind>(kind),
                                  site, std::move(element));
}

/// The Ref that the next access is to a part of.
void taskRoot(const char *base) {
  Scheduler::getCurrent()->root = {
      base, std::exchange(Scheduler::getCurrent()->dims, {})};
}

void taskSemaphores(const int64_t *counters, int64_t site) {
  Scheduler::getCurrent()->addSemaphores(
      counters, std::exchange(Scheduler::getCurrent()->dims, {}), site);
}

void taskProgram(int64_t number) {
  Scheduler::getCurrent()->setProgram(number);
}

void taskScratch(const char *begin, int64_t bytes) {
  Scheduler::getCurrent()->addScratch(begin, bytes);
}

void taskMemory(const char *base, int64_t bytesPerElement, int64_t isDefined) {
  StridedRegion region(std::exchange(Scheduler::getCurrent()->dims, {}),
                       bytesPerElement, 1);
  Scheduler::getCurrent()->setDefined(base, region, isDefined != 0);
}

void taskTransfer(const char *source, const char *dest,
                  int64_t bytesPerElement) {
  StridedRegion region(std::exchange(Scheduler::getCurrent()->dims, {}),
                       bytesPerElement, 2);
  Scheduler::getCurrent()->transfer(source, dest, region);
}

template <typename Fn> void *toAddress(Fn *function) {
  return reinterpret_cast<void *>(function);
}

} // namespace

std::optional<std::string> runTasks(const Kernel &kernel,
                                    const std::vector<DeviceBuffers> &devices) {
  return Scheduler(kernel, devices).run();
}

std::array<std::pair<const char *, void *>, 30> getTaskSymbols() {
  return {{{"gridirTaskSites", toAddress(&taskSites)},
           {"gridirTaskArrive", toAddress(&taskArrive)},
           {"gridirTaskBarrierWait", toAddress(&taskBarrierWait)},
           {"gridirTaskNamedBarrier", toAddress(&taskNamedBarrier)},
           {"gridirTaskBarrierTest", toAddress(&taskBarrierTest)},
           {"gridirTaskBulkCopy", toAddress(&taskBulkCopy)},
           {"gridirTaskMove", toAddress(&taskMove)},
           {"gridirTaskStartWarps", toAddress(&taskStartWarps)},
           {"gridirTaskJoinWarps", toAddress(&taskJoinWarps)},
           {"gridirTaskAskForCluster", toAddress(&taskAskForCluster)},
           {"gridirTaskReadAnswer", toAddress(&taskReadAnswer)},
           {"gridirTaskCloseGroup", toAddress(&taskCloseGroup)},
           {"gridirTaskCommit", toAddress(&taskCommit)},
           {"gridirTaskWaitGroups", toAddress(&taskWaitGroups)},
           {"gridirTaskSignal", toAddress(&taskSignal)},
           {"gridirTaskWait", toAddress(&taskWait)},
           {"gridirTaskRead", toAddress(&taskRead)},
           {"gridirTaskPause", toAddress(&taskPause)},
           {"gridirTaskLocate", toAddress(&taskLocate)},
           {"gridirTaskShared", toAddress(&taskShared)},
           {"gridirTaskDevice", toAddress(&taskDevice)},
           {"gridirTaskDim", toAddress(&taskDim)},
           {"gridirTaskCopy", toAddress(&taskCopy)},
           {"gridirTaskAccess", toAddress(&taskAccess)},
           {"gridirTaskRoot", toAddress(&taskRoot)},
           {"gridirTaskSemaphores", toAddress(&taskSemaphores)},
           {"gridirTaskProgram", toAddress(&taskProgram)},
           {"gridirTaskScratch", toAddress(&taskScratch)},
           {"gridirTaskMemory", toAddress(&taskMemory)},
           {"gridirTaskTransfer", toAddress(&taskTransfer)}}};
}

} // namespace gridir::cpu
