//===- VectorClock.h - What each of many threads knows of the others ------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An event happens before another one if the clock of the second thread
// includes the time of the first event. The race detectors of a kernel's tasks
// and of the threads of a GPU keep this in vector clocks.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_VECTORCLOCK_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_VECTORCLOCK_H

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace gridir::cpu {

/// The clock of a thread: the latest known time of each thread. Missing threads
/// have not started.
class VectorClock {
public:
  using Thread = uint32_t;
  using Time = uint32_t;
  using Entry = std::pair<Thread, Time>;

  Time get(Thread thread) const;
  void set(Thread thread, Time time);
  /// Adds the knowledge of `other`.
  void join(const VectorClock &other);
  const std::vector<Entry> &getEntries() const { return entries; }

private:
  /// The first entry that is not of an earlier thread.
  std::vector<Entry>::const_iterator find(Thread thread) const;

  /// Sorted by thread, since a clock usually has few entries.
  std::vector<Entry> entries;
};

/// The threads of one run, and the knowledge of each.
class ThreadClocks {
public:
  using Thread = VectorClock::Thread;
  using Time = VectorClock::Time;

  /// A thread that happens after the past events of its parent; with no parent,
  /// after nothing.
  Thread fork(std::optional<Thread> parent);
  /// The thread is over. Its number may be used again by a thread that happens
  /// after all that it did.
  void join(Thread thread);

  /// Returns a thread's clock for others; later events of the thread are new to
  /// them.
  const VectorClock &publish(Thread thread) {
    threads[thread].isPublished = true;
    return threads[thread].clock;
  }
  /// Returns a thread's clock for the thread itself.
  const VectorClock &getClock(Thread thread) const {
    return threads[thread].clock;
  }
  void learn(Thread thread, const VectorClock &clock) {
    threads[thread].clock.join(clock);
  }
  /// The time of the thread's next event.
  Time advance(Thread thread);
  bool knows(Thread thread, Thread other, Time time) const {
    return time <= threads[thread].clock.get(other);
  }

private:
  struct State {
    VectorClock clock;
    Time time = 0;
    bool isLive = false;
    /// True if others know all of its events.
    bool isPublished = false;
  };

  std::vector<State> threads;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_VECTORCLOCK_H
