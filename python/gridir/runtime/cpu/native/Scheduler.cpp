//===- Scheduler.cpp - Which task runs next -------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scheduler.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace gridir::cpu {

namespace {

/// The limit of polls: a kernel that polls a semaphore this often, while
/// nothing else can run, polls forever.
constexpr int64_t kMaxIdlePolls = 1 << 20;

/// With a seed, new work items start while others wait; at most this many at a
/// time.
constexpr std::size_t kMaxLiveTasks = 256;

/// The stack of the runtime functions, in addition to the code of a kernel.
constexpr int64_t kRuntimeStackBytes = 256 << 10;

thread_local Scheduler *current = nullptr;

} // namespace

Scheduler *Scheduler::getCurrent() { return current; }

//===----------------------------------------------------------------------===//
// Selection of the next task
//===----------------------------------------------------------------------===//

/// Reads the sizes of a device's grid; its outputs hold nothing yet.
void Scheduler::prepareGrid(const DeviceBuffers &buffers) {
  std::size_t nextDynamic = 0;
  for (int64_t &size : grids.emplace_back(kernel.info.tasks->grid))
    if (size < 0)
      size = *static_cast<const int32_t *>(buffers.data[nextDynamic++]);
  if (!memory)
    return;
  for (const UnwrittenOperand &operand : kernel.info.tasks->unwritten)
    memory->undefine(buffers.data[operand.operand],
                     buffers.sizes[operand.operand]);
}

bool Scheduler::createTasks() {
  const int64_t numDevices = devices.size();
  int64_t count = 0;
  std::vector<int64_t> ranges;
  for (const DeviceBuffers &device : devices) {
    ranges.push_back(std::max<int64_t>(kernel.range(device.data.data()), 0));
    if (__builtin_add_overflow(count, ranges.back(), &count))
      count = std::numeric_limits<int64_t>::max();
  }
  tasks = allocateArray<Task>(count);
  unstarted = allocateArray<std::size_t>(count);
  if (!tasks || !unstarted) {
    int64_t bytes;
    if (__builtin_mul_overflow(
            count, static_cast<int64_t>(sizeof(Task) + sizeof(std::size_t)),
            &bytes))
      bytes = std::numeric_limits<int64_t>::max();
    lack(bytes, "the state of " + std::to_string(count) + " programs");
    return false;
  }
  for (int64_t device = 0; device < numDevices; ++device) {
    std::vector<SharedMemory> &kinds = shared.emplace_back();
    for (const SharedBytes &kind : kernel.info.tasks->shared)
      kinds.emplace_back(kind, ranges[device]);
    for (int64_t operand : kernel.info.tasks->zeroedOperands)
      std::memset(devices[device].data[operand], 0,
                  devices[device].sizes[operand]);
    prepareGrid(devices[device]);
    firstTasks.push_back(numTasks);
    launches.emplace_back();
    for (int64_t item = 0; item < ranges[device]; ++item) {
      tasks[numTasks].device = device;
      tasks[numTasks].item = item;
      tasks[numTasks].warpgroup = tasks[numTasks].onStack = numTasks;
      ++numTasks;
    }
  }
  for (std::size_t task = numTasks; task-- > 0;)
    unstarted[numUnstarted++] = task;
  if (seeded)
    std::shuffle(unstarted.get(), unstarted.get() + numUnstarted, random);
  return true;
}

std::optional<std::string> Scheduler::run() {
  Scheduler *outer = current;
  current = this;
  if (createTasks())
    while (failure.empty() && !isOver() && step())
      ;
  current = outer;
  if (failure.empty() && isOver()) {
    // Those that were signalled when their task was over, and the shared ones.
    for (std::size_t task = 0; task < numTasks; ++task)
      if (char *arena = tasks[task].arena.get())
        endMemory(arena, kernel.info.arenaBytes, std::nullopt,
                  tasks[task].program, task);
    for (std::size_t device = 0; device < shared.size(); ++device)
      for (std::size_t kind = 0; kind < shared[device].size(); ++kind)
        if (char *base = shared[device][kind].find(/*item=*/0))
          endMemory(base, shared[device][kind].getNumBytes(), kind,
                    {static_cast<int64_t>(device), 0}, firstTasks[device]);
  }
  return describeFailure();
}

