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

namespace gridir::cpu {

namespace {

/// A kernel that only looks at semaphores so often, while nothing else can
/// happen, looks forever.
constexpr int64_t kMaxIdlePolls = 1 << 20;

/// With a seed, new work items start while others wait; so many at a time.
constexpr std::size_t kMaxLiveTasks = 256;

/// Beside what the code of a kernel takes: what it calls of the runtime.
constexpr int64_t kRuntimeStackBytes = 256 << 10;

thread_local Scheduler *current = nullptr;

} // namespace

Scheduler *Scheduler::getCurrent() { return current; }

//===----------------------------------------------------------------------===//
// What runs next
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
    for (int64_t item = 0; item < ranges[device]; ++item) {
      tasks[numTasks].device = device;
      tasks[numTasks].item = item;
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
      if (tasks[task].arena)
        checkSemaphores(tasks[task].arena.get(), std::nullopt,
                        tasks[task].program);
    for (std::size_t device = 0; device < shared.size(); ++device)
      for (std::size_t kind = 0; kind < shared[device].size(); ++kind)
        for (auto [base, item] : shared[device][kind].getAll())
          checkSemaphores(base, kind, {static_cast<int64_t>(device), 0});
  }
  return describeFailure();
}

/// Takes one step of a task or of a copy; false when there is none to take.
bool Scheduler::step() {
  bool mayStart =
      numUnstarted > 0 &&
      (ready.empty() || polled ||
       (seeded && numTasks - numUnstarted - numDone < kMaxLiveTasks));
  if (!seeded) {
    // In program order: who was waiting goes on before another one starts, and
    // what is on its way to another task arrives when all wait.
    bool arrives = !copies.empty() && !mayStart && (ready.empty() || polled);
    polled = false;
    if (arrives) {
      finishCopy(0);
      return true;
    }
    if (!mayStart && ready.empty())
      return false;
    if (mayStart) {
      runTask(pickStarting());
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
    runTask(pickStarting());
    return true;
  }
  std::size_t task = ready[choice];
  ready.erase(ready.begin() + choice);
  runTask(task);
  return true;
}

std::size_t Scheduler::pickStarting() { return unstarted[--numUnstarted]; }

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
  Task &task = tasks[index];
  running = index;
  if (!task.fiber)
    prepare(task);
  if (!failure.empty())
    return;
  task.fiber->resume();
  if (task.fiber->isDone())
    finish(task);
}

/// Gives a task that starts its memory and a stack, or says that there is none.
void Scheduler::prepare(Task &task) {
  if (!getArena(task))
    return;
  if (idleFibers.empty()) {
    // A kernel calls nothing that calls it back, so that its stack is bounded.
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
  // A copy that nobody waited for is done before its memory is used again.
  for (std::size_t place = 0; place < copies.size();) {
    if (copies[place].task == running)
      finishCopy(place);
    else
      ++place;
  }
  checkSemaphores(task.arena.get(), std::nullopt, task.program);
  endSharedMemory(task);
  if (races) {
    races->join(task.thread);
    races->forget(task.arena.get(), kernel.info.arenaBytes);
  }
  idleFibers.push_back(std::move(task.fiber));
  idleArenas.push_back(std::move(task.arena));
}

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
  Task &task = tasks[running];
  const std::vector<SharedBytes> &kinds = kernel.info.tasks->shared;
  auto kind = std::find_if(kinds.begin(), kinds.end(),
                           [&](const SharedBytes &kind) {
                             return kind.members == members;
                           });
  bool isNew = false;
  char *base = shared[task.device][kind - kinds.begin()].get(task.item, isNew);
  if (!base) {
    lack(kind->bytes, "what programs share");
    abandon(task);
  }
  if (memory && isNew)
    memory->undefine(base, kind->bytes);
  return base;
}

