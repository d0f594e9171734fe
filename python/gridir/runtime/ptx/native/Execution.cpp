//===- Execution.cpp - Blocks and threads of one launch -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MathExtras.h"

#include <chrono>
#include <sys/mman.h>
#include <xmmintrin.h>

using namespace llvm;

namespace gridir::ptx {

namespace {

/// The execution that runs on this thread of the process.
thread_local Execution *current = nullptr;

constexpr int64_t kFuel = 1 << 20;
/// Rounds in which threads only pause until the next cluster joins them.
constexpr unsigned kPatience = 64;
/// Rounds in which some pause until a copy is done that others may wait for.
constexpr unsigned kManyLooks = 1024;
/// Beyond the frames of generated code: those of the runtime.
constexpr int64_t kRuntimeStack = 48 << 10;
/// Of parameters no more can be asked.
constexpr uint64_t kParameterAlignment = 128;

std::string hex(uint64_t value) { return "0x" + utohexstr(value, true); }

} // namespace

std::string describe(const std::array<uint32_t, 3> &coordinates) {
  return "(" + std::to_string(coordinates[0]) + ", " +
         std::to_string(coordinates[1]) + ", " +
         std::to_string(coordinates[2]) + ")";
}

Execution *Execution::getCurrent() { return current; }

Execution::Execution(const PreparedFunction &function,
                     const LaunchOptions &options, const BufferTable &buffers,
                     ClusterQueue &queue, WrittenBuffers *written)
    : function(function), options(options), buffers(buffers), queue(queue),
      written(written), random(options.scheduleSeed.value_or(0)),
      ranges(function.translation.sites.size()) {}

Execution::~Execution() {
  for (char *window : windows)
    munmap(window, getWindowBytes());
}

LaunchReport Execution::run() {
  for (unsigned i = 0; i < 3; ++i)
    clusters[i] = options.grid[i] / options.cluster[i];
  ranks = options.cluster[0] * options.cluster[1] * options.cluster[2];
  blockThreads = options.block[0] * options.block[1] * options.block[2];
  dynamicOffset = alignTo(function.translation.staticSharedBytes, 1024);
  sharedBytes = dynamicOffset + options.dynamicShared;
  if (options.findsRaces || options.findsUnwritten)
    order = std::make_unique<OrderChecker>(options.findsRaces, blockThreads);
  if (tracksUndefined())
    for (const Buffer &buffer : options.buffers)
      if (buffer.isTemporary)
        temporaries.emplace_back(buffer.begin, buffer.bytes, FromTemporary);
  if (options.isProfiled)
    profile =
        std::make_unique<Profile>(function.translation.sites.size(), buffers);
  begin = std::chrono::steady_clock::now();
  parameterMemory.resize(options.parameters.size() + kParameterAlignment);
  parameters =
      parameterMemory.data() +
      offsetToAlignment(reinterpret_cast<uint64_t>(parameterMemory.data()),
                        Align(kParameterAlignment));
  llvm::copy(options.parameters, parameters);

  // XLA's threads flush denormals; those of a GPU do where the code says so.
  const unsigned modes = _mm_getcsr();
  _mm_setcsr(0x1f80);
  Execution *outer = std::exchange(current, this);
  unsigned idle = 0, looks = 0;
  while (!report.fault) {
    if (live.empty() && !admitCluster())
      break;
    while ((live.size() + 1) * ranks <= options.blocksAtOnce &&
           admitCluster()) {
    }
    if (queue.isEnded(live.front()->number))
      break;
    bool progressed = false, paused = false;
    for (size_t i = 0; i < live.size() && !report.fault; ++i)
      run(*live[i], progressed, paused);
    llvm::erase_if(live, [&](std::unique_ptr<Cluster> &cluster) {
      if (cluster->live)
        return false;
      while (runWork(cluster.get())) {
      }
      retire(*cluster);
      return true;
    });
    if (report.fault || live.empty())
      continue;
    idle = progressed ? 0 : idle + 1;
    // Threads that only exchange the values that they read make no progress.
    looks += paused;
    if ((idle && (!paused || idle > kPatience)) || looks > kManyLooks) {
      if (runWork()) {
        idle = looks = 0;
      } else if (admitCluster()) {
        idle = looks = 0;
      } else if (idle && !paused) {
        setStuck("no thread can continue");
      }
    }
    if (paused && isTimeOver())
      setStuck("the launch exceeded its time limit");
  }
  current = outer;
  _mm_setcsr(modes);
  if (report.fault)
    queue.end(report.fault->cluster);
  takeProfile();
  return std::move(report);
}

char *Execution::takeWindow() {
  if (idleWindows.empty()) {
    void *window = mmap(nullptr, getWindowBytes(), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (window == MAP_FAILED)
      return nullptr;
    windows.push_back(static_cast<char *>(window));
    idleWindows.push_back(windows.back());
  }
  char *window = idleWindows.back();
  idleWindows.pop_back();
  return window;
}

bool Execution::admitCluster() {
  const std::optional<uint64_t> number = queue.take();
  if (!number)
    return false;
  const std::array<uint32_t, 3> coordinates = unflatten(*number, clusters);
  auto cluster = std::make_unique<Cluster>();
  cluster->number = *number;
  cluster->window = takeWindow();
  if (!cluster->window) {
    setFault("the system has no memory left for shared memory", 0, nullptr);
    return false;
  }
  cluster->live = ranks * blockThreads;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    auto cta = std::make_unique<Cta>();
    cta->cluster = cluster.get();
    cta->rank = rank;
    cta->live = blockThreads;
    cta->threads.resize(blockThreads);
    cta->warps.resize(divideCeil(blockThreads, 32));
    cta->warpgroups.resize(divideCeil(blockThreads, 128));
    cta->local = cpu::allocateArray<char>(
        alignTo(function.translation.localBytes, 16) * blockThreads);
    if (!cta->local) {
      setFault("the system has no memory left for local memory", 0, nullptr);
      return false;
    }
    // Uninitialized memory is NaN.
    char *shared = cluster->window + (uint64_t(rank) << kBlockWindowBits) +
                   kReservedShared;
    std::memset(shared, 0xff, sharedBytes);
    if (tracksUndefined()) {
      undefineInWindow(cluster->window, shared - cluster->window, sharedBytes);
      cta->localShadow = ShadowedMemory(
          reinterpret_cast<uint64_t>(cta->local.get()),
          alignTo(function.translation.localBytes, 16) * blockThreads,
          FromLocal);
    }
    if (order) {
      order->forget(reinterpret_cast<uint64_t>(shared), sharedBytes);
      order->forget(reinterpret_cast<uint64_t>(shared) - kReservedShared +
                        TensorMemory::kBegin,
                    TensorMemory::kBytes);
    }
    std::array<uint32_t, 3> blockId = unflatten(rank, options.cluster);
    for (unsigned i = 0; i < 3; ++i)
      blockId[i] += coordinates[i] * options.cluster[i];
    for (uint32_t i = 0; i < blockThreads; ++i)
      startThread(*cta, i, blockId);
    cluster->ctas.push_back(std::move(cta));
  }
  live.push_back(std::move(cluster));
  return !report.fault;
}

std::optional<std::array<uint32_t, 3>> Execution::cancelCluster() {
  const std::optional<uint64_t> number = queue.take();
  if (!number)
    return std::nullopt;
  std::array<uint32_t, 3> coordinates = unflatten(*number, clusters);
  for (unsigned i = 0; i < 3; ++i)
    coordinates[i] *= options.cluster[i];
  return coordinates;
}

void Execution::retire(Cluster &cluster) {
  idleWindows.push_back(cluster.window);
  for (std::unique_ptr<Cta> &cta : cluster.ctas) {
    if (profile)
      for (Warp &warp : cta->warps)
        profile->finish(*warp.profile);
    for (Thread &thread : cta->threads) {
      idleFibers.push_back(std::move(thread.fiber));
      if (order)
        order->end(thread.actor);
    }
  }
}

void Execution::startThread(Cta &cta, uint32_t index,
                            const std::array<uint32_t, 3> &blockId) {
  Thread &thread = cta.threads[index];
  Frame &frame = thread.frame;
  auto set = [&](SpecialRegister first, const std::array<uint32_t, 3> &values) {
    llvm::copy(values, &frame.special[first]);
  };
  const std::array<uint32_t, 3> inCluster =
      unflatten(cta.rank, options.cluster);
  std::array<uint32_t, 3> clusterId;
  for (unsigned i = 0; i < 3; ++i)
    clusterId[i] = blockId[i] / options.cluster[i];
  set(ThreadId, unflatten(index, options.block));
  set(BlockSize, options.block);
  set(BlockId, blockId);
  set(GridSize, options.grid);
  set(ClusterBlockId, inCluster);
  set(ClusterSize, options.cluster);
  set(ClusterId, clusterId);
  set(NumClusters, clusters);
  const uint32_t lane = index % 32;
  frame.special[LaneId] = lane;
  frame.special[WarpId] = index / 32;
  frame.special[NumWarps] = cta.warps.size();
  frame.special[ClusterRank] = cta.rank;
  frame.special[ClusterRanks] = ranks;
  frame.special[LaneMaskEq] = 1u << lane;
  frame.special[LaneMaskLt] = (1u << lane) - 1;
  frame.special[LaneMaskLe] = (2u << lane) - 1;
  frame.special[LaneMaskGe] = ~frame.special[LaneMaskLt];
  frame.special[LaneMaskGt] = ~frame.special[LaneMaskLe];
  frame.special[DynamicShared] = options.dynamicShared;
  frame.special[TotalShared] = sharedBytes;
  frame.special[One] = 1;
  frame.window = cta.cluster->window;
  frame.sharedBegin =
      (uint64_t(cta.rank) << kBlockWindowBits) + kReservedShared;
  frame.sharedBytes = sharedBytes;
  frame.dynamicBegin = frame.sharedBegin + dynamicOffset;
  frame.parameters = parameters;
  const uint64_t localBytes = function.translation.localBytes;
  frame.local = cta.local.get() + alignTo(localBytes, 16) * index;
  frame.localBytes = localBytes;
  frame.ranges = ranges.data();
  frame.fuel = kFuel;
  thread.number =
      (cta.cluster->number * ranks + cta.rank) * blockThreads + index;
  if (order)
    thread.actor = order->startThread(thread.number);
  cta.cluster->turns.push_back(&thread);
  thread.cta = &cta;
  thread.warp = &cta.warps[index / 32];
  thread.warp->threads[lane] = &thread;
  thread.warp->live |= 1u << lane;
  if (profile) {
    if (!thread.warp->profile)
      thread.warp->profile = std::make_unique<WarpProfile>(ranges.size());
    frame.executed = thread.warp->profile->getExecuted(lane).data();
  }
  thread.warpgroup = &cta.warpgroups[index / 128];
  thread.warpgroup->threads[index % 128] = &thread;
  if (!idleFibers.empty()) {
    thread.fiber = std::move(idleFibers.back());
    idleFibers.pop_back();
  } else {
    thread.fiber = cpu::Fiber::create(function.stackBytes + kRuntimeStack);
  }
  if (!thread.fiber) {
    setFault("the system has no memory left for the stacks of threads", 0,
             nullptr);
    return;
  }
  thread.fiber->start([this, &thread] {
    function.entry(&thread.frame);
    finish(thread);
  });
}

/// On the thread's own stack: operations that waited for it may now be
/// complete.
void Execution::finish(Thread &thread) {
  checkEnd(thread);
  checkTensorMemoryEnd(*this, thread);
  thread.isDone = true;
  --thread.cta->live;
  --thread.cta->cluster->live;
  leaveBarriers(*this, thread);
  leaveWarp(*this, thread);
}

void Execution::run(Cluster &cluster, bool &progressed, bool &paused) {
  if (options.scheduleSeed)
    llvm::shuffle(cluster.turns.begin(), cluster.turns.end(), random);
  for (Thread *thread : cluster.turns) {
    if (thread->isDone || !thread->wait.isOver())
      continue;
    thread->wait = {};
    thread->isPaused = false;
    runningThread = thread;
    ++report.switches;
    resume(*thread->fiber);
    if (report.fault)
      return;
    (thread->isPaused ? paused : progressed) = true;
  }
}

void Execution::resume(cpu::Fiber &fiber) {
  running = &fiber;
  fiber.resume();
}

AsyncWorkRef Execution::start(Thread &thread, std::function<void()> body) {
  if (!options.scheduleSeed) {
    body();
    return nullptr;
  }
  works.push_back(std::make_shared<AsyncWork>(
      AsyncWork{std::move(body), thread.cta->cluster}));
  return works.back();
}

bool Execution::runWork(const Cluster *cluster) {
  llvm::erase_if(works, [](const AsyncWorkRef &work) { return !work->body; });
  SmallVector<AsyncWorkRef> choices;
  llvm::copy_if(works, std::back_inserter(choices), [&](AsyncWorkRef &work) {
    return !cluster || work->cluster == cluster;
  });
  if (choices.empty() || report.fault)
    return false;
  if (!workFiber)
    workFiber = cpu::Fiber::create(kRuntimeStack);
  if (!workFiber) {
    setFault("the system has no memory left for the stacks of threads", 0,
             nullptr);
    return false;
  }
  AsyncWorkRef work = choices[random() % choices.size()];
  workFiber->start([work] { work->run(); });
  resume(*workFiber);
  return true;
}

void Execution::fail(Thread &thread, unsigned site,
                     const std::string &message) {
  if (!report.fault)
    setFault(message, site, &thread);
  for (;;)
    running->suspend();
}

void Execution::wait(Thread &thread, unsigned site, Wait wait) {
  thread.wait = wait;
  thread.site = site;
  thread.fiber->suspend();
}

void Execution::pause(Thread &thread, unsigned site) {
  thread.isPaused = true;
  thread.site = site;
  thread.fiber->suspend();
}

void Execution::refuel(Thread &thread, unsigned site) {
  thread.frame.fuel = kFuel;
  pause(thread, site);
}

bool Execution::isTimeOver() {
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  if (seconds.count() < nextLook)
    return false;
  nextLook = seconds.count() + 0.1;
  return (options.isInterrupted && options.isInterrupted()) ||
         (options.timeout > 0 && seconds.count() > options.timeout);
}

char *Execution::locate(Thread &thread, uint64_t address, Space space,
                        uint64_t bytes, uint64_t alignment, unsigned site) {
  auto what = [&] { return std::to_string(bytes) + " bytes at "; };
  Frame &frame = thread.frame;
  char *result = reinterpret_cast<char *>(address);
  const uint64_t window = reinterpret_cast<uint64_t>(frame.window);
  if (address & (alignment - 1)) {
    fail(thread, site,
         "expected an address that is a multiple of " +
             std::to_string(alignment) + ", got " + hex(address));
  } else if (space == Space::Shared || address - window < kClusterWindow) {
    const uint64_t offset = space == Space::Shared ? address : address - window;
    const uint64_t rank = offset >> kBlockWindowBits;
    const uint64_t inBlock =
        (offset & ((uint64_t(1) << kBlockWindowBits) - 1)) - kReservedShared;
    if (rank < ranks && inBlock <= sharedBytes &&
        bytes <= sharedBytes - inBlock)
      return frame.window + offset;
    fail(thread, site,
         "expected an access to the " + std::to_string(sharedBytes) +
             " bytes of the block's shared memory, got " + what() + "byte " +
             std::to_string(int64_t(inBlock)) +
             (rank ? " of block " + std::to_string(rank) + " of the cluster"
                   : ""));
  } else if (const uint64_t offset =
                 address - reinterpret_cast<uint64_t>(frame.local);
             offset <= frame.localBytes && bytes <= frame.localBytes - offset) {
    return result;
  } else if (space == Space::Local) {
    fail(thread, site,
         "expected an access to the " + std::to_string(frame.localBytes) +
             " bytes of the thread's local memory, got " + what() + "byte " +
             std::to_string(int64_t(offset)));
  } else if (const Buffer *buffer = buffers.find(address, bytes)) {
    ranges[site] = {buffer->begin, buffer->bytes - bytes + 1, 0};
    return result;
  } else {
    const uint64_t parameter =
        address - reinterpret_cast<uint64_t>(frame.parameters);
    if (parameter < options.parameters.size() &&
        bytes <= options.parameters.size() - parameter)
      return result;
    fail(thread, site,
         "expected an access to memory of the launch, got " + what() +
             hex(address) + ": " + buffers.describe(address));
  }
  return nullptr;
}

// Functions that generated code calls.

namespace {

Thread &getThread(Frame *frame) { return *reinterpret_cast<Thread *>(frame); }

char *locateAccess(Frame *frame, uint64_t address, uint32_t space,
                   uint32_t bytes, uint32_t alignment, uint32_t site) {
  return current->locate(getThread(frame), address, static_cast<Space>(space),
                         bytes, alignment, site);
}

void pauseThread(Frame *frame, uint32_t site) {
  current->pause(getThread(frame), site);
}

void refuelThread(Frame *frame, uint32_t site) {
  current->refuel(getThread(frame), site);
}

void trapThread(Frame *frame, uint32_t site) {
  current->fail(getThread(frame), site, "the kernel trapped");
}

/// Nanoseconds.
uint64_t getTime() {
  return std::chrono::nanoseconds(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

} // namespace

std::vector<std::pair<const char *, void *>> getExecutionSymbols() {
  return {{"ptx.locate", reinterpret_cast<void *>(&locateAccess)},
          {"ptx.pause", reinterpret_cast<void *>(&pauseThread)},
          {"ptx.refuel", reinterpret_cast<void *>(&refuelThread)},
          {"ptx.trap", reinterpret_cast<void *>(&trapThread)},
          {"ptx.time", reinterpret_cast<void *>(&getTime)}};
}

} // namespace gridir::ptx