/// Takes one step of a task or of a copy; false when there is none to take.
bool Scheduler::step() {
  std::optional<std::size_t> starting;
  if (ready.empty() || polled ||
      (seeded && numTasks - numUnstarted - numDone < kMaxLiveTasks))
    starting = findStarting();
  const bool mayStart = starting.has_value();
  if (!seeded) {
    // In program order: a waiting task continues before another one starts, and
    // copies in flight to another task arrive when all tasks wait.
    bool arrives = !copies.empty() && !mayStart && (ready.empty() || polled);
    polled = false;
    if (arrives) {
      finishCopy(0);
      return true;
    }
    if (!mayStart && ready.empty())
      return false;
    if (mayStart) {
      runTask(pickStarting(*starting));
      return true;
    }
    std::size_t task = ready.front();
    ready.pop_front();
    runTask(task);
    return true;
  }
  std::size_t choices = copies.size() + ready.size() + mayStart;
  if (choices == 0)
    return false;
  std::size_t choice = random() % choices;
  if (choice < copies.size()) {
    finishCopy(choice);
    return true;
  }
  choice -= copies.size();
  if (choice == ready.size()) {
    runTask(pickStarting(*starting));
    return true;
  }
  std::size_t task = ready[choice];
  ready.erase(ready.begin() + choice);
  runTask(task);
  return true;
}

std::size_t Scheduler::pickStarting(std::size_t position) {
  std::size_t task = unstarted[position];
  std::move(unstarted.get() + position + 1, unstarted.get() + numUnstarted,
            unstarted.get() + position);
  --numUnstarted;
  return task;
}

void Scheduler::lack(int64_t bytes, const std::string &purpose) {
  if (failure.empty())
    failure = describeLackOfMemory(kernel.info, bytes, purpose);
}

void Scheduler::fail(const Misuse &misuse) {
  if (failure.empty())
    failure = describeMisuse(kernel.info, misuse);
}

/// Runs a task until it waits, pauses or ends.
void Scheduler::runTask(std::size_t index) {
  running = index;
  Task &task = getWorkItem();
  if (!task.fiber)
    prepare(task);
  if (!failure.empty())
    return;
  if (task.onStack != index) {
    getTask(task.onStack).frames = task.fiber->save();
    task.fiber->restore(*getTask(index).frames);
    task.onStack = index;
  }
  task.fiber->resume();
  if (std::exchange(task.startsWarps, false))
    createWarps(task, index);
  if (task.fiber->isDone())
    finish(task);
}

/// Allocates the memory and the stack of a new task, or reports that there is
/// none.
void Scheduler::prepare(Task &task) {
  if (!getArena(task))
    return;
  if (idleFibers.empty()) {
    // A kernel is not reentrant, so its stack is bounded.
    const int64_t bytes = kernel.info.stackBytes + kRuntimeStackBytes;
    task.fiber = Fiber::create(bytes);
    if (!task.fiber)
      return lack(bytes, "the stack of a program, beside " +
                             std::to_string(numTasks - numUnstarted - 1) +
                             " that have started");
  } else {
    task.fiber = std::move(idleFibers.back());
    idleFibers.pop_back();
  }
  task.hasStarted = true;
  task.program = {static_cast<int64_t>(task.device), task.item};
  if (races)
    task.thread = races->fork(std::nullopt, task.program);
  task.fiber->start([this, &task] {
    kernel.invoke(devices[task.device].data.data(), task.status.data(),
                  task.item, task.item + 1, task.arena.get());
  });
}