/// What only the tasks of a group share that is over with this one is not used
/// any more.
void Scheduler::endSharedMemory(Task &task) {
  for (SharedMemory &kind : shared[task.device]) {
    char *base = kind.leave(task.item);
    if (!base)
      continue;
    checkSemaphores(base, &kind - shared[task.device].data(), task.program);
    if (auto misuse = barriers.forget(base, kind.getNumBytes(),
                                      firstTasks[task.device] +
                                          kind.getFirstItem(task.item)))
      fail(*misuse);
    if (races)
      races->forget(base, kind.getNumBytes());
    kind.recycle(task.item);
  }
}

void Scheduler::abandon(Task &task) {
  while (true)
    task.fiber->suspend();
}

//===----------------------------------------------------------------------===//
// What a task does
//===----------------------------------------------------------------------===//

/// Lets others run here, if they may be seen to.
void Scheduler::pause() {
  if (!seeded)
    return;
  ready.push_back(running);
  tasks[running].fiber->suspend();
}

void Scheduler::wake(const void *object) {
  idlePolls = 0;
  auto isWoken = [&](std::size_t task) {
    const Condition *condition = tasks[task].condition;
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
    races->release(tasks[running].thread, counter.getAddress());
  counter.add(amount);
  wake(counter.getAddress());
  pause();
}

void Scheduler::wait(Condition &condition, int64_t diagnostic) {
  pause();
  Task &task = tasks[running];
  task.condition = &condition;
  task.diagnostic = diagnostic;
  while (!condition.holds()) {
    blocked.push_back(running);
    task.fiber->suspend();
  }
  task.condition = nullptr;
  if (races)
    races->acquire(task.thread, condition.getObject());
  if (std::optional<Misuse> misuse = condition.consume()) {
    fail(*misuse);
    abandon(task);
  }
}

//===----------------------------------------------------------------------===//
// Barriers and groups of copies
//===----------------------------------------------------------------------===//

void Scheduler::complete(const Arrival &arrival) {
  if (std::optional<Misuse> misuse = barriers.arrive(
          arrival.barrier, arrival.arrivals, arrival.site))
    fail(*misuse);
  wake(arrival.barrier);
}

void Scheduler::arrive(const Arrival &arrival) {
  if (races)
    races->release(tasks[running].thread, arrival.barrier);
  complete(arrival);
  if (!failure.empty())
    abandon(tasks[running]);
  pause();
}

/// What messages call a task: its place among those that share the barrier.
int64_t Scheduler::getThread(const char *barrier) const {
  const Task &task = tasks[running];
  for (const SharedMemory &kind : shared[task.device]) {
    const char *base = kind.find(task.item);
    if (base && base <= barrier && barrier < base + kind.getNumBytes())
      return task.item - kind.getFirstItem(task.item);
  }
  return 0;
}

void Scheduler::waitForBarrier(char *barrier, int64_t diagnostic,
                               int64_t site) {
  BarrierCondition condition(barriers, barrier, running, getThread(barrier),
                             site);
  wait(condition, diagnostic);
}

bool Scheduler::testBarrier(char *barrier, int64_t site) {
  if (!barriers.isComplete(barrier, running)) {
    poll();
    return false;
  }
  waitForBarrier(barrier, /*diagnostic=*/0, site);
  return true;
}

namespace {

/// Only the last of a task's groups of copies may be pending.
class GroupCondition final : public Condition {
public:
  GroupCondition(const Task &task, const std::vector<Copy> &copies,
                 std::size_t index, int64_t end)
      : task(task), copies(copies), index(index), end(end) {}

  const void *getObject() const override { return &task; }
  bool holds() const override { return countPending() == 0; }
  std::optional<Misuse> consume() override { return std::nullopt; }
  std::array<int64_t, 2> describe() const override {
    return {countPending(), 0};
  }

private:
  int64_t countPending() const {
    return std::count_if(copies.begin(), copies.end(), [&](const Copy &copy) {
      return copy.task == index && copy.group && *copy.group < end;
    });
  }

  const Task &task;
  const std::vector<Copy> &copies;
  std::size_t index;
  int64_t end;
};

} // namespace

void Scheduler::waitForGroups(int64_t pending) {
  Task &task = tasks[running];
  GroupCondition condition(task, copies, running, task.numGroups - pending);
  wait(condition, /*diagnostic=*/0);
}

/// A task that looks may look until it sees something: others must run.
void Scheduler::poll() {
  if (++idlePolls > kMaxIdlePolls) {
    // It stays away: nobody can change what it looks at.
    blocked.push_back(running);
    tasks[running].fiber->suspend();
  }
  polled = true;
  ready.push_back(running);
  tasks[running].fiber->suspend();
}

int64_t Scheduler::read(Counter counter) {
  poll();
  if (races)
    races->acquire(tasks[running].thread, counter.getAddress());
  return counter.get();
}

/// The same place in the memory of another device or work item; -1 stands for
/// the own one.
char *Scheduler::locate(char *address, int64_t device, int64_t item) {
  const Task &own = tasks[running];
  auto isWithin = [&](const void *base, int64_t bytes) {
    auto *begin = static_cast<const char *>(base);
    return begin <= address && address < begin + bytes;
  };
  const int64_t target = device < 0 ? own.device : device;
  const DeviceBuffers &from = devices[own.device], &to = devices[target];
  if (char *arena = own.arena.get(); isWithin(arena, kernel.info.arenaBytes)) {
    std::size_t index = firstTasks[target] + (item < 0 ? own.item : item);
    // A device whose grid is empty has nobody to receive.
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
    bool isNew = false;
    char *there = to.get(item < 0 ? own.item : item, isNew);
    if (!there)
      lack(to.getNumBytes(), "what programs share");
    return there ? there + (address - base) : address;
  }
  for (std::size_t i = 0; i < from.data.size(); ++i) {
    auto *base = static_cast<char *>(from.data[i]);
    if (isWithin(base, from.sizes[i]))
      return static_cast<char *>(to.data[i]) + (address - base);
  }
  return address;
}

void Scheduler::startCopy(Copy copy) {
  copy.task = running;
  if (races)
    copy.thread = races->fork(tasks[running].thread, tasks[running].program);
  copies.push_back(std::move(copy));
  if (!seeded && !copies.back().isRemote())
    finishCopy(copies.size() - 1);
  pause();
}

void Scheduler::finishCopy(std::size_t place) {
  Copy copy = std::move(copies[place]);
  copies.erase(copies.begin() + place);
  copy.region.forEachRun([&](int64_t from, int64_t to, int64_t bytes) {
    std::memmove(copy.dest + to, copy.source + from, bytes);
  });
  if (memory) {
    copy.region.forEachRun([&](int64_t from, int64_t to, int64_t bytes) {
      memory->copy(copy.source + from, copy.dest + to, bytes);
      if (auto place = findInArena(tasks[copy.task], copy.dest + to, bytes))
        carries.write(
            copy.task, *place,
            {copy.sites[1], tasks[copy.task].program, AccessKind::Write});
    });
  }
  if (races) {
    copy.region.forEachRun([&](int64_t from, int64_t to, int64_t bytes) {
      races->access(copy.thread, copy.source + from, bytes, AccessKind::Read,
                    copy.sites[0]);
      races->access(copy.thread, copy.dest + to, bytes, AccessKind::Write,
                    copy.sites[1]);
    });
    for (const void *object : {static_cast<const void *>(copy.counters[0].getAddress()), static_cast<const void*>(copy.counters[1].getAddress()),
                               static_cast<const void *>(copy.arrival.barrier)})
      if (object)
        races->release(copy.thread, object);
    races->join(copy.thread);
  }
  for (Counter counter : copy.counters)
    if (counter.getAddress()) {
      counter.add(copy.bytes);
      wake(counter.getAddress());
    }
  if (copy.arrival.barrier)
    complete(copy.arrival);
  if (copy.group)
    wake(&tasks[copy.task]);
}

void Scheduler::setProgram(int64_t number) {
  Task &task = tasks[running];
  task.program.number = number;
  if (races)
    races->setProgram(task.thread, task.program);
}

std::optional<CarryFinder::Place> Scheduler::findInArena(const Task &task,
                                                         const char *begin,
                                                         int64_t bytes) const {
  const char *arena = task.arena.get();
  if (begin < arena || begin + bytes > arena + kernel.info.arenaBytes)
    return std::nullopt;
  return CarryFinder::Place{begin - arena, begin - arena + bytes};
}

void Scheduler::addScratch(const char *begin, int64_t bytes) {
  if (auto place = findInArena(tasks[running], begin, bytes))
    carries.addScratch(*place);
}

void Scheduler::addSemaphores(const int64_t *counters,
                              const std::vector<StridedRegion::Dim> &dims,
                              int64_t site) {
  const char *begin = reinterpret_cast<const char *>(counters);
  const Task &task = tasks[running];
  std::optional<CarryFinder::Place> place =
      findInArena(task, begin, sizeof(*counters));
  Semaphores added{{}, site};
  for (const StridedRegion::Dim &dim : dims)
    added.shape.push_back(dim.size);
  if (place) {
    semaphores[{std::nullopt, place->begin}] = added;
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
                                std::optional<std::size_t> kind,
                                Program last) {
  for (const auto &[place, array] : semaphores) {
    if (place.first != kind)
      continue;
    const auto *counters =
        reinterpret_cast<const int64_t *>(base + place.second);
    int64_t count = 1;
    for (int64_t size : array.shape)
      count *= size;
    for (int64_t number = 0; number < count; ++number)
      if (counters[number] != 0 && !leftSemaphore)
        leftSemaphore = {array.site, last, array.shape, number,
                         counters[number]};
  }
}

void Scheduler::setDefined(const char *begin, int64_t bytes, bool isDefined) {
  if (!memory)
    return;
  if (isDefined)
    memory->define(begin, bytes);
  else
    memory->undefine(begin, bytes);
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
  const Task &task = tasks[running];
  if (kind == AccessKind::Use)
    return use(base, region, {site, task.program, kind, std::move(element)});
  region.forEachRun([&](int64_t offset, int64_t, int64_t bytes) {
    if (races)
      races->access(task.thread, base + offset, bytes, kind, site);
    if (!memory || kind == AccessKind::Read)
      return;
    memory->define(base + offset, bytes);
    if (auto place = findInArena(tasks[running], base + offset, bytes))
      carries.write(running, *place, {site, task.program, kind});
  });
}

/// Something depends on what is there. Where a part of it was written the rest
/// is taken for padding, as of a buffer that is larger than what it holds.
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
    if (auto place = findInArena(tasks[running], base + offset, bytes))
      carries.readUnwritten(running, *place, read);
  });
}

