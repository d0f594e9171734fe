//===- Order.h - Whether the accesses of a launch are in an order ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two accesses race when they touch one byte, one of them writes, not both are
// atomic, and neither happens before the other. What happens before what
// follows from barriers, and from releases and acquires, whatever order the
// threads run in here. Writes of one value are let be, as compilers have all
// threads write what is the same for all of them; who reads it must come after
// one of them. Asynchronous copies and products are actors of their
// own: what they do comes after their start and before the end of a wait for
// them. They see memory through a proxy of its own; what threads have written
// is in order for them only after a fence between the two proxies.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_ORDER_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_ORDER_H

#include "Shadow.h"

#include "python/gridir/runtime/cpu/native/VectorClock.h"

#include <optional>

namespace gridir::ptx {

/// What an access is. Generated code passes this as a number.
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
  /// It writes what is already there.
  Silent = 128,
  /// It is one of tensor memory, with `Async` by tensor cores themselves.
  Tensor = 256
};

/// What an actor knows: which events come before, and which of those that
/// wrote the asynchronous proxy sees.
struct Knowledge {
  cpu::VectorClock seen, fenced;

  void join(const Knowledge &other) {
    seen.join(other.seen);
    fenced.join(other.fenced);
  }
};

class OrderChecker {
public:
  /// A thread, or what goes on beside it for an instruction.
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

  /// Why an access may not be.
  struct Finding {
    enum class Kind {
      Race,
      /// It is in an order, but not for the asynchronous proxy.
      Unfenced,
      /// It is in an order, but not for tensor memory.
      UnfencedTensor,
      /// Nobody has written what it reads.
      Unwritten
    };
    Kind kind;
    uint64_t address;
    /// The access before it, where there is one.
    Event other;
  };

  OrderChecker(bool findsRaces, bool findsUnwritten, uint32_t blockThreads)
      : findsRaces(findsRaces), findsUnwritten(findsUnwritten),
        blockThreads(blockThreads) {}

  bool isAskedForRaces() const { return findsRaces; }

  // Actors.

  Actor startThread(uint32_t owner);
  /// What an instruction of the parent starts knows what the parent does.
  Actor startUnit(Actor parent);
  void end(Actor actor) { clocks.join(actor); }

  // Order.

  void release(Actor actor, Knowledge &into);
  /// What it did before its last fence: for a relaxed write.
  void releaseFenced(Actor actor, Knowledge &into, bool isNarrow);
  void acquire(Actor actor, const Knowledge &from);
  /// All that the other one has done comes before.
  void acquire(Actor actor, Actor other) {
    acquire(actor, Knowledge{clocks.publish(other), actors[other].fenced});
  }
  void fence(Actor actor, bool isNarrow);
  /// What the actor knows is there for the asynchronous proxy.
  void fenceProxy(Actor actor);
  /// What the actor knows of tensor cores is in an order for what it asks of
  /// them next.
  void fenceTensor(Actor actor);
  /// A unit of tensor memory starts something for an actor: it knows what that
  /// knows.
  void continueTensorUnit(Actor unit, Actor actor);
  /// A strong access learns from the writes of the address before it, and tells
  /// later ones. An update carries on what it finds.
  void exchange(Actor actor, uint64_t address, uint32_t flags);

  /// What the arrivals at a barrier in memory tell those who wait for it.
  struct Phases {
    Knowledge current, completed;
  };
  Phases &getPhases(uint64_t address) { return phases[address]; }

  // Memory.

  /// Notes an access. Of memory of blocks it is known whether it was written.
  std::optional<Finding> access(Actor actor, uint64_t address, uint64_t bytes,
                                uint32_t flags, uint32_t site, bool isOfBlock);
  /// The bytes are used for something new, that nobody has written.
  void forget(uint64_t begin, uint64_t bytes);

private:
  struct ActorState {
    uint32_t owner = 0;
    cpu::VectorClock fenced, tensorFenced;
    /// What a relaxed write tells others: what was known at the last fence.
    Knowledge wide, narrow;
    /// What relaxed reads have seen: known after the next fence.
    Knowledge pending;
  };

  /// What the last strong writes of an address tell who reads it.
  struct Location {
    static constexpr uint32_t kSeveral = ~uint32_t(0);

    Knowledge wide, narrow;
    /// The blocks of those who told it.
    uint32_t wideBlock = kSeveral, narrowBlock = kSeveral;
  };

  /// What is known of some bytes: the last plain write, and what came since:
  /// reads and strong writes, none of which says all that another one does.
  struct Cell {
    Event write, since;
    std::unique_ptr<std::vector<Event>> more;
    /// Whether anything was written, and of what came since, whether a write
    /// was strong, and whether one changed nothing.
    bool isWritten = false, hasStrongWrites = false, hasSilentWrites = false;

    Cell() = default;
    Cell(Cell &&) = default;
    Cell &operator=(Cell &&) = default;
    Cell &operator=(const Cell &other) {
      write = other.write;
      since = other.since;
      more = other.more ? std::make_unique<std::vector<Event>>(*other.more)
                        : nullptr;
      isWritten = other.isWritten;
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
  std::optional<Finding::Kind> compare(const Event &before,
                                       const Event &now) const;
  /// Whether one of the writes of a value comes before who reads it.
  bool isWrittenBefore(const Cell &cell, const Event &now) const;
  std::optional<Finding> check(const Cell &cell, const Event &now,
                               bool isOfBlock) const;
  void update(Cell &cell, const Event &now, bool isOfBlock);

  const bool findsRaces, findsUnwritten;
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
