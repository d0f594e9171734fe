//===- MBarriers.cpp - Barriers in shared memory that count arrivals and bytes ===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MBarriers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

/// The contents of a word of shared memory, in gridir's own format.
struct MBarrier {
  static constexpr unsigned kCountBits = 20, kBytesBits = 22;
  /// The bit in the word where the phase is.
  static constexpr uint64_t kPhase = uint64_t(1) << 63;
  /// Uninitialized memory; no barrier expects this many arrivals.
  static constexpr uint64_t kUnwritten = ~uint64_t(0);

  int64_t pending = 0, expected = 0, bytes = 0;
  bool phase = false;

  static MBarrier unpack(uint64_t word) {
    MBarrier result;
    result.pending = word & maskTrailingOnes<uint64_t>(kCountBits);
    result.expected =
        word >> kCountBits & maskTrailingOnes<uint64_t>(kCountBits);
    result.bytes = SignExtend64<kBytesBits>(word >> 2 * kCountBits);
    result.phase = word & kPhase;
    return result;
  }

  uint64_t pack() const {
    return uint64_t(pending) | uint64_t(expected) << kCountBits |
           (uint64_t(bytes) & maskTrailingOnes<uint64_t>(kBytesBits))
               << 2 * kCountBits |
           (phase ? kPhase : 0);
  }
};

/// Describes the arrivals that a phase expects, and those of the current one.
std::string describeMBarrier(uint64_t word) {
  const MBarrier barrier = MBarrier::unpack(word);
  std::string text =
      std::to_string(barrier.expected) +
      (barrier.expected == 1 ? " arrival completes" : " arrivals complete") +
      " a phase, " + std::to_string(barrier.expected - barrier.pending) +
      " came to this one";
  if (barrier.bytes != 0)
    text += ", which waits for " + std::to_string(barrier.bytes) + " bytes";
  return text;
}

std::string hex(uint64_t value) { return "0x" + utohexstr(value, true); }

uint64_t *findWord(const Group &group, uint64_t address) {
  return reinterpret_cast<uint64_t *>(
      group.execution.locateShared(group.thread, address, 8, 8, group.site));
}

uint64_t *findInitialized(const Group &group, uint64_t address) {
  uint64_t *word = findWord(group, address);
  if (*word == MBarrier::kUnwritten)
    group.fail("expected a barrier that was initialized, got uninitialized "
               "memory at " +
               hex(address));
  return word;
}

struct Modifiers {
  bool isGeneric, isRelaxed;
};

Modifiers takeModifiers(Emitter &emitter) {
  const bool isShared =
      !emitter.takeOneOf({"shared", "shared::cta", "shared::cluster"}).empty();
  const bool isRelaxed =
      emitter.takeOneOf({"release", "acquire", "relaxed"}) == "relaxed";
  emitter.takeOneOf({"cta", "cluster"});
  return {!isShared, isRelaxed};
}

/// Records an access to the barrier itself, which others must find initialized.
void noteWord(const Group &group, const AsyncUnitRef &unit,
              const uint64_t *word, uint32_t flags) {
  group.execution.checkOrder(group.thread, unit, word, sizeof(*word), flags,
                             group.site);
}

/// Arguments: the address, and the next operand or a number.
void encodeInit(Encoder &e) {
  const bool generic = takeModifiers(e.emitter).isGeneric;
  e.emitter.takeType();
  e.emitter.expectOperands(2, 2);
  e.addShared(e.emitter.getOperand(0), generic);
  e.add(e.emitter.getOperand(1), 32);
}

void runInit(const Group &group) {
  const uint64_t *words = group.arguments[0];
  MBarrier barrier;
  barrier.pending = barrier.expected = uint32_t(words[1]);
  if (barrier.expected < 1 ||
      barrier.expected > (1 << MBarrier::kCountBits) - 1)
    group.fail("expected a number of arrivals from 1 to 1048575, got " +
               std::to_string(barrier.expected));
  uint64_t *word = findWord(group, words[0]);
  noteWord(group, nullptr, word, Writes);
  if (OrderChecker *order = group.execution.getOrder())
    order->getPhases(reinterpret_cast<uint64_t>(word)) = {};
  if (Profile *profile = group.execution.getProfile())
    profile->getPhases(word) = {};
  group.execution.forgetArrivals(word);
  *word = barrier.pack();
}

