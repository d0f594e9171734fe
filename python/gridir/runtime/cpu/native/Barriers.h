//===- Barriers.h - Barriers that count arrivals in phases -----*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_BARRIERS_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_BARRIERS_H

#include "Condition.h"

#include <cstddef>
#include <map>

namespace gridir::cpu {

/// The barriers of a call, known by where they are in memory. A phase is
/// complete after so many arrivals; each task sees the phases one by one. What
/// is wrong about the use of one is said in JAX's words for it.
class Barriers {
public:
  /// One arrival at a barrier of so many in a phase.
  std::optional<Misuse> arrive(const void *barrier, int64_t arrivals,
                               int64_t site);

  /// Whether the phase is complete that a task has to see next.
  bool isComplete(const void *barrier, std::size_t task) const;

  /// A task sees a phase that is complete. `thread` is what messages call it.
  std::optional<Misuse> observe(const void *barrier, std::size_t task,
                                int64_t thread, int64_t site);

  /// The number of phases that are complete, and of those that a task saw.
  int64_t getPhase(const void *barrier) const;
  int64_t getNumObserved(const void *barrier, std::size_t task) const;

  /// The memory is used for something else from now on. A task that saw some
  /// phases of a barrier there must have seen all of them; `firstTask` is the
  /// one that messages call thread 0.
  std::optional<Misuse> forget(const char *begin, int64_t bytes,
                               std::size_t firstTask);

private:
  struct Barrier {
    int64_t numArrived = 0, phase = 0;
    /// Where the last phase was completed.
    int64_t site = 0;
    /// Whether a task has seen the last phase.
    bool isObserved = true;
    std::map<std::size_t, int64_t> numObserved;
  };
  std::map<const char *, Barrier> barriers;
};

/// The next phase of a barrier is complete.
class BarrierCondition final : public Condition {
public:
  BarrierCondition(Barriers &barriers, const void *barrier, std::size_t task,
                   int64_t thread, int64_t site)
      : barriers(barriers), barrier(barrier), task(task), thread(thread),
        site(site) {}

  const void *getObject() const override { return barrier; }
  bool holds() const override { return barriers.isComplete(barrier, task); }
  std::optional<Misuse> consume() override {
    return barriers.observe(barrier, task, thread, site);
  }
  std::array<int64_t, 2> describe() const override {
    return {barriers.getPhase(barrier),
            barriers.getNumObserved(barrier, task) + 1};
  }

private:
  Barriers &barriers;
  const void *barrier;
  std::size_t task;
  int64_t thread, site;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_BARRIERS_H
