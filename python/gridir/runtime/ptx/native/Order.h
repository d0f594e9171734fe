//===- Order.h - Whether the accesses of a launch are in an order ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two accesses race if they touch one byte, one of them writes, not both are
// atomic, and neither happens before the other. The happens-before relation
// follows from barriers, and from releases and acquires, in any order of
// execution. Writes of equal values are accepted, as compilers let all threads
// store uniform values; a reader must come after one of them. Asynchronous
// copies and MMAs are actors of their own: their accesses come after their
// start and before the end of a wait for them. They access memory through the
// async proxy; stores of threads are ordered before theirs only by a proxy
// fence.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_ORDER_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_ORDER_H

#include "Shadow.h"

#include "python/gridir/runtime/cpu/native/VectorClock.h"

#include <optional>

namespace gridir::ptx {

/// The kind of an access. Generated code passes it as a number.
enum AccessFlag : uint32_t {
  Reads = 1,
  Writes = 2,
  /// No other access of the kind comes in between: atomic updates, and loads
  /// and stores that are volatile, relaxed, acquire or release.
  Strong = 4,
  Acquires = 8,
  Releases = 16,
  /// It is strong for threads of its block only.
  Narrow = 32,
  /// It goes through the asynchronous proxy.
  Async = 64,
  /// It writes the value that is already there.
  Silent = 128,
  /// It is one of tensor memory, with `Async` by tensor cores themselves.
  Tensor = 256,
  /// The caller tracks which of the values are undefined.
  Tracked = 512
};

/// The memories that a proxy fence is for. Generated code passes a number.
enum ProxyMemory : uint32_t { SharedMemory = 1, GlobalMemory = 2 };

/// The events whose writes the async proxy sees, by memory. A fence for one
/// memory orders no writes of the other one.
struct Fenced {
  cpu::VectorClock shared, global;

  const cpu::VectorClock &get(bool isOfBlock) const {
    return isOfBlock ? shared : global;
  }
  void join(const Fenced &other) {
    shared.join(other.shared);
    global.join(other.global);
  }
};

/// The knowledge of an actor: the events that happen before, and the writes
/// among them that the async proxy sees.
struct Knowledge {
  cpu::VectorClock seen;
  Fenced fenced;

  void join(const Knowledge &other) {
    seen.join(other.seen);
    fenced.join(other.fenced);
  }
};

class OrderChecker {
public:
  /// A thread, or an asynchronous unit of an instruction.
  using Actor = cpu::ThreadClocks::Thread;

  struct Event {
    static constexpr Actor kNobody = ~Actor(0);

    Actor actor = kNobody;
    cpu::ThreadClocks::Time time = 0;
    /// The number of the thread whose instruction it is.
    uint32_t owner = 0;
    uint32_t site : 22;
    uint32_t flags : 10;

    Event() : site(0), flags(0) {}
    Event(Actor actor, cpu::ThreadClocks::Time time, uint32_t owner,
          uint32_t site, uint32_t flags)
        : actor(actor), time(time), owner(owner), site(site), flags(flags) {}
    explicit operator bool() const { return actor != kNobody; }
  };

  /// The reason why an access is a fault.
  struct Finding {
    enum class Kind {
      Race,
      /// It is in an order, but not for the asynchronous proxy.
      Unfenced,
      /// It is in an order, but not for tensor memory.
      UnfencedTensor
    };
    Kind kind;
    uint64_t address;
    /// The access before it, where there is one.
    Event other;
  };

  OrderChecker(bool findsRaces, uint32_t blockThreads)
      : findsRaces(findsRaces), blockThreads(blockThreads) {}

  bool isAskedForRaces() const { return findsRaces; }

  // Actors.

  Actor startThread(uint32_t owner);
  /// Starts a unit of the parent, which knows the parent's events.
  Actor startUnit(Actor parent);
  void end(Actor actor) { clocks.join(actor); }

  // Order.

