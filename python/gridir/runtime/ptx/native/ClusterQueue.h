//===- ClusterQueue.h - Clusters that have not begun ------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_CLUSTERQUEUE_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_CLUSTERQUEUE_H

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>

namespace gridir::ptx {

/// The clusters of a launch that have not begun, for all threads of the process
/// that run them. They begin in the order of their numbers, so that the first
/// that fails is the same however many threads there are.
class ClusterQueue {
public:
  explicit ClusterQueue(uint64_t count) : count(count) {}

  /// The number of a cluster that is to begin; none where all have, or one with
  /// a lower number has failed.
  std::optional<uint64_t> take() {
    const uint64_t number = next.fetch_add(1, std::memory_order_relaxed);
    return number < count && !isEnded(number) ? std::optional(number)
                                              : std::nullopt;
  }

  /// A cluster has failed: later ones need not continue.
  void end(uint64_t cluster) {
    uint64_t before = last.load(std::memory_order_relaxed);
    while (cluster < before && !last.compare_exchange_weak(before, cluster)) {
    }
  }

  bool isEnded(uint64_t cluster) const {
    return cluster > last.load(std::memory_order_relaxed);
  }

private:
  const uint64_t count;
  std::atomic<uint64_t> next = 0;
  std::atomic<uint64_t> last = std::numeric_limits<uint64_t>::max();
};

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_CLUSTERQUEUE_H
