//===- Execute.cpp - Running a kernel over its work items -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execute.h"

#include "CheckReport.h"
#include "Memory.h"
#include "Prints.h"
#include "Tasks.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

namespace gridir::cpu {

namespace {

constexpr int64_t kArenaAlignment = 64;

/// Larger arenas go back to the system after the call: a thread of XLA's pool
/// lives as long as the process.
constexpr int64_t kMaxKeptArenaBytes = int64_t(64) << 20;

/// In errors.
constexpr const char *kArenaName = "the scratch memory of a thread";

/// There are more chunks than threads. Idle threads take chunks from others,
/// which balances kernels with uneven work items (causal attention).
constexpr int64_t kChunksPerThread = 4;

/// The memory of one thread for the buffers of a kernel's body.
class Arena {
public:
  /// Gives null when the system has no memory left.
  void *get(int64_t bytes) {
    if (bytes <= capacity)
      return memory.get();
    memory.reset();
    capacity = 0;
    int64_t size;
    if (__builtin_add_overflow(bytes, kArenaAlignment - 1, &size))
      return nullptr;
    size = size / kArenaAlignment * kArenaAlignment;
    memory.reset(std::aligned_alloc(kArenaAlignment, size));
    if (memory)
      capacity = size;
    return memory.get();
  }

  void trim() {
    if (capacity <= kMaxKeptArenaBytes)
      return;
    memory.reset();
    capacity = 0;
  }

private:
  std::unique_ptr<void, Free> memory;
  int64_t capacity = 0;
};

thread_local Arena threadArena;

/// The work items of a call.
struct WorkItems {
  int64_t first = 0;
  int64_t count = 0;
};

/// One call of one kernel. Tasks that are still queued when the call ends keep
/// it alive, and find no chunk.
class Call {
public:
  Call(const Kernel &kernel, const std::vector<void *> &operands,
       WorkItems items, int64_t numThreads, int64_t numChunks)
      : kernel(kernel), operands(operands), items(items), numChunks(numChunks),
        shares(numThreads) {
    for (int64_t i = 0; i < numThreads; ++i) {
      shares[i].next = i * numChunks / numThreads;
      shares[i].end = (i + 1) * numChunks / numThreads;
    }
  }

  /// Runs the chunks of one thread, which are neighbours in memory, and then
  /// those that other threads have left.
  void work(PrintBuffer *prints) {
    size_t own = nextShare.fetch_add(1, std::memory_order_relaxed);
    size_t visited = 0;
    int64_t chunk = claim(own, visited);
    if (chunk < 0)
      return;
    PrintScope scope(prints);
    void *arena = threadArena.get(kernel.info.arenaBytes);
    for (; chunk >= 0; chunk = claim(own, visited)) {
      runChunk(chunk, arena);
      if (numDone.fetch_add(1, std::memory_order_acq_rel) + 1 == numChunks) {
        std::lock_guard<std::mutex> lock(mutex);
        allDone.notify_all();
      }
    }
    threadArena.trim();
  }

  void wait() {
    std::unique_lock<std::mutex> lock(mutex);
    allDone.wait(lock, [&] {
      return numDone.load(std::memory_order_acquire) == numChunks;
    });
  }

  /// Valid after all chunks have run.
  std::optional<std::string> getError() const {
    if (outOfMemory)
      return describeLackOfMemory(kernel.info, kernel.info.arenaBytes,
                                  kArenaName);
    if (failedChunk < 0)
      return std::nullopt;
    return describeCheck(kernel.info, status);
  }

private:
  /// The chunks of one thread. A cache line of its own, so that threads do not
  /// disturb each other.
  struct alignas(64) Share {
    std::atomic<int64_t> next = 0;
    int64_t end = 0;
  };

  /// The next chunk, from the share of thread `own` first; negative if none is
  /// left. `visited` counts the shares that are used up.
  int64_t claim(size_t own, size_t &visited) {
    for (; visited < shares.size(); ++visited) {
      Share &share = shares[(own + visited) % shares.size()];
      int64_t chunk = share.next.fetch_add(1, std::memory_order_relaxed);
      if (chunk < share.end)
        return chunk;
    }
    return -1;
  }