  void release(Actor actor, Knowledge &into);
  /// Releases the events before its last fence: for a relaxed write.
  void releaseFenced(Actor actor, Knowledge &into, bool isNarrow);
  void acquire(Actor actor, const Knowledge &from);
  /// All that the other one has done comes before.
  void acquire(Actor actor, Actor other) {
    acquire(actor, Knowledge{clocks.publish(other), actors[other].fenced});
  }
  void fence(Actor actor, bool isNarrow);
  /// Makes the actor's known events in some memories, a set of `ProxyMemory`,
  /// visible to the async proxy.
  void fenceProxy(Actor actor, uint32_t memories);
  /// Orders the known events of tensor cores before operations that the actor
  /// issues next.
  void fenceTensor(Actor actor);
  /// A unit of tensor memory starts an operation for an actor, and gets the
  /// actor's knowledge.
  void continueTensorUnit(Actor unit, Actor actor);
  /// A strong access gets the knowledge of earlier writes of the address, and
  /// passes knowledge to later ones. An update passes on the knowledge that it
  /// finds.
  void exchange(Actor actor, uint64_t address, uint32_t flags);

  /// The knowledge that arrivals at an mbarrier pass to waits for it.
  struct Phases {
    Knowledge current, completed;
  };
  Phases &getPhases(uint64_t address) { return phases[address]; }

  // Memory.

  /// Notes an access.
  std::optional<Finding> access(Actor actor, uint64_t address, uint64_t bytes,
                                uint32_t flags, uint32_t site, bool isOfBlock);
  /// The number of a thread that an event happens before; none if there is no
  /// such thread yet.
  std::optional<uint32_t> findObserver(const Event &event) const;
  /// The bytes are reused.
  void forget(uint64_t begin, uint64_t bytes);

private:
  struct ActorState {
    uint32_t owner = 0;
    bool isThread = false;
    Fenced fenced;
    cpu::VectorClock tensorFenced;
    /// The knowledge that a relaxed write passes on: events before the last
    /// fence.
    Knowledge wide, narrow;
    /// The knowledge from relaxed reads, which the next fence makes effective.
    Knowledge pending;
  };

  /// The knowledge that the last strong writes of an address pass to its
  /// readers.
  struct Location {
    static constexpr uint32_t kSeveral = ~uint32_t(0);

    Knowledge wide, narrow;
    /// The blocks of those who told it.
    uint32_t wideBlock = kSeveral, narrowBlock = kSeveral;
  };

  /// The recorded accesses to some bytes: the last plain write, and later reads
  /// and strong writes that do not subsume each other.
  struct Cell {
    Event write, since;
    std::unique_ptr<std::vector<Event>> more;
    /// True if a later write was strong; true if a later write did not change
    /// the value.
    bool hasStrongWrites = false, hasSilentWrites = false;

    Cell() = default;
    Cell(Cell &&) = default;
    Cell &operator=(Cell &&) = default;
    Cell &operator=(const Cell &other) {
      write = other.write;
      since = other.since;
      more = other.more ? std::make_unique<std::vector<Event>>(*other.more)
                        : nullptr;
      hasStrongWrites = other.hasStrongWrites;
      hasSilentWrites = other.hasSilentWrites;
      return *this;
    }
  };

  uint32_t getBlock(uint32_t owner) const { return owner / blockThreads; }
  bool isBefore(const Event &event, Actor actor) const {
    return clocks.knows(actor, event.actor, event.time);
  }
  bool areBothStrong(const Event &x, const Event &y) const;
  std::optional<Finding::Kind> compare(const Event &before, const Event &now,
                                       bool isOfBlock) const;
  /// True if one of the writes of a value happens before its reader.
  bool isWrittenBefore(const Cell &cell, const Event &now) const;
  std::optional<Finding> check(const Cell &cell, const Event &now,
                               bool isOfBlock) const;
  void update(Cell &cell, const Event &now, bool isOfBlock);

  const bool findsRaces;
  const uint32_t blockThreads;
  cpu::ThreadClocks clocks;
  std::vector<ActorState> actors;
  llvm::DenseMap<uint64_t, Location> locations;
  llvm::DenseMap<uint64_t, Phases> phases;
  Shadow<Cell> shadow;
  /// How many events of cells that were full have made way for later ones.
  size_t numForgotten = 0;
};

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_ORDER_H
