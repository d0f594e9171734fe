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
#include <utility>

namespace gridir::cpu {

/// The effect of an arrival at a barrier.
struct Arrival {
  char *barrier = nullptr;
  /// The number of arrivals that complete a phase.
  int64_t arrivals = 0;
  int64_t site = 0;
  /// The number of arrivals that this one counts as, and the change of the
  /// number of copies for which the phase waits: negative if this is the end of
  /// a copy that an arrival announces.
  int64_t count = 1, copies = 0;
};

/// An observer of the phases of barriers: the task of a warpgroup, and one of
/// its warps; the first warp also stands for the warpgroup.
using Observer = std::pair<std::size_t, int64_t>;

/// The barriers of a call, identified by their addresses. A phase is complete
/// after a number of arrivals; each observer sees the phases one by one. Misuse
/// is reported in JAX's words.
class Barriers {
public:
  /// Returns the misuse if a phase completes and the last one was not observed.
  std::optional<Misuse> arrive(const Arrival &arrival);

  /// True if the next phase that an observer must see is complete.
  bool isComplete(const void *barrier, Observer observer) const;

  /// An observer sees a phase that is complete. `thread` is the task's name in
  /// messages.
  std::optional<Misuse> observe(const void *barrier, Observer observer,
                                int64_t thread, int64_t site);
  /// An observer has to see the phase that is under way, and none before it.
  void join(const void *barrier, Observer observer);
  /// A phase that a warpgroup has seen is one that this warp has.
  void skip(const void *barrier, Observer warp);
  /// Returns the misuse of a warpgroup that starts to wait while its warps have
  /// observed different phases: they would wait for different ones.
  std::optional<Misuse> checkWarps(const void *barrier, std::size_t warpgroup,
                                   int64_t numWarps, int64_t site) const;
  /// A warp runs code of its own: it has observed the phases of its warpgroup.
  void addWarp(Observer warp);

  /// The number of phases that are complete, and of those that one saw.
  int64_t getPhase(const void *barrier) const;
  int64_t getNumObserved(const void *barrier, Observer observer) const;

  /// How many arrivals complete a phase, how many came, and the site of the
  /// last one.
  std::pair<std::string, std::optional<int64_t>>
  describeArrivals(const void *barrier) const;

  /// The memory is reused for another purpose. A task that saw some phases of a
  /// barrier there must have seen all of them; `firstTask` is the one that
  /// messages call thread 0.
  std::optional<Misuse> forget(const char *begin, int64_t bytes,
                               std::size_t firstTask);

private:
  struct Barrier {
    int64_t numArrived = 0, numCopies = 0, phase = 0;
    /// The site that completed the last phase.
    int64_t site = 0;
    /// The number of arrivals that complete a phase, and the total number of
    /// arrivals.
    int64_t numDeclared = 0, numInAll = 0;
    /// The site of the last arrival.
    std::optional<int64_t> lastSite;
    /// True if the last phase was observed.
    bool isObserved = true;
    std::map<Observer, int64_t> numObserved;
  };
  std::map<const char *, Barrier> barriers;
};

/// The next phase of a barrier is complete.
class BarrierCondition final : public Condition {
public:
  BarrierCondition(Barriers &barriers, const void *barrier, Observer observer,
                   int64_t thread, int64_t site)
      : barriers(barriers), barrier(barrier), observer(observer),
        thread(thread), site(site) {}

  const void *getObject() const override { return barrier; }
  bool holds() const override { return barriers.isComplete(barrier, observer); }
  std::optional<Misuse> consume() override {
    return barriers.observe(barrier, observer, thread, site);
  }
  void order(RaceDetector &races, RaceDetector::Thread thread) const override {
    races.observePhase(thread, barrier);
  }
  std::array<int64_t, 2> describe() const override {
    return {barriers.getPhase(barrier),
            barriers.getNumObserved(barrier, observer) + 1};
  }
  std::pair<std::string, std::optional<int64_t>> explain() const override {
    return barriers.describeArrivals(barrier);
  }

private:
  Barriers &barriers;
  const void *barrier;
  Observer observer;
  int64_t thread, site;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_BARRIERS_H
