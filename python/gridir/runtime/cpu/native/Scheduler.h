//===- Scheduler.h - Which task runs next ---------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_SCHEDULER_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_SCHEDULER_H

#include "Barriers.h"
#include "Carries.h"
#include "CheckReport.h"
#include "Condition.h"
#include "Counter.h"
#include "DefinedMemory.h"
#include "Fiber.h"
#include "Memory.h"
#include "Races.h"
#include "SharedMemory.h"
#include "StridedRegion.h"
#include "Tasks.h"
#include "UncommittedWrites.h"

#include <deque>
#include <map>
#include <random>

namespace gridir::cpu {

/// The number of warps of a warpgroup.
inline constexpr int64_t kNumWarps = 4;

/// The code of one work item, or of one warp of it while each runs its own.
struct Task {
  int64_t device = 0;
  int64_t item = 0;
  /// The task of the work item; this is the warp of that number, and the first
  /// warp is the task itself.
  std::size_t warpgroup = 0;
  int64_t warp = 0;
  /// Its continuation, while the stack has the frames of another warp.
  std::optional<Fiber::Frames> frames;
  // The following fields up to the condition belong to the work item.
  /// The other warps, once there are some, and whether they run.
  std::optional<std::size_t> firstWarp;
  bool startsWarps = false, hasWarps = false;
  int64_t numJoined = 0;
  /// For the first work item of a cluster: the number of work items that have
  /// ended.
  int64_t numDoneOfCluster = 0;
  bool hasStarted = false;
  /// The number of its requests for a cluster, for itself or for its block.
  std::size_t numAsked = 0;
  /// The warp whose frames are on the stack.
  std::size_t onStack = 0;
  Array<char> arena;
  std::unique_ptr<Fiber> fiber;
  Status status = {};
  /// The condition for which it waits, with the check that fails if nothing can
  /// satisfy it. Null for a task that has polled too often.
  std::unique_ptr<Condition> condition;
  int64_t diagnostic = 0;
  /// The groups of copies that it has closed.
  int64_t numGroups = 0;
  /// The events of copies that have ended and that no wait follows yet, by
  /// group: up to their reads, and all.
  struct Group {
    VectorClock reads, all;
  };
  std::map<int64_t, Group> groups;
  Program program;
  RaceDetector::Thread thread = 0;
};

/// A copy that was started and is not done.
struct Copy {
  const char *source;
  char *dest;
  StridedRegion region;
  /// The amounts that are added to semaphores at its completion.
  int64_t bytes = 0;
  std::array<Counter, 2> counters = {};
  /// Sites of its reads and its writes.
  std::array<int64_t, 2> sites = {};
  /// The barrier that it arrives at when it is done, if any.
  Arrival arrival = {};
  /// The group of its task's copies that it belongs to, if to one.
  std::optional<int64_t> group = {};
  std::size_t task = 0;
  RaceDetector::Thread thread = 0;

  /// Only a copy to another task also counts at its sender.
  bool isRemote() const { return counters[1].getAddress(); }
};

/// The tasks of one call; one runs at a time.
class Scheduler {
public:
  Scheduler(const Kernel &kernel, const std::vector<DeviceBuffers> &devices)
      : kernel(kernel), devices(devices), seeded(kernel.info.tasks->seed),
        random(kernel.info.tasks->seed.value_or(0)) {
    const TaskInfo &info = *kernel.info.tasks;
    if (info.races)
      races.emplace();
    if (info.races || info.uninitialized)
      memory.emplace();
  }

  /// Runs all tasks, and returns the error message, or none.
  std::optional<std::string> run();

  /// The scheduler whose task runs on this thread.
  static Scheduler *getCurrent();