  void runChunk(int64_t chunk, void *arena) {
    if (!arena && kernel.info.arenaBytes > 0) {
      outOfMemory = true;
      return;
    }
    // Each chunk has a separate status, so that checks do not race.
    Status chunkStatus = {};
    kernel.invoke(operands.data(), chunkStatus.data(),
                  items.first + chunk * items.count / numChunks,
                  items.first + (chunk + 1) * items.count / numChunks, arena);
    if (chunkStatus[0] == 0)
      return;
    // The lowest chunk wins: the message does not depend on the threads.
    std::lock_guard<std::mutex> lock(mutex);
    if (failedChunk >= 0 && failedChunk < chunk)
      return;
    failedChunk = chunk;
    status = chunkStatus;
  }

  const Kernel &kernel;
  const std::vector<void *> operands;
  const WorkItems items;
  const int64_t numChunks;
  std::vector<Share> shares;
  std::atomic<size_t> nextShare = 0;
  std::atomic<int64_t> numDone = 0;
  std::atomic<bool> outOfMemory = false;
  std::mutex mutex;
  std::condition_variable allDone;
  int64_t failedChunk = -1;
  Status status = {};
};

/// Runs all work items on this thread.
std::optional<std::string> runAll(const Kernel &kernel,
                                  const std::vector<void *> &operands,
                                  WorkItems items, PrintBuffer *prints) {
  PrintScope scope(prints);
  const int64_t bytes = kernel.info.arenaBytes;
  void *arena = threadArena.get(bytes);
  if (!arena && bytes > 0)
    return describeLackOfMemory(kernel.info, bytes, kArenaName);
  Status status = {};
  kernel.invoke(operands.data(), status.data(), items.first,
                items.first + items.count, arena);
  threadArena.trim();
  if (status[0] == 0)
    return std::nullopt;
  return describeCheck(kernel.info, status);
}

/// Requests the fine-grained work items of a call, which have higher numbers.
/// There are none if two of them would access the same block.
WorkItems getShares(const Kernel &kernel, const std::vector<void *> &operands,
                    WorkItems items) {
  void *arena = threadArena.get(kernel.info.arenaBytes);
  if (!arena && kernel.info.arenaBytes > 0)
    return items;
  constexpr int64_t kAsked = -1;
  Status status = {};
  kernel.invoke(operands.data(), status.data(), kAsked, kAsked, arena);
  int64_t count = status[kStatusWords - 1];
  return count > 0 ? WorkItems{items.count, count} : items;
}

/// Runs the work items in chunks on several threads.
std::optional<std::string> runItems(const Kernel &kernel,
                                    const std::vector<void *> &operands,
                                    const Threads &threads,
                                    PrintBuffer *prints) {
  WorkItems items{0, kernel.range(operands.data())};
  if (items.count <= 0)
    return std::nullopt;
  if (kernel.info.hasShares && items.count < threads.count)
    items = getShares(kernel, operands, items);
  int64_t numThreads = std::clamp<int64_t>(threads.count, 1, items.count);
  if (numThreads == 1)
    return runAll(kernel, operands, items, prints);
  int64_t numChunks = std::min(items.count, numThreads * kChunksPerThread);
  auto call =
      std::make_shared<Call>(kernel, operands, items, numThreads, numChunks);
  for (int64_t i = 1; i < numThreads; ++i)
    threads.schedule([call] { call->work(nullptr); });
  // The caller works too, so a busy pool cannot block the call.
  call->work(prints);
  call->wait();
  return call->getError();
}

} // namespace

/// Delivers the prints of the kernel while `run` runs it on this thread.
template <typename Fn>
static std::optional<std::string> runWithPrints(const Kernel &kernel, Fn run) {
  PrintBuffer prints{&kernel, {}};
  std::optional<std::string> error =
      run(kernel.info.prints.empty() ? nullptr : &prints);
  if (!prints.records.empty())
    deliverPrints(prints);
  return error;
}

std::optional<std::string> runKernel(const Kernel &kernel,
                                     const DeviceBuffers &buffers,
                                     const Threads &threads) {
  if (kernel.info.tasks)
    return runDevices(kernel, {buffers});
  // A kernel that prints has one work item and so runs on this thread.
  return runWithPrints(kernel, [&](PrintBuffer *prints) {
    return runItems(kernel, buffers.data, threads, prints);
  });
}

std::optional<std::string>
runDevices(const Kernel &kernel, const std::vector<DeviceBuffers> &devices) {
  return runWithPrints(kernel, [&](PrintBuffer *prints) {
    PrintScope scope(prints);
    return runTasks(kernel, devices);
  });
}

} // namespace gridir::cpu
