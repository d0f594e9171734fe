//===- Order.cpp - Whether the accesses of a launch are in an order -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Order.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>

namespace gridir::ptx {

/// Every thread of a launch may read global memory: at most this many mutually
/// unordered events of an address are recorded.
static constexpr size_t kMaxGlobalEvents = 8;
/// The same of writes of one value.
static constexpr size_t kMaxSilentEvents = 4096;

//===----------------------------------------------------------------------===//
// Actors and their knowledge
//===----------------------------------------------------------------------===//

OrderChecker::Actor OrderChecker::startThread(uint32_t owner) {
  const Actor actor = clocks.fork(std::nullopt);
  actors.resize(std::max<size_t>(actors.size(), actor + 1));
  actors[actor] = {};
  actors[actor].owner = owner;
  actors[actor].isThread = true;
  return actor;
}

OrderChecker::Actor OrderChecker::startUnit(Actor parent) {
  const Actor actor = clocks.fork(parent);
  actors.resize(std::max<size_t>(actors.size(), actor + 1));
  ActorState state;
  state.owner = actors[parent].owner;
  state.fenced = actors[parent].fenced;
  actors[actor] = std::move(state);
  return actor;
}

void OrderChecker::release(Actor actor, Knowledge &into) {
  into.seen.join(clocks.publish(actor));
  into.fenced.join(actors[actor].fenced);
}

void OrderChecker::releaseFenced(Actor actor, Knowledge &into, bool isNarrow) {
  into.join(isNarrow ? actors[actor].narrow : actors[actor].wide);
}

void OrderChecker::acquire(Actor actor, const Knowledge &from) {
  clocks.learn(actor, from.seen);
  actors[actor].fenced.join(from.fenced);
}

void OrderChecker::fence(Actor actor, bool isNarrow) {
  ActorState &state = actors[actor];
  acquire(actor, state.pending);
  state.pending = {};
  state.narrow = {clocks.publish(actor), state.fenced};
  if (!isNarrow)
    state.wide = state.narrow;
}

void OrderChecker::fenceProxy(Actor actor, uint32_t memories) {
  Fenced &fenced = actors[actor].fenced;
  if (memories & SharedMemory)
    fenced.shared = clocks.publish(actor);
  if (memories & GlobalMemory)
    fenced.global = clocks.publish(actor);
}

void OrderChecker::fenceTensor(Actor actor) {
  actors[actor].tensorFenced = clocks.publish(actor);
}

void OrderChecker::continueTensorUnit(Actor unit, Actor actor) {
  acquire(unit, actor);
  actors[unit].tensorFenced.join(actors[actor].tensorFenced);
}

void OrderChecker::exchange(Actor actor, uint64_t address, uint32_t flags) {
  ActorState &state = actors[actor];
  const uint32_t block = getBlock(state.owner);
  const bool isNarrow = flags & Narrow;
  Location &location = locations[address];
  if (flags & Reads) {
    Knowledge found;
    if (!isNarrow || location.wideBlock == block)
      found.join(location.wide);
    if (location.narrowBlock == block)
      found.join(location.narrow);
    if (flags & Acquires)
      acquire(actor, found);
    else
      state.pending.join(found);
  }
  if (!(flags & Writes))
    return;
  if (!(flags & Reads))
    location = {};
  if (location.narrowBlock != block) {
    location.narrow = {};
    location.narrowBlock = block;
  }
  const bool isFirst = location.wide.seen.getEntries().empty();
  if (flags & Releases) {
    release(actor, location.narrow);
    if (!isNarrow)
      release(actor, location.wide);
  } else {
    location.narrow.join(state.narrow);
    if (!isNarrow)
      location.wide.join(state.wide);
  }
  if (!isNarrow)
    location.wideBlock =
        isFirst || location.wideBlock == block ? block : Location::kSeveral;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

bool OrderChecker::areBothStrong(const Event &x, const Event &y) const {
  return (x.flags & y.flags & Strong) &&
         (!((x.flags | y.flags) & Narrow) ||
          getBlock(x.owner) == getBlock(y.owner));
}

std::optional<OrderChecker::Finding::Kind>
OrderChecker::compare(const Event &before, const Event &now,
                      bool isOfBlock) const {
  if (!((before.flags | now.flags) & Writes) || areBothStrong(before, now))
    return std::nullopt;
  // A silent write does not affect others, in any order; but a thread that
  // writes while a unit still reads has omitted a wait for the unit.
  const bool isUnitRead = (before.flags & Async) && !(before.flags & Writes);
  const bool areSame =
      (now.flags & Silent) && !(before.flags & Strong) && !isUnitRead;
  if (!isBefore(before, now.actor))
    return areSame ? std::nullopt : std::optional(Finding::Kind::Race);
  // A thread that has waited for tensor cores needs a fence before it issues
  // further operations. Operations that one thread issues are ordered.
  if (before.flags & now.flags & Tensor)
    return (before.flags & Async) && before.actor != now.actor &&
                   before.time >
                       actors[now.actor].tensorFenced.get(before.actor)
               ? std::optional(Finding::Kind::UnfencedTensor)
               : std::nullopt;
  if ((before.flags & Writes) && (now.flags & Async) &&
      !(before.flags & Async) &&
      before.time > actors[now.actor].fenced.get(isOfBlock).get(before.actor))
    return Finding::Kind::Unfenced;
  return std::nullopt;
}

bool OrderChecker::isWrittenBefore(const Cell &cell, const Event &now) const {
  auto isSilentBefore = [&](const Event &event) {
    return event && (event.flags & Silent) && isBefore(event, now.actor);
  };
  return isSilentBefore(cell.since) ||
         (cell.more && llvm::any_of(*cell.more, isSilentBefore));
}

std::optional<OrderChecker::Finding>
OrderChecker::check(const Cell &cell, const Event &now, bool isOfBlock) const {
  if (findsRaces) {
    if (cell.write)
      if (auto kind = compare(cell.write, now, isOfBlock))
        if (*kind != Finding::Kind::Race || (now.flags & Writes) ||
            !isWrittenBefore(cell, now))
          return Finding{*kind, 0, cell.write};
    // Reads and reads are in no order.
    if (cell.since && ((now.flags & Writes) || cell.hasStrongWrites)) {
      if (auto kind = compare(cell.since, now, isOfBlock))
        return Finding{*kind, 0, cell.since};
      if (cell.more)
        for (const Event &event : *cell.more)
          if (auto kind = compare(event, now, isOfBlock))
            return Finding{*kind, 0, event};
    }
  }
  return std::nullopt;
}

void OrderChecker::update(Cell &cell, const Event &now, bool isOfBlock) {
  const bool isSilent =
      (now.flags & Silent) && cell.write && !isBefore(cell.write, now.actor);
  if ((now.flags & (Writes | Strong)) == Writes && !isSilent) {
    cell.write = now;
    cell.since = {};
    cell.more = nullptr;
    cell.hasStrongWrites = cell.hasSilentWrites = false;
    return;
  }
  cell.hasStrongWrites |= (now.flags & Writes) && (now.flags & Strong);
  cell.hasSilentWrites |= bool(now.flags & Silent);
  // An event that is not ordered after the earlier ones is not ordered after
  // this one, either.
  auto isCovered = [&](const Event &event) {
    return (now.flags & Strong) <= (event.flags & Strong) &&
           (now.flags & Writes) >= (event.flags & Writes) &&
           isBefore(event, now.actor);
  };
  if (!cell.more) {
    if (cell.since && !isCovered(cell.since))
      cell.more = std::make_unique<std::vector<Event>>(1, cell.since);
    cell.since = now;
    return;
  }
  const Event last = std::exchange(cell.since, now);
  if (isCovered(last))
    return;
  std::vector<Event> &more = *cell.more;
  const size_t limit = isOfBlock              ? ~size_t(0)
                       : cell.hasSilentWrites ? kMaxSilentEvents
                                              : kMaxGlobalEvents;
  if (more.size() >= limit) {
    more[numForgotten++ % more.size()] = last;
    return;
  }
  // All lanes of a CTA may read a word repeatedly: redundant events are removed
  // only when there is no more room.
  if (more.size() == more.capacity()) {
    llvm::erase_if(more, isCovered);
    more.reserve(2 * more.size() + 4);
  }
  more.push_back(last);
}

std::optional<OrderChecker::Finding>
OrderChecker::access(Actor actor, uint64_t address, uint64_t bytes,
                     uint32_t flags, uint32_t site, bool isOfBlock) {
  const Event now(actor, clocks.advance(actor), actors[actor].owner, site,
                  flags);
  std::optional<Finding> finding;
  auto isSame = [&](const Event &event) {
    return event.actor == actor && event.time == now.time &&
           event.flags == flags;
  };
  shadow.forEach(address, bytes, [&](Cell &cell, uint64_t begin) {
    // Nothing has happened since the last time.
    if (isSame(cell.since) || (isSame(cell.write) && !cell.since))
      return true;
    finding = check(cell, now, isOfBlock);
    if (finding) {
      finding->address = begin;
      return false;
    }
    // A plain write does not synchronize with a strong read.
    if ((flags & (Writes | Strong)) == Writes && cell.hasStrongWrites)
      locations.erase(begin);
    update(cell, now, isOfBlock);
    return true;
  });
  return finding;
}

std::optional<uint32_t> OrderChecker::findObserver(const Event &event) const {
  for (auto [actor, state] : llvm::enumerate(actors))
    if (state.isThread && isBefore(event, actor))
      return state.owner;
  return std::nullopt;
}

template <typename Map>
static void eraseInside(Map &map, uint64_t begin, uint64_t bytes) {
  for (auto next = map.begin(); next != map.end();) {
    auto entry = next++;
    if (entry->first - begin < bytes)
      map.erase(entry);
  }
}

void OrderChecker::forget(uint64_t begin, uint64_t bytes) {
  shadow.forget(begin, bytes);
  eraseInside(locations, begin, bytes);
  eraseInside(phases, begin, bytes);
}

} // namespace gridir::ptx