void encodeInvalidate(Encoder &e) {
  const bool generic = takeModifiers(e.emitter).isGeneric;
  e.emitter.takeType();
  e.emitter.expectOperands(1, 1);
  e.addShared(e.emitter.getOperand(0), generic);
}

void runInvalidate(const Group &group) {
  uint64_t *word = findInitialized(group, group.arguments[0][0]);
  noteWord(group, nullptr, word, Writes);
  *word = MBarrier::kUnwritten;
}

/// Arguments: address, arrivals, bytes, whether later phases expect less, and
/// whether it is relaxed.
template <bool drops> void encodeArrive(Encoder &e) {
  Emitter &emitter = e.emitter;
  const auto [generic, isRelaxed] = takeModifiers(emitter);
  const bool expects = emitter.take("expect_tx");
  emitter.take("noComplete");
  emitter.takeType();
  const bool hasState = emitter.getOperand(0).kind != Operand::Kind::Address;
  emitter.expectOperands(1 + hasState, 2 + hasState);
  e.addShared(emitter.getOperand(hasState), generic);
  const bool hasNumber = emitter.getNumOperands() > 1u + hasState;
  auto addNumber = [&](uint64_t otherwise) {
    if (hasNumber)
      e.add(emitter.getOperand(1 + hasState), 32);
    else
      e.add(otherwise);
  };
  if (expects) {
    e.add(uint64_t(1));
    addNumber(0);
  } else {
    addNumber(1);
    e.add(uint64_t(0));
  }
  e.add(uint64_t(drops));
  e.add(uint64_t(isRelaxed));
  if (hasState)
    e.addResult(emitter.getOperand(0), 64);
}

void runArrive(const Group &group) {
  uint64_t *words = group.arguments[0];
  uint64_t *word = findInitialized(group, words[0]);
  const uint64_t state = *word;
  if (words[3]) {
    MBarrier barrier = MBarrier::unpack(*word);
    barrier.expected -= words[1];
    if (barrier.expected < 0)
      group.fail("expected a barrier with arrivals left to drop");
    *word = barrier.pack();
  }
  if (uint32_t bytes = words[2])
    updateMBarrier(group, words[0], 0, -int64_t(bytes), Telling::Nothing);
  updateMBarrier(group, words[0], uint32_t(words[1]), 0,
                 words[4] ? Telling::Fenced : Telling::All);
  words[0] = state;
}

template <bool isExpected> void encodeTransaction(Encoder &e) {
  encodeInit(e);
  e.add(uint64_t(isExpected));
}

void runTransaction(const Group &group) {
  const uint64_t *words = group.arguments[0];
  const int64_t bytes = uint32_t(words[1]);
  updateMBarrier(group, words[0], 0, words[2] ? -bytes : bytes,
                 Telling::Nothing);
}

/// Arguments: address, the phase that is waited for, whether to wait, and
/// whether it is relaxed.
template <bool waits> void encodeWait(Encoder &e) {
  Emitter &emitter = e.emitter;
  const auto [generic, isRelaxed] = takeModifiers(emitter);
  const bool hasParity = emitter.take("parity");
  emitter.takeType();
  emitter.expectOperands(3, waits ? 4 : 3);
  e.addShared(emitter.getOperand(1), generic);
  Value *phase =
      hasParity ? emitter.readInteger(2, 32)
                : emitter.builder.CreateLShr(emitter.readInteger(2, 64), 63);
  e.add(emitter.builder.CreateAnd(phase, 1));
  e.add(uint64_t(waits));
  e.add(uint64_t(isRelaxed));
  e.addResult(emitter.getOperand(0), 1);
}

