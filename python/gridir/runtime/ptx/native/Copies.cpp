//===- Copies.cpp - Copies that go on beside the threads ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy is done when it is started: that is an order in which hardware may do
// it, too. Whoever waits for it finds it done.
//
//===----------------------------------------------------------------------===//

#include "Copies.h"

#include "MBarriers.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

// cp.async: a few bytes of a thread.

/// Arguments: to, from, bytes, bytes that are read; the others become zero.
void encodeCopy(Encoder &e) {
  Emitter &emitter = e.emitter;
  takeCopyModifiers(emitter);
  emitter.takeOneOf({"ca", "cg"});
  const bool isShared = !emitter.takeOneOf({"shared", "shared::cta"}).empty();
  if (!isShared || !emitter.take("global"))
    emitter.fail("expected a copy from '.global' to '.shared'");
  emitter.expectOperands(3, 5);
  std::optional<uint64_t> bytes = emitter.findConstant(emitter.getOperand(2));
  if (!bytes || (*bytes != 4 && *bytes != 8 && *bytes != 16)) {
    emitter.fail("expected a copy of 4, 8 or 16 bytes");
    return;
  }
  e.addShared(emitter.getOperand(0), /*isGeneric=*/false);
  e.add(emitter.readAddress(emitter.getOperand(1)));
  e.add(*bytes);
  if (emitter.getNumOperands() == 3) {
    e.add(*bytes);
    return;
  }
  const Operand &last = emitter.getOperand(3);
  const Symbol *symbol = emitter.context.scopes.find(last.name);
  if (!symbol || symbol->type.kind != TypeKind::Predicate) {
    e.add(last, 32);
    return;
  }
  // A predicate that is true ignores the source.
  IRBuilder<> &b = emitter.builder;
  e.add(b.CreateSelect(emitter.readInteger(3, 1), b.getInt64(0),
                       b.getInt64(*bytes)));
}

void runCopy(const Group &group) {
  const uint64_t *words = group.arguments[0];
  const uint64_t bytes = words[2], read = words[3];
  if (read > bytes)
    group.fail("expected to read at most " + std::to_string(bytes) +
               " bytes, got " + std::to_string(read));
  char *to = group.execution.locateShared(group.thread, words[0], bytes, bytes,
                                          group.site);
  std::memset(to, 0, bytes);
  if (read)
    std::memcpy(to,
                group.execution.locateGlobal(group.thread, words[1], read,
                                             bytes, group.site),
                read);
}

void encodeNothing(Encoder &e) { e.emitter.expectOperands(0, 0); }

void encodeWait(Encoder &e) {
  e.emitter.take("read");
  e.emitter.expectOperands(1, 1);
}

void runNothing(const Group &) {}

/// The copies before it are done. An arrival that the barrier does not expect
/// is first added to what it expects.
void encodeArrive(Encoder &e) {
  Emitter &emitter = e.emitter;
  const bool isExpected = emitter.take("noinc");
  const bool isShared = !emitter.takeOneOf({"shared", "shared::cta"}).empty();
  emitter.takeType();
  emitter.expectOperands(1, 1);
  e.addShared(emitter.getOperand(0), !isShared);
  e.add(uint64_t(isExpected));
}

void runArrive(const Group &group) {
  updateMBarrier(group, group.arguments[0][0], group.arguments[0][1], 0);
}

// cp.async.bulk: many bytes, which a barrier or a group counts.