void Scheduler::finish(Task &task) {
  ++numDone;
  idlePolls = 0;
  // A copy without a wait completes before its memory is reused.
  for (std::size_t number = 0; number < copies.size();) {
    if (getTask(copies[number].task).warpgroup == running)
      finishCopy(number);
    else
      ++number;
  }
  if (races)
    races->join(task.thread);
  idleFibers.push_back(std::move(task.fiber));
  const int64_t clusterItems = kernel.info.tasks->clusterItems;
  const std::size_t first = getFirstOfCluster(task);
  if (++tasks[first].numDoneOfCluster < clusterItems)
    return;
  for (int64_t i = 0; i < clusterItems; ++i)
    recycleMemory(first + i);
  Launches &ofDevice = launches[task.device];
  ++ofDevice.numDone;
  if (ofDevice.numLaunched)
    ++*ofDevice.numLaunched;
}

void Scheduler::recycleMemory(std::size_t index) {
  Task &task = tasks[index];
  endMemory(task.arena.get(), kernel.info.arenaBytes, std::nullopt,
            task.program, index);
  for (std::size_t kind = 0; kind < shared[task.device].size(); ++kind) {
    SharedMemory &memory = shared[task.device][kind];
    if (char *base = memory.leave(task.item)) {
      endMemory(base, memory.getNumBytes(), kind, task.program,
                firstTasks[task.device] + memory.getFirstItem(task.item));
      memory.recycle(task.item);
    }
  }
  idleArenas.push_back(std::move(task.arena));
}

void Scheduler::abandon() {
  while (true)
    suspend();
}

//===----------------------------------------------------------------------===//
// Operations of a task
//===----------------------------------------------------------------------===//

/// Lets other tasks run, if that is observable.
void Scheduler::pause() {
  if (!seeded)
    return;
  ready.push_back(running);
  suspend();
}

void Scheduler::wake(const void *object) {
  idlePolls = 0;
  auto isWoken = [&](std::size_t task) {
    const std::unique_ptr<Condition> &condition = getTask(task).condition;
    return condition && condition->getObject() == object;
  };
  auto rest =
      std::stable_partition(blocked.begin(), blocked.end(),
                            [&](std::size_t task) { return !isWoken(task); });
  ready.insert(ready.end(), rest, blocked.end());
  blocked.erase(rest, blocked.end());
}

void Scheduler::signal(Counter counter, int64_t amount) {
  if (races)
    races->signal(getTask(running).thread, counter.getAddress(), amount,
                  counter.getExact());
  counter.add(amount);
  wake(counter.getAddress());
  pause();
}

void Scheduler::wait(std::unique_ptr<Condition> condition, int64_t diagnostic) {
  pause();
  Task &task = getTask(running);
  task.condition = std::move(condition);
  task.diagnostic = diagnostic;
  while (!task.condition->holds()) {
    blocked.push_back(running);
    suspend();
  }
  if (races)
    task.condition->order(*races, task.thread);
  std::optional<Misuse> misuse = task.condition->consume();
  task.condition = nullptr;
  if (misuse) {
    fail(*misuse);
    abandon();
  }
}

//===----------------------------------------------------------------------===//
// Barriers and groups of copies
//===----------------------------------------------------------------------===//

void Scheduler::complete(const Arrival &arrival) {
  // A GPU allows phases that are not observed.
  const int64_t phase = barriers.getPhase(arrival.barrier);
  std::optional<Misuse> misuse = barriers.arrive(arrival);
  if (races && barriers.getPhase(arrival.barrier) != phase)
    races->completePhase(arrival.barrier);
  if (misuse && kernel.info.tasks->semaphores)
    fail(*misuse);
  wake(arrival.barrier);
}

void Scheduler::arrive(const Arrival &arrival) {
  if (races)
    races->arrive(getTask(running).thread, arrival.barrier);
  complete(arrival);
  if (!failure.empty())
    abandon();
  pause();
}

/// Returns the number of a task in messages: among those that share the
/// barrier.
int64_t Scheduler::getThread(const char *barrier) const {
  const Task &task = getTask(running);
  for (const SharedMemory &kind : shared[task.device]) {
    const char *base = kind.find(task.item);
    if (base && base <= barrier && barrier < base + kind.getNumBytes())
      return task.item - kind.getFirstItem(task.item);
  }
  return 0;
}