/// A thread in `try_wait` is woken when the phase completes, so that the loop
/// around it does not spin. A phase that never completes is then detected.
void runWait(const Group &group) {
  uint64_t *words = group.arguments[0];
  const uint64_t *word = findInitialized(group, words[0]);
  noteWord(group, nullptr, word, Reads | Strong);
  const uint64_t phase = words[1] ? MBarrier::kPhase : 0;
  const bool isOver = (*word & MBarrier::kPhase) != phase;
  if (!isOver && words[2])
    group.execution.wait(group.thread, group.site,
                         {word, MBarrier::kPhase, phase, describeMBarrier});
  else if (!isOver)
    group.execution.pause(group.thread, group.site);
  const bool isRelaxed = words[3];
  words[0] = (*word & MBarrier::kPhase) != phase;
  OrderChecker *order = group.execution.getOrder();
  if (words[0] && !isRelaxed && order)
    order->acquire(
        group.thread.actor,
        order->getPhases(reinterpret_cast<uint64_t>(word)).completed);
  if (Profile *profile = group.execution.getProfile(); profile && words[0])
    group.execution.countWait(group.thread, profile->getPhases(word).completed);
}

void encodePending(Encoder &e) {
  e.emitter.takeType();
  e.emitter.expectOperands(2, 2);
  e.add(e.emitter.getOperand(1), 64);
  e.addResult(e.emitter.getOperand(0), 32);
}

void runPending(const Group &group) {
  uint64_t *words = group.arguments[0];
  words[0] = MBarrier::unpack(words[0]).pending;
}

constexpr StringLiteral kSection =
    "Parallel Synchronization and Communication Instructions: mbarrier";

constexpr CollectiveRow kRows[] = {
    {"mbarrier.init", Team::Thread, encodeInit, runInit, kSection},
    {"mbarrier.inval", Team::Thread, encodeInvalidate, runInvalidate, kSection},
    {"mbarrier.arrive", Team::Thread, encodeArrive<false>, runArrive, kSection},
    {"mbarrier.arrive_drop", Team::Thread, encodeArrive<true>, runArrive,
     kSection},
    {"mbarrier.expect_tx", Team::Thread, encodeTransaction<true>,
     runTransaction, kSection},
    {"mbarrier.complete_tx", Team::Thread, encodeTransaction<false>,
     runTransaction, kSection},
    {"mbarrier.test_wait", Team::Thread, encodeWait<false>, runWait, kSection},
    {"mbarrier.try_wait", Team::Thread, encodeWait<true>, runWait, kSection},
    {"mbarrier.pending_count", Team::Thread, encodePending, runPending,
     kSection}};

} // namespace

ArrayRef<CollectiveRow> getMBarrierRows() { return kRows; }

void updateMBarrier(const Group &group, uint64_t address, int64_t arrivals,
                    int64_t bytes, Telling telling, const AsyncUnitRef &unit) {
  uint64_t *word = findInitialized(group, address);
  noteWord(group, unit, word, Reads | Writes | Strong);
  MBarrier barrier = MBarrier::unpack(*word);
  if (barrier.pending < arrivals)
    group.fail("expected at most " + std::to_string(barrier.pending) +
               " more arrivals at the barrier at " + hex(address) + ", got " +
               std::to_string(arrivals));
  barrier.pending -= arrivals;
  barrier.bytes -= bytes;
  if (arrivals)
    group.execution.countArrivals(word, arrivals, group.site);
  constexpr int64_t limit = (1 << 20) - 1;
  if (barrier.bytes > limit || barrier.bytes < -limit)
    group.fail("expected the barrier at " + hex(address) +
               " to wait for at most 1048575 bytes, got " +
               std::to_string(barrier.bytes));
  OrderChecker *order = group.execution.getOrder();
  OrderChecker::Phases *phases =
      order ? &order->getPhases(reinterpret_cast<uint64_t>(word)) : nullptr;
  if (phases && telling == Telling::All)
    order->release(unit ? unit->actor : group.thread.actor, phases->current);
  else if (phases && telling == Telling::Fenced)
    order->releaseFenced(group.thread.actor, phases->current,
                         /*isNarrow=*/false);
  Profile *profile = group.execution.getProfile();
  Profile::Phases *clocks = profile ? &profile->getPhases(word) : nullptr;
  if (clocks)
    clocks->current = std::max(clocks->current, group.thread.frame.clock);
  if (barrier.pending == 0 && barrier.bytes == 0) {
    if (phases)
      phases->completed = phases->current;
    if (clocks)
      clocks->completed = clocks->current;
    barrier.pending = barrier.expected;
    barrier.phase = !barrier.phase;
  }
  *word = barrier.pack();
}

} // namespace gridir::ptx
