//===- WarpCollectives.cpp - What the lanes of a warp do together ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Collectives.h"

#include "llvm/ADT/bit.h"

#include <cmath>

using namespace llvm;

namespace gridir::ptx {

namespace {

uint32_t getMask(const Group &group) {
  uint32_t mask = 0;
  for (auto [lane, thread] : llvm::enumerate(group.threads))
    mask |= uint32_t(thread != nullptr) << lane;
  return mask;
}

/// Calls `body` with each lane that is there and its arguments.
template <typename Body> void forEachLane(const Group &group, Body body) {
  for (auto [lane, words] : llvm::enumerate(group.arguments))
    if (words)
      body(unsigned(lane), words);
}

/// The result of 32 bits, and the predicate that may be named beside it.
void addWordAndPredicate(Encoder &e) {
  ArrayRef<Operand> results = e.emitter.getElements(e.emitter.getOperand(0));
  e.addResult(results[0], 32);
  if (results.size() == 2)
    e.addResult(results[1], 1);
}

/// Results are undefined if an operand of a lane is, which is argument 2.
void spreadUndefined(const Group &group, unsigned numResults) {
  if (!group.execution.tracksUndefined())
    return;
  Undefined all;
  forEachLane(group, [&](unsigned lane, uint64_t *) {
    all.join(group.getUndefined(lane, 2));
  });
  forEachLane(group, [&](unsigned lane, uint64_t *) {
    for (unsigned i = 0; i < numResults; ++i)
      group.setUndefined(lane, i, all.spread(~uint64_t(0)));
  });
}

constexpr StringRef kShuffles[] = {"up", "down", "bfly", "idx"};

void encodeShuffle(Encoder &e) {
  Emitter &emitter = e.emitter;
  StringRef mode = emitter.takeOneOf(kShuffles);
  emitter.takeType();
  emitter.expectOperands(5, 5);
  e.add(emitter.getOperand(4), 32);
  e.add(uint64_t(llvm::find(kShuffles, mode) - std::begin(kShuffles)));
  for (unsigned i = 1; i < 4; ++i)
    e.add(emitter.getOperand(i), 32);
  addWordAndPredicate(e);
}

/// Arguments: mask, mode, value, lane or distance, clamp and segment.
void runShuffle(const Group &group) {
  std::array<uint32_t, 32> values = {};
  std::array<Undefined, 32> undefined;
  forEachLane(group, [&](unsigned lane, uint64_t *words) {
    values[lane] = words[2];
    if (group.execution.tracksUndefined()) {
      undefined[lane] = group.getUndefined(lane, 2);
      for (unsigned word : {3, 4})
        group.execution.expectDefined(*group.threads[lane], words + word,
                                      sizeof(uint64_t), group.site);
    }
  });
  forEachLane(group, [&](unsigned lane, uint64_t *words) {
    const uint32_t segment = words[4] >> 8 & 31, clamp = words[4] & 31;
    const uint32_t distance = words[3] & 31;
    const int last = (lane & segment) | (clamp & ~segment);
    int source = 0;
    bool isInside = false;
    switch (words[1]) {
    case 0:
      source = int(lane) - int(distance);
      isInside = source >= last;
      break;
    case 1:
      source = lane + distance;
      isInside = source <= last;
      break;
    case 2:
      source = lane ^ distance;
      isInside = source <= last;
      break;
    default:
      source = (lane & segment) | (distance & ~segment);
      isInside = source <= last;
      break;
    }
    if (!isInside)
      source = lane;
    if (!group.threads[source])
      group.fail("expected a source lane of the mask, got " +
                 std::to_string(source));
    words[0] = values[source];
    words[1] = isInside;
    if (group.execution.tracksUndefined()) {
      group.setUndefined(lane, 0, undefined[source]);
      group.setUndefined(lane, 1, {});
    }
  });
}

constexpr StringRef kVotes[] = {"all", "any", "uni", "ballot"};

void encodeVote(Encoder &e) {
  Emitter &emitter = e.emitter;
  StringRef mode = emitter.takeOneOf(kVotes);
  const unsigned bits = mode == "ballot" ? 32 : 1;
  emitter.takeType();
  emitter.expectOperands(3, 3);
  e.add(emitter.getOperand(2), 32);
  e.add(uint64_t(llvm::find(kVotes, mode) - std::begin(kVotes)));
  e.add(emitter.getOperand(1), 1);
  e.addResult(emitter.getOperand(0), bits);
}

void runVote(const Group &group) {
  uint32_t votes = 0;
  forEachLane(group, [&](unsigned lane, uint64_t *words) {
    votes |= uint32_t(words[2] & 1) << lane;
  });
  const uint32_t mask = getMask(group);
  const uint64_t results[] = {votes == mask, votes != 0,
                              votes == mask || votes == 0, votes};
  spreadUndefined(group, 1);
  forEachLane(group, [&](unsigned, uint64_t *words) {
    words[0] = results[words[1] & 3];
  });
}

void encodeMatch(Encoder &e) {
  Emitter &emitter = e.emitter;
  const bool isAll = emitter.take("all");
  emitter.take("any");
  ScalarType type = emitter.takeType();
  emitter.expectOperands(3, 3);
  e.add(emitter.getOperand(2), 32);
  e.add(uint64_t(isAll));
  e.add(emitter.getOperand(1), type.bits);
  addWordAndPredicate(e);
}

void runMatch(const Group &group) {
  std::array<uint64_t, 32> values = {};
  forEachLane(group,
              [&](unsigned lane, uint64_t *words) { values[lane] = words[2]; });
  const uint32_t mask = getMask(group);
  spreadUndefined(group, 2);
  forEachLane(group, [&](unsigned lane, uint64_t *words) {
    uint32_t equal = 0;
    for (unsigned i = 0; i < 32; ++i)
      equal |= uint32_t((mask >> i & 1) && values[i] == values[lane]) << i;
    const bool isAll = words[1];
    words[0] = isAll && equal != mask ? 0 : equal;
    words[1] = equal == mask;
  });
}

using Combine = uint32_t (*)(uint32_t, uint32_t);

template <bool isMax, typename T> uint32_t choose(uint32_t x, uint32_t y) {
  const T a = bit_cast<T>(x), b = bit_cast<T>(y);
  return (isMax ? a > b : a < b) ? x : y;
}

template <bool isMax> uint32_t chooseFloat(uint32_t x, uint32_t y) {
  const float a = bit_cast<float>(x), b = bit_cast<float>(y);
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? y : x;
  return choose<isMax, float>(x, y);
}

struct ReductionRow {
  StringLiteral op;
  TypeKind kind;
  Combine combine;
};

constexpr ReductionRow kReductions[] = {
    {"add", TypeKind::Unsigned, [](uint32_t x, uint32_t y) { return x + y; }},
    {"add", TypeKind::Signed, [](uint32_t x, uint32_t y) { return x + y; }},
    {"min", TypeKind::Unsigned, choose<false, uint32_t>},
    {"max", TypeKind::Unsigned, choose<true, uint32_t>},
    {"min", TypeKind::Signed, choose<false, int32_t>},
    {"max", TypeKind::Signed, choose<true, int32_t>},
    {"min", TypeKind::Float, chooseFloat<false>},
    {"max", TypeKind::Float, chooseFloat<true>},
    {"and", TypeKind::Bits, [](uint32_t x, uint32_t y) { return x & y; }},
    {"or", TypeKind::Bits, [](uint32_t x, uint32_t y) { return x | y; }},
    {"xor", TypeKind::Bits, [](uint32_t x, uint32_t y) { return x ^ y; }}};

void encodeReduction(Encoder &e) {
  Emitter &emitter = e.emitter;
  ScalarType type = emitter.takeType();
  emitter.expectOperands(3, 3);
  e.add(emitter.getOperand(2), 32);
  StringRef op = emitter.takeOneOf({"add", "min", "max", "and", "or", "xor"});
  const auto *row = llvm::find_if(kReductions, [&](const ReductionRow &row) {
    return row.op == op && row.kind == type.kind;
  });
  if (row == std::end(kReductions) || type.bits != 32) {
    emitter.fail("this form of 'redux' is not implemented");
    return;
  }
  e.add(uint64_t(row - std::begin(kReductions)));
  e.add(emitter.getOperand(1), 32);
  e.addResult(emitter.getOperand(0), 32);
}

void runReduction(const Group &group) {
  std::optional<uint32_t> result;
  forEachLane(group, [&](unsigned, uint64_t *words) {
    result = result ? kReductions[words[1]].combine(*result, words[2])
                    : uint32_t(words[2]);
  });
  spreadUndefined(group, 1);
  forEachLane(group, [&](unsigned, uint64_t *words) { words[0] = *result; });
}

void encodeMask(Encoder &e) {
  e.emitter.expectOperands(1, 1);
  e.add(e.emitter.getOperand(0), 32);
}

/// Orders the earlier events of each lane before the later events of all.
void runMeet(const Group &group) {
  OrderChecker *order = group.execution.getOrder();
  if (!order)
    return;
  Knowledge known;
  for (Thread *thread : group.threads)
    if (thread)
      order->release(thread->actor, known);
  for (Thread *thread : group.threads)
    if (thread)
      order->acquire(thread->actor, known);
}

void encodeElect(Encoder &e) {
  Emitter &emitter = e.emitter;
  emitter.expectOperands(2, 2);
  e.add(emitter.getOperand(1), 32);
  e.add(uint64_t(0));
  addWordAndPredicate(e);
}

/// The lowest lane is elected.
void runElect(const Group &group) {
  const unsigned leader = countr_zero(getMask(group));
  forEachLane(group, [&](unsigned lane, uint64_t *words) {
    words[0] = leader;
    words[1] = lane == leader;
  });
}

void encodeActive(Encoder &e) {
  e.emitter.takeType();
  e.emitter.expectOperands(1, 1);
  e.add(uint64_t(0));
  e.addResult(e.emitter.getOperand(0), 32);
}

/// All live lanes: it is not known here which of them are at the same
/// instruction.
void runActive(const Group &group) {
  group.arguments[0][0] = group.thread.warp->live;
}

constexpr CollectiveRow kRows[] = {
    {"shfl.sync", Team::Mask, encodeShuffle, runShuffle,
     "Data Movement and Conversion Instructions: shfl.sync",
     /*isAnywhere=*/false, /*isTracked=*/true},
    {"vote.sync", Team::Mask, encodeVote, runVote,
     "Parallel Synchronization and Communication Instructions: vote.sync",
     /*isAnywhere=*/false, /*isTracked=*/true},
    {"match.sync", Team::Mask, encodeMatch, runMatch,
     "Parallel Synchronization and Communication Instructions: match.sync",
     /*isAnywhere=*/false, /*isTracked=*/true},
    {"redux.sync", Team::Mask, encodeReduction, runReduction,
     "Parallel Synchronization and Communication Instructions: redux.sync",
     /*isAnywhere=*/false, /*isTracked=*/true},
    {"elect.sync", Team::Mask, encodeElect, runElect,
     "Parallel Synchronization and Communication Instructions: elect.sync"},
    {"bar.warp.sync", Team::Mask, encodeMask, runMeet,
     "Parallel Synchronization and Communication Instructions: bar.warp.sync",
     /*isAnywhere=*/true},
    {"activemask", Team::Thread, encodeActive, runActive,
     "Parallel Synchronization and Communication Instructions: activemask"}};

} // namespace

ArrayRef<CollectiveRow> getWarpRows() { return kRows; }

} // namespace gridir::ptx