/// Arguments: direction, to, from, bytes, barrier, whether there is a mask,
/// the mask.
void encodeBulk(Encoder &e) {
  Emitter &emitter = e.emitter;
  const Direction direction = takeDirection(emitter);
  const bool isMulticast = takeCopyModifiers(emitter);
  emitter.expectOperands(3, 6);
  auto addAddress = [&](unsigned index, bool isShared) {
    if (isShared)
      e.addShared(emitter.getOperand(index), /*isGeneric=*/false);
    else
      e.add(emitter.readAddress(emitter.getOperand(index)));
  };
  e.add(uint64_t(direction));
  addAddress(0, direction != Direction::ToGlobal);
  addAddress(1, direction != Direction::ToShared);
  e.add(emitter.getOperand(2), 32);
  if (direction == Direction::ToGlobal) {
    e.add(uint64_t(0));
    e.add(uint64_t(0));
    e.add(uint64_t(0));
    return;
  }
  addAddress(3, true);
  e.add(uint64_t(isMulticast));
  if (isMulticast)
    e.add(emitter.getOperand(4), 16);
  else
    e.add(uint64_t(0));
}

void runBulk(const Group &group) {
  const uint64_t *words = group.arguments[0];
  const Direction direction = static_cast<Direction>(words[0]);
  const uint64_t to = words[1], from = words[2], bytes = words[3];
  Execution &execution = group.execution;
  Thread &thread = group.thread;
  if (bytes % 16)
    group.fail("expected a number of bytes that is a multiple of 16, got " +
               std::to_string(bytes));
  char *source =
      direction == Direction::ToShared
          ? execution.locateGlobal(thread, from, bytes, 16, group.site)
          : execution.locateShared(thread, from, bytes, 16, group.site);
  if (direction == Direction::ToGlobal) {
    std::memcpy(execution.locateGlobal(thread, to, bytes, 16, group.site),
                source, bytes);
    return;
  }
  const bool isMulticast = words[5];
  forEachDestination(group, isMulticast, words[6], to, [&](uint64_t rank) {
    std::memcpy(execution.locateShared(thread, getSharedAddress(rank, to),
                                       bytes, 16, group.site),
                source, bytes);
    updateMBarrier(group,
                   isMulticast ? getSharedAddress(rank, words[4]) : words[4], 0,
                   bytes);
  });
}

constexpr StringLiteral kSection =
    "Data Movement and Conversion Instructions: Asynchronous copy";

constexpr CollectiveRow kRows[] = {
    {"cp.async", Team::Thread, encodeCopy, runCopy, kSection},
    {"cp.async.commit_group", Team::Thread, encodeNothing, runNothing,
     kSection},
    {"cp.async.wait_group", Team::Thread, encodeWait, runNothing, kSection},
    {"cp.async.wait_all", Team::Thread, encodeNothing, runNothing, kSection},
    {"cp.async.mbarrier.arrive", Team::Thread, encodeArrive, runArrive,
     kSection},
    {"cp.async.bulk", Team::Thread, encodeBulk, runBulk, kSection},
    {"cp.async.bulk.commit_group", Team::Thread, encodeNothing, runNothing,
     kSection},
    {"cp.async.bulk.wait_group", Team::Thread, encodeWait, runNothing,
     kSection}};

} // namespace

Direction takeDirection(Emitter &emitter) {
  // What stands first is where the copy goes to.
  SmallVector<bool> places;
  for (StringRef modifier : SmallVector<StringRef>(emitter.getModifiers()))
    if (modifier == "global" || modifier.starts_with("shared")) {
      places.push_back(modifier == "global");
      emitter.take(modifier);
    }
  if (places.size() != 2 || (places[0] && places[1])) {
    emitter.fail("expected a copy between '.global' and '.shared'");
    return Direction::ToShared;
  }
  return places[0]   ? Direction::ToGlobal
         : places[1] ? Direction::ToShared
                     : Direction::ToCluster;
}

bool takeCopyModifiers(Emitter &emitter) {
  emitter.take("mbarrier::complete_tx::bytes");
  emitter.take("bulk_group");
  emitter.take("L2::cache_hint");
  emitter.takeOneOf({"L2::64B", "L2::128B", "L2::256B"});
  return emitter.take("multicast::cluster");
}

ArrayRef<CollectiveRow> getCopyRows() { return kRows; }

} // namespace gridir::ptx