  // Called by the task that runs.
  void signal(Counter counter, int64_t amount);
  void wait(std::unique_ptr<Condition> condition, int64_t diagnostic);
  int64_t read(Counter counter);
  char *locate(char *address, int64_t device, int64_t item);
  /// Memory that the task shares with `members` tasks, or all.
  char *getShared(int64_t members);
  int64_t getDevice() { return devices[getTask(running).device].number; }
  void startCopy(Copy copy);
  /// Copies immediately, as an access of the running task.
  void move(const char *source, char *dest, const StridedRegion &region,
            bool isUpdate);
  void arrive(const Arrival &arrival);
  /// The task sees the next phase of a barrier; `site` is where it waits.
  void waitForBarrier(char *barrier, int64_t diagnostic, int64_t site);
  bool testBarrier(char *barrier, int64_t site);
  /// The task arrives at a barrier that its CTA identifies by a number, and
  /// waits there if requested. `members` tasks are its warpgroups. A warpgroup
  /// arrives with all of its warps, a warp alone.
  void meetAtNamedBarrier(int64_t members, int64_t number, int64_t arrivals,
                          bool waits, int64_t diagnostic, int64_t site);
  /// The group that copies belong to, which ends with `closeGroup`.
  int64_t getOpenGroup() { return getTask(running).numGroups; }
  void closeGroup() { ++getTask(running).numGroups; }
  /// Waits until at most `pending` of the last closed groups are pending. With
  /// `onlyReads`, the others have read their sources.
  void waitForGroups(int64_t pending, bool onlyReads);
  void pause();
  /// Each warp of the task continues from here with separate locals, and
  /// receives its number. The warps end at the join; the task continues when
  /// all have joined.
  int64_t startWarps();
  void joinWarps();
  /// The task requests a cluster that has not begun, for its CTA of `members`
  /// tasks; all CTAs of a cluster get the same answers. If it `isAlone`, it
  /// requests for itself, and gets the answers of its counterparts in the other
  /// CTAs. From then on, at most `clustersAtOnce` clusters of a call run at a
  /// time.
  void askForCluster(char *answer, int64_t members, bool isAlone,
                     int64_t clustersAtOnce, int64_t site);

  /// `element` are the indices of the first element if the site asks for them.
  void access(const char *base, const StridedRegion &region, AccessKind kind,
              int64_t site, std::vector<int64_t> element);
  /// The task goes on with the program of this number in the order of the grid.
  void setProgram(int64_t number);
  /// Scratch of the task, which is at the same offset in every task's memory.
  void addScratch(const char *begin, int64_t bytes);
  /// Counters that must be zero at the end, in the memory of each task or in
  /// shared memory.
  void addSemaphores(const int64_t *counters,
                     const std::vector<StridedRegion::Dim> &dims, int64_t site);
  /// Memory of the task holds something, or nothing, from now on.
  void setDefined(const char *base, const StridedRegion &region,
                  bool isDefined);
  void transfer(const char *source, const char *dest,
                const StridedRegion &region);
  /// Copies may see the earlier stores of the task's CTA to its memory.
  void commitWrites();

  /// The kernel's description of the next copy or access.
  std::vector<StridedRegion::Dim> dims;
  std::array<int64_t, 2> sites = {};
  /// The Ref that an access is to a part of, where messages name its elements.
  struct Root {
    const char *base = nullptr;
    std::vector<StridedRegion::Dim> dims;
  } root;

private:
  void prepareGrid(const DeviceBuffers &buffers);
  bool createTasks();
  bool isOver() const { return numDone == numTasks && copies.empty(); }
  Task &getTask(std::size_t index) {
    return index < numTasks ? tasks[index] : *warps[index - numTasks];
  }
  const Task &getTask(std::size_t index) const {
    return index < numTasks ? tasks[index] : *warps[index - numTasks];
  }
  /// The work item that runs, whichever of its warps does.
  Task &getWorkItem() { return tasks[getTask(running).warpgroup]; }
  bool isWholeWarpgroup();
  void suspend() { getWorkItem().fiber->suspend(); }
  void createWarps(Task &task, std::size_t index);
  bool step();
  void runTask(std::size_t task);
  void prepare(Task &task);
  void finish(Task &task);
  /// Frees the memory of a task that has ended, and memory that it shared as
  /// the last one.
  void recycleMemory(std::size_t index);
  void finishCopy(std::size_t number);
  void noteEnd(const Copy &copy);
  void poison(const Copy &copy);
  /// Wakes the tasks that wait for a changed object.
  void wake(const void *object);
  /// Applies an arrival to a barrier.
  void complete(const Arrival &arrival);
  /// Ends the call: the first reason counts.
  void fail(const Misuse &misuse);
  /// The task that runs does not go on, since the call has ended.
  void abandon();
  /// Memory of this kind is used for something else from now on. `firstTask` is
  /// the first of the tasks that share it.
  void endMemory(char *base, int64_t bytes, std::optional<std::size_t> kind,
                 Program last, std::size_t firstTask);
  void poll();
  int64_t getThread(const char *barrier) const;
  char *getArena(Task &task);
  char *getShared(SharedMemory &kind, int64_t item);
  /// Remembers a semaphore in some memory that is not zero in the end: in that
  /// of a task, or in shared memory of this kind.
  void checkSemaphores(const char *base, std::optional<std::size_t> kind,
                       Program last);
  void use(const char *base, const StridedRegion &region,
           RaceDetector::Access read);
  /// The offset of an address in a task's memory, if any.
  std::optional<CarryFinder::ByteRange>
  findInArena(const Task &task, const char *begin, int64_t bytes) const;
  /// True if an address is in memory of a task or in shared memory of the
  /// tasks.
  bool isOwn(const char *address) const;
  /// The first task of the block that the running task is one of.
  std::size_t getBlock() const;
  /// Reports a copy that may not see the data that it reads.
  void checkCommitted(const Copy &copy);
  std::optional<std::string> describeUnwritten() const;
  /// Where the next task to start is among those that have not; none where all
  /// others wait for room.
  std::optional<std::size_t> findStarting() const;
  std::size_t pickStarting(std::size_t position);
  std::size_t getFirstOfCluster(const Task &task) const {
    return task.warpgroup - task.item % kernel.info.tasks->clusterItems;
  }
  /// Takes the next cluster of a device that has not begun: its first work
  /// item, or -1.
  int64_t takeCluster(std::size_t device, int64_t clustersAtOnce);
  void lack(int64_t bytes, const std::string &purpose);
  std::optional<std::string> describeRace() const;
  std::optional<std::string> describeFailure() const;

