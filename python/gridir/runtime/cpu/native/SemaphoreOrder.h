//===- SemaphoreOrder.h - The events that a wait certainly follows --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wait for a number follows those events alone without which the semaphore
// cannot reach it. Two copies of 4 KiB on one semaphore, and a wait for 4 KiB:
// it follows the end of neither copy, since the other one, or parts of both,
// may have reached the number.
//
// Each addition to the semaphore has the clock of its thread. A wait needs the
// event of thread t at time T if the additions with an earlier time of t in
// their clocks do not suffice.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_SEMAPHOREORDER_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_SEMAPHOREORDER_H

#include "VectorClock.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace gridir::cpu {

/// The additions to one semaphore, and the waits that have taken from it.
class SemaphoreOrder {
public:
  using Thread = VectorClock::Thread;

  /// A thread with a clock adds an amount.
  void add(int64_t amount, Thread thread, const VectorClock &clock);
  /// A copy has started that will add an amount. All but its last unit may
  /// arrive before it ends. Its clock knows the event that started it.
  void addCopy(int64_t amount, Thread copy, const VectorClock &clock,
               VectorClock::Entry start);
  /// The copy has ended: its last unit has this clock.
  void endCopy(Thread copy, const VectorClock &clock);

  /// A thread with a clock sees that the semaphore is at least `amount`, beyond
  /// all that it knows to be taken. Returns the events that this follows.
  VectorClock observe(int64_t amount, Thread thread, const VectorClock &clock);
  /// A thread takes an amount, at a time that its clock has.
  void take(int64_t amount, Thread thread, VectorClock::Time time);

  /// Takes over the number in memory where code has changed it directly.
  void synchronize(int64_t current);

private:
  struct Addition {
    int64_t amount;
    VectorClock clock;
    /// The last event in the clock: who knows it, knows all of the clock. None
    /// for several.
    std::optional<VectorClock::Entry> last;
    /// Of a copy: its thread until it ends, then the clock of its last unit.
    std::optional<Thread> copy = {};
    std::optional<VectorClock::Entry> end = {};
    VectorClock endClock = {};
  };
  struct Taking {
    int64_t amount;
    Thread thread;
    VectorClock::Time time;
  };

  /// True if a thread with a clock knows all that an addition follows.
  static bool isKnown(const Addition &addition, const VectorClock &clock);
  /// Makes one addition of all, and returns its clock.
  VectorClock joinAdditions();
  void setOwner(Thread thread) {
    isOfOneThread &= !owner || *owner == thread;
    owner = thread;
  }
  /// Calls `visit` with each part of the semaphore that follows events which a
  /// thread with a clock does not know, and with their clock.
  void forEachUnknown(
      const VectorClock &clock,
      llvm::function_ref<void(int64_t amount, const VectorClock &clock)> visit)
      const;
  /// Lists that are longer are shortened. A wait may then follow more events
  /// than it has to, and fewer races are found.
  void shorten();

  std::vector<Addition> additions;
  std::vector<Taking> takings;
  /// Takings that all threads count.
  int64_t taken = 0;
  /// The number that memory has.
  int64_t value = 0;

  /// The usual semaphore of copies: one thread starts them and waits for them.
  /// It follows all of them once it has taken all that they add, and none
  /// before.
  bool isOfOneThread = true;
  std::optional<Thread> owner;
  int64_t added = 0, takenInAll = 0;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_SEMAPHOREORDER_H
