//===- SemaphoreOrder.cpp - The events that a wait certainly follows ------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SemaphoreOrder.h"

#include <algorithm>

namespace gridir::cpu {

namespace {

/// The limits of both lists. Kernels rarely have more copies in flight.
constexpr std::size_t kMaxAdditions = 1024, kMaxTakings = 128;

bool knows(const VectorClock &clock, VectorClock::Entry event) {
  return event.second <= clock.get(event.first);
}

} // namespace

void SemaphoreOrder::add(int64_t amount, Thread thread,
                         const VectorClock &clock) {
  value += amount;
  if (amount <= 0) {
    taken -= amount;
    takenInAll -= amount;
    return;
  }
  isOfOneThread = false;
  added += amount;
  additions.push_back(
      {amount, clock, VectorClock::Entry(thread, clock.get(thread))});
  shorten();
}

void SemaphoreOrder::addCopy(int64_t amount, Thread copy,
                             const VectorClock &clock,
                             VectorClock::Entry start) {
  if (amount <= 0)
    return;
  setOwner(start.first);
  added += amount;
  additions.push_back({amount, clock, start, copy});
  shorten();
}

void SemaphoreOrder::endCopy(Thread copy, const VectorClock &clock) {
  // The last copies are usually the first ones that end.
  auto found =
      std::find_if(additions.rbegin(), additions.rend(),
                   [&](const Addition &each) { return each.copy == copy; });
  if (found == additions.rend())
    return;
  value += found->amount;
  found->copy = std::nullopt;
  found->end = VectorClock::Entry(copy, clock.get(copy));
  found->endClock = clock;
}

bool SemaphoreOrder::isKnown(const Addition &addition,
                             const VectorClock &clock) {
  if (addition.last)
    return knows(clock, *addition.last);
  return std::all_of(
      addition.clock.getEntries().begin(), addition.clock.getEntries().end(),
      [&](VectorClock::Entry event) { return knows(clock, event); });
}

void SemaphoreOrder::forEachUnknown(
    const VectorClock &clock,
    llvm::function_ref<void(int64_t, const VectorClock &)> visit) const {
  for (const Addition &addition : additions) {
    const bool ends = addition.end && !knows(clock, *addition.end);
    if (ends)
      visit(1, addition.endClock);
    if (!isKnown(addition, clock))
      visit(addition.amount - ends, addition.clock);
  }
}

VectorClock SemaphoreOrder::joinAdditions() {
  VectorClock all;
  for (const Addition &addition : additions) {
    all.join(addition.clock);
    all.join(addition.endClock);
  }
  additions.clear();
  additions.push_back({added, all, std::nullopt});
  return all;
}

VectorClock SemaphoreOrder::observe(int64_t amount, Thread thread,
                                    const VectorClock &clock) {
  VectorClock events;
  if (amount <= 0)
    return events;
  setOwner(thread);
  if (isOfOneThread)
    return takenInAll + amount < added ? events : joinAdditions();
  amount += taken;
  for (const Taking &taking : takings)
    if (knows(clock, {taking.thread, taking.time}))
      amount += taking.amount;
  int64_t unknown = 0;
  forEachUnknown(clock,
                 [&](int64_t part, const VectorClock &) { unknown += part; });
  // The rest suffices for the number.
  if (added - unknown >= amount)
    return events;
  if (amount >= added)
    return joinAdditions();
  VectorClock all;
  forEachUnknown(clock,
                 [&](int64_t, const VectorClock &part) { all.join(part); });
  std::vector<std::pair<VectorClock::Time, int64_t>> times;
  for (VectorClock::Entry last : all.getEntries()) {
    if (knows(clock, last))
      continue;
    times.clear();
    forEachUnknown(clock, [&](int64_t part, const VectorClock &known) {
      times.push_back({known.get(last.first), part});
    });
    std::sort(times.begin(), times.end());
    int64_t sum = added - unknown;
    for (auto [time, part] : times) {
      sum += part;
      if (sum < amount)
        continue;
      if (time > 0)
        events.set(last.first, time);
      break;
    }
  }
  return events;
}

void SemaphoreOrder::take(int64_t amount, Thread thread,
                          VectorClock::Time time) {
  value -= amount;
  takenInAll += amount;
  takings.push_back({amount, thread, time});
  shorten();
}

void SemaphoreOrder::synchronize(int64_t current) {
  const int64_t difference = current - value;
  value = current;
  if (difference < 0) {
    taken -= difference;
    takenInAll -= difference;
  } else if (difference > 0) {
    added += difference;
    additions.push_back({difference, VectorClock(), std::nullopt});
  }
}

void SemaphoreOrder::shorten() {
  if (takings.size() > kMaxTakings) {
    auto middle = takings.begin() + kMaxTakings / 2;
    for (auto taking = takings.begin(); taking != middle; ++taking)
      taken += taking->amount;
    takings.erase(takings.begin(), middle);
  }
  if (isOfOneThread || additions.size() <= kMaxAdditions)
    return;
  // Later clocks for the same amounts: a wait follows more.
  std::vector<Addition> rest;
  Addition merged{0, VectorClock(), std::nullopt};
  for (std::size_t number = 0; number < additions.size(); ++number) {
    Addition &addition = additions[number];
    if (addition.copy || number >= kMaxAdditions / 2) {
      rest.push_back(std::move(addition));
      continue;
    }
    merged.amount += addition.amount;
    merged.clock.join(addition.clock);
    merged.clock.join(addition.endClock);
  }
  if (merged.amount > 0)
    rest.push_back(std::move(merged));
  additions = std::move(rest);
}

} // namespace gridir::cpu