  const Kernel &kernel;
  const std::vector<DeviceBuffers> &devices;
  const bool seeded;
  std::mt19937_64 random;

  /// All tasks, those of a device in the order of its work items.
  Array<Task> tasks;
  std::size_t numTasks = 0;
  /// The warps of tasks, but for their first ones, numbered after the tasks.
  std::vector<std::unique_ptr<Task>> warps;
  std::vector<std::size_t> firstTasks;
  /// The kinds of memory that tasks share, for each device.
  std::vector<std::vector<SharedMemory>> shared;
  Barriers barriers;
  /// Where the barriers are that have numbers: by the device, the first work
  /// item of the block, and the number.
  std::map<std::array<int64_t, 3>, char> namedBarriers;
  /// The tasks that have not started, the next one last.
  Array<std::size_t> unstarted;
  std::size_t numUnstarted = 0;
  /// Of a device: the clusters that are over, and the number of those that may
  /// have begun, which are the first ones, once a block has asked.
  struct Launches {
    int64_t numDone = 0;
    std::optional<int64_t> numLaunched;
  };
  std::vector<Launches> launches;
  /// The answers for the CTAs of a cluster, by its first task.
  std::map<std::size_t, std::vector<int64_t>> answers;
  /// Those that could go on, and those that wait for a semaphore.
  std::deque<std::size_t> ready;
  std::vector<std::size_t> blocked;
  std::vector<Copy> copies;
  std::size_t running = 0, numDone = 0;
  int64_t idlePolls = 0;
  bool polled = false;
  /// The reason why the call ended early; no task runs after that.
  std::string failure;
  /// None if races are not checked.
  std::optional<RaceDetector> races;
  /// None if reads of uninitialized memory are not checked.
  std::optional<DefinedMemory> memory;
  CarryFinder carries;
  UncommittedWrites uncommitted;
  std::optional<RaceDetector::Access> unwrittenRead;
  /// Where the semaphores are that are looked at in the end: in which kind of
  /// shared memory, if in any, how far from its begin, and their shape and
  /// site.
  struct Semaphores {
    std::vector<int64_t> shape;
    int64_t site;
  };
  std::map<std::pair<std::optional<std::size_t>, int64_t>, Semaphores>
      semaphores;
  std::optional<LeftSemaphore> leftSemaphore;
  /// The programs along each dimension, for each device.
  GridSizes grids;
  /// Stacks and arenas of tasks that are done.
  std::vector<std::unique_ptr<Fiber>> idleFibers;
  std::vector<Array<char>> idleArenas;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_SCHEDULER_H