/// True if all warps of the task run the same code, after code of single warps.
bool Scheduler::isWholeWarpgroup() {
  return getWorkItem().firstWarp && !getWorkItem().hasWarps;
}

void Scheduler::waitForBarrier(char *barrier, int64_t diagnostic,
                               int64_t site) {
  Observer observer(getTask(running).warpgroup, getTask(running).warp);
  if (isWholeWarpgroup()) {
    if (std::optional<Misuse> misuse =
            barriers.checkWarps(barrier, observer.first, kNumWarps, site)) {
      fail(*misuse);
      abandon();
    }
  }
  wait(std::make_unique<BarrierCondition>(barriers, barrier, observer,
                                          getThread(barrier), site),
       diagnostic);
  if (isWholeWarpgroup())
    for (int64_t warp = 1; warp < kNumWarps; ++warp)
      barriers.skip(barrier, {observer.first, warp});
}

void Scheduler::meetAtNamedBarrier(int64_t members, int64_t number,
                                   int64_t arrivals, bool waits,
                                   int64_t diagnostic, int64_t site) {
  const Task &task = getTask(running);
  int64_t block = task.item - task.item % members;
  char *barrier = &namedBarriers[{task.device, block, number}];
  int64_t end = isWholeWarpgroup() ? kNumWarps : task.warp + 1;
  for (int64_t warp = task.warp; warp < end; ++warp)
    barriers.join(barrier, {task.warpgroup, warp});
  Arrival arrival = {barrier, arrivals, site};
  arrival.count = getWorkItem().hasWarps ? 1 : kNumWarps;
  arrive(arrival);
  if (waits)
    waitForBarrier(barrier, diagnostic, site);
}

bool Scheduler::testBarrier(char *barrier, int64_t site) {
  if (!barriers.isComplete(
          barrier, {getTask(running).warpgroup, getTask(running).warp})) {
    poll();
    return false;
  }
  waitForBarrier(barrier, /*diagnostic=*/0, site);
  return true;
}

void Scheduler::waitForGroups(int64_t pending, bool onlyReads) {
  // The groups of each warp are ordered independently.
  auto isOwn = [this, waiting = running](std::size_t task) {
    return task == waiting ||
           (getTask(task).warpgroup == waiting && !getTask(waiting).hasWarps);
  };
  auto countPending = [this, pending, isOwn] {
    return std::count_if(copies.begin(), copies.end(), [&](const Copy &copy) {
      return isOwn(copy.task) && copy.group &&
             *copy.group < getTask(copy.task).numGroups - pending;
    });
  };
  wait(std::make_unique<NothingLeft>(&getWorkItem(), countPending),
       /*diagnostic=*/0);
  if (!races)
    return;
  auto acquireFrom = [&](std::size_t index) {
    Task &task = getTask(index);
    const auto end = task.groups.lower_bound(task.numGroups - pending);
    for (auto group = task.groups.begin(); group != end; ++group)
      races->acquire(getTask(running).thread,
                     onlyReads ? group->second.reads : group->second.all);
    if (!onlyReads)
      task.groups.erase(task.groups.begin(), end);
  };
  acquireFrom(running);
  if (const Task &own = getTask(running); own.firstWarp)
    for (int64_t warp = 1; warp < kNumWarps; ++warp)
      if (std::size_t index = *own.firstWarp + warp - 1; isOwn(index))
        acquireFrom(index);
}

/// A polling task may depend on others, so they must run.
void Scheduler::poll() {
  if (++idlePolls > kMaxIdlePolls) {
    // It remains blocked: nothing can change its condition.
    blocked.push_back(running);
    suspend();
  }
  polled = true;
  ready.push_back(running);
  suspend();
}

int64_t Scheduler::read(Counter counter) {
  poll();
  const int64_t current = counter.get();
  if (races)
    races->wait(getTask(running).thread, counter.getAddress(), current,
                /*keeps=*/true, counter.getExact());
  return current;
}

} // namespace gridir::cpu