//===----------------------------------------------------------------------===//
// What went wrong
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

std::optional<std::string> Scheduler::describeFailure() const {
  if (!failure.empty())
    return failure;
  for (std::size_t task = 0; task < numTasks; ++task)
    if (tasks[task].status[0] != 0)
      return describeCheck(kernel.info, tasks[task].status);
  if (races && races->getRace())
    return describeRace(kernel.info, grids, *races->getRace());
  if (races && carries.getCarry())
    return describeRace(kernel.info, grids, *carries.getCarry());
  bool looksForUnwritten = kernel.info.tasks->uninitialized;
  if (looksForUnwritten && unwrittenRead)
    return describeUnwrittenRead(kernel.info, grids, *unwrittenRead);
  if (isOver()) {
    if (leftSemaphore)
      return describeLeftSemaphore(kernel.info, grids, *leftSemaphore);
    return looksForUnwritten ? describeUnwritten() : std::nullopt;
  }
  std::size_t first = *std::min_element(blocked.begin(), blocked.end());
  const Task &task = tasks[first];
  std::string text = "kernel `" + kernel.info.name +
                     "` looks at a semaphore that nothing can signal";
  if (task.condition) {
    auto [state, expected] = task.condition->describe();
    text = describeCheck(kernel.info, {task.diagnostic, state, expected});
  }
  if (numTasks > 1)
    text += "; " + std::to_string(blocked.size()) + " of " +
            std::to_string(numTasks) + " programs wait";
  return text;
}

} // namespace gridir::cpu
