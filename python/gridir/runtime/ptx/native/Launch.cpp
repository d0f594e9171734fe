//===- Launch.cpp - All blocks of a launch --------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace gridir::ptx {

namespace {

/// Returns the reason why a launch is invalid; none if it is valid.
std::optional<std::string> check(const PreparedFunction &function,
                                 const LaunchOptions &options) {
  for (unsigned i = 0; i < 3; ++i) {
    if (!options.grid[i] || !options.block[i] || !options.cluster[i])
      return "expected sizes of grid, block and cluster that are not 0";
    if (options.grid[i] % options.cluster[i])
      return "expected a grid of whole clusters, got " +
             describe(options.grid) + " blocks and clusters of " +
             describe(options.cluster);
  }
  // Limits of the hardware, so that products of sizes fit.
  for (unsigned i = 1; i < 3; ++i)
    if (options.grid[i] > 0xffff)
      return "expected at most 65535 blocks along the second and third "
             "dimensions, got " +
             describe(options.grid);
  if (function.translation.localBytes > (512 << 10))
    return "expected at most 524288 bytes of local memory of a thread, got " +
           std::to_string(function.translation.localBytes);
  const uint64_t threads =
      uint64_t(options.block[0]) * options.block[1] * options.block[2];
  if (threads > 1024)
    return "expected at most 1024 threads of a block, got " +
           std::to_string(threads);
  const uint64_t blocks =
      uint64_t(options.cluster[0]) * options.cluster[1] * options.cluster[2];
  if (blocks > 16)
    return "expected at most 16 blocks of a cluster, got " +
           std::to_string(blocks);
  const uint64_t limit = (uint64_t(1) << 20);
  const uint64_t bytes =
      function.translation.staticSharedBytes + options.dynamicShared;
  if (options.dynamicShared > limit || bytes > limit)
    return "expected at most 1048576 bytes of shared memory, got " +
           std::to_string(bytes);
  return std::nullopt;
}

/// How many threads of the process may run clusters.
uint64_t countCores(const PreparedFunction &function,
                    const LaunchOptions &options, uint64_t clusters) {
  if (function.translation.meetsClusters || options.isProfiled ||
      options.scheduleSeed)
    return 1;
  return std::min<uint64_t>(options.cores, clusters);
}

/// Adds the results of one thread to those of others.
void merge(LaunchReport &all, LaunchReport &&part) {
  all.switches += part.switches;
  if (part.fault && (!all.fault || part.fault->cluster < all.fault->cluster))
    all.fault = std::move(part.fault);
}

LaunchReport launchOnCores(const PreparedFunction &function,
                           const LaunchOptions &options,
                           const BufferTable &buffers, ClusterQueue &queue,
                           uint64_t cores) {
  std::atomic<bool> isInterrupted = false;
  LaunchOptions shared = options;
  shared.isInterrupted = [&] { return isInterrupted.load(); };
  std::mutex mutex;
  std::condition_variable ended;
  uint64_t running = cores;
  LaunchReport report;
  auto work = [&] {
    LaunchReport part = Execution(function, shared, buffers, queue).run();
    std::lock_guard<std::mutex> lock(mutex);
    merge(report, std::move(part));
    --running;
    ended.notify_one();
  };
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < cores; ++i)
    threads.emplace_back(work);
  // Only the caller's thread may check for interrupts.
  std::unique_lock<std::mutex> lock(mutex);
  while (!ended.wait_for(lock, std::chrono::milliseconds(100),
                         [&] { return running == 0; }))
    if (options.isInterrupted && options.isInterrupted())
      isInterrupted = true;
  lock.unlock();
  for (std::thread &thread : threads)
    thread.join();
  return report;
}

/// Restarts for each buffer that turns out to be read and written.
LaunchReport launchChecked(const PreparedFunction &function,
                           const LaunchOptions &options,
                           const BufferTable &buffers, uint64_t clusters) {
  WrittenBuffers written(buffers);
  for (;;) {
    ClusterQueue queue(clusters);
    LaunchReport report =
        Execution(function, options, buffers, queue, &written).run();
    if (!written.mustRepeat())
      return report;
    written.restore();
  }
}

} // namespace

LaunchReport launch(const PreparedFunction &function,
                    const LaunchOptions &options, const BufferTable &buffers) {
  if (std::optional<std::string> problem = check(function, options)) {
    LaunchReport report;
    report.fault = Fault{"", {{}, *problem}};
    return report;
  }
  uint64_t clusters = 1;
  for (unsigned i = 0; i < 3; ++i)
    clusters *= options.grid[i] / options.cluster[i];
  if (options.findsRaces || options.findsUnwritten)
    return launchChecked(function, options, buffers, clusters);
  ClusterQueue queue(clusters);
  const uint64_t cores = countCores(function, options, clusters);
  return cores > 1 ? launchOnCores(function, options, buffers, queue, cores)
                   : Execution(function, options, buffers, queue).run();
}

} // namespace gridir::ptx
