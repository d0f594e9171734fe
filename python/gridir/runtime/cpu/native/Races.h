//===- Races.h - Unordered accesses of a call -----------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two accesses race if they touch one byte, at least one of them writes, and
// neither happens before the other. The happens-before relation follows from
// starting threads and from semaphores, and is kept in vector clocks; memory
// remembers its last write and the reads since.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_RACES_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_RACES_H

#include "SemaphoreOrder.h"
#include "VectorClock.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace gridir::cpu {

/// The kind of an access. An atomic update races with plain accesses but not
/// with other atomic updates, with which it is ordered. A use depends on a
/// value that was read, and is not an access itself.
enum class AccessKind : int64_t { Read, Write, Atomic, Use };

/// A program of a call: its device among those of the call, and its number in
/// the order of the grid.
struct Program {
  int64_t device = 0;
  int64_t number = 0;
  bool operator==(const Program &other) const {
    return device == other.device && number == other.number;
  }
};

/// Finds the first race of one call. Not safe to use from two threads of the
/// system at once.
class RaceDetector {
public:
  /// A task, or a copy in flight.
  using Thread = VectorClock::Thread;

  struct Access {
    /// Index into `KernelInfo::accesses`.
    int64_t site;
    Program program;
    AccessKind kind;
    /// The first element, where the site asks for it: its indices in the Ref.
    std::vector<int64_t> element = {};
  };
  struct Race {
    Access first, second;
  };

  /// A thread that happens after the past events of its parent; with no parent,
  /// after nothing.
  Thread fork(std::optional<Thread> parent, Program program);
  /// The thread continues with another program.
  void setProgram(Thread thread, Program program) {
    programs[thread] = program;
  }
  /// The thread is over. Its number may be used again by a thread that happens
  /// after all that it did.
  void join(Thread thread);

  /// Earlier accesses of the thread happen before later acquires of the object.
  void release(Thread thread, const void *object);
  void acquire(Thread thread, const void *object);
  /// The same for a clock that the caller keeps.
  void release(Thread thread, VectorClock &clock);
  void acquire(Thread thread, const VectorClock &clock) {
    clocks.learn(thread, clock);
  }

  // Semaphores. `current` is the number in memory before the operation, if it
  // is known.

  /// The thread adds an amount.
  void signal(Thread thread, const void *semaphore, int64_t amount,
              std::optional<int64_t> current);
  /// A copy that its parent has just forked will add an amount.
  void startCopy(Thread copy, Thread parent, const void *semaphore,
                 int64_t amount, std::optional<int64_t> current);
  /// The copy adds it now.
  void endCopy(Thread copy, const void *semaphore,
               std::optional<int64_t> current);
  /// The thread sees at least an amount, and takes it unless it `keeps` it. It
  /// happens after the events without which the number is not reached.
  void wait(Thread thread, const void *semaphore, int64_t amount, bool keeps,
            std::optional<int64_t> current);

  // Barriers.

  /// Earlier accesses of the thread happen before the phase is complete.
  void arrive(Thread thread, const void *barrier);
  void completePhase(const void *barrier);
  /// The thread sees a phase that is complete.
  void observePhase(Thread thread, const void *barrier);

  /// The thread accesses one contiguous run of bytes.
  void access(Thread thread, const void *begin, int64_t bytes, AccessKind kind,
              int64_t site);
  /// The bytes, and semaphores and barriers among them, are reused: earlier
  /// accesses no longer count.
  void forget(const void *begin, int64_t bytes);

  const std::optional<Race> &getRace() const { return race; }

private:
  using Address = uintptr_t;

  /// An access that memory remembers.
  struct Event {
    Thread thread;
    VectorClock::Time time;
    int64_t site;
    Program program;
    bool operator==(const Event &other) const {
      return thread == other.thread && time == other.time &&
             site == other.site && program == other.program;
    }
  };

  /// The shadow state of a run of bytes. No read in the list happens before
  /// another one: an event after the later one is after both.
  struct Cell {
    Address end;
    std::optional<Event> write;
    /// The clock of the last writes, if they are atomic.
    std::shared_ptr<const VectorClock> atomics;
    /// Sorted by thread.
    std::vector<Event> reads;
    bool equals(const Cell &other) const {
      return write == other.write && atomics == other.atomics &&
             reads == other.reads;
    }
  };
  /// Runs of bytes by their begin. They do not overlap.
  using Shadow = std::map<Address, Cell>;

  SemaphoreOrder &getSemaphore(const void *semaphore,
                               std::optional<int64_t> current);

  /// Makes `at` the end of one run and the begin of another where it lies
  /// inside of one; gives the first run that begins there or later.
  Shadow::iterator split(Address at);
  /// Makes one of equal neighbours; gives the run that is left.
  Shadow::iterator mergeWithPrevious(Shadow::iterator cell);
  void check(const Cell &cell, Thread thread, const Access &access);
  void update(Cell &cell, const Event &event, AccessKind kind);

  ThreadClocks clocks;
  /// The program that each thread runs.
  std::vector<Program> programs;
  std::map<const void *, VectorClock> objects;
  std::map<const void *, SemaphoreOrder> semaphores;
  /// The events before the phase under way, and before the last complete one.
  struct Phases {
    VectorClock current, completed;
  };
  std::map<const void *, Phases> barriers;
  Shadow shadow;
  std::optional<Race> race;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_RACES_H
