//===- ThreadSchedule.h - How far threads get without a write --*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_THREADSCHEDULE_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_THREADSCHEDULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace gridir::grid {

/// A step of a thread that other threads may depend on.
struct ThreadStep {
  enum Kind { Write, Arrive, Await } kind;
  /// The barrier at which the step arrives or waits, or none.
  std::optional<unsigned> barrier = std::nullopt;
  /// The number of arrivals, since the barrier exists, that a wait needs.
  int64_t arrivals = 0;
  /// True if the step completes after the thread has continued.
  bool isLate = false;
  /// True if it completes after all earlier steps of the thread for which this
  /// is true, as on a tensor core.
  bool isInOrder = false;
};

/// The steps of the threads that share barriers.
class ThreadSchedule {
public:
  /// A step of a thread.
  using Place = std::pair<unsigned, unsigned>;

  unsigned addThread() {
    threads.emplace_back();
    return threads.size() - 1;
  }
  void add(unsigned thread, ThreadStep step) {
    threads[thread].push_back(std::move(step));
  }
  unsigned getNumSteps(unsigned thread) const { return threads[thread].size(); }
  unsigned getNumThreads() const { return threads.size(); }
  int64_t getNumSteps() const;

  /// Waits for this barrier prove nothing, because unknown steps may arrive.
  void open(unsigned barrier);

  /// Returns the number of steps that each thread completes at most, if `never`
  /// never completes.
  llvm::SmallVector<unsigned> run(std::optional<Place> never) const;

  /// True if each thread can complete all of its steps.
  bool isComplete() const;

private:
  using Thread = std::vector<ThreadStep>;
  struct Progress;
  bool advance(unsigned thread, Progress &progress) const;
  bool isOpen(const ThreadStep &step, const Progress &progress) const;

  std::vector<Thread> threads;
  std::vector<char> isOpened;
};

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_THREADSCHEDULE_H
