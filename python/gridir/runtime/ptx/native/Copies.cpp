//===- Copies.cpp - Copies that go on beside the threads ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy completes when it starts, which is a legal order. With a seed, it
// completes as late as its waits allow.
//
//===----------------------------------------------------------------------===//

#include "Copies.h"

#include "MBarriers.h"
#include "Reductions.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

void encodeNothing(Encoder &e) { e.emitter.expectOperands(0, 0); }

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
  const char *from = read ? group.execution.locateGlobal(
                                group.thread, words[1], read, bytes, group.site)
                          : nullptr;
  // The copies of a group end together. They are no access of the asynchronous
  // proxy.
  AsyncGroups &copies = group.thread.copies;
  AsyncUnitRef unit = copies.getOpenUnit();
  if (unit)
    group.execution.getOrder()->acquire(unit->actor, group.thread.actor);
  else
    unit = group.execution.startUnit(group.thread);
  group.note(unit, from, read, Reads | Tracked);
  group.note(unit, to, bytes, Writes);
  if (group.execution.tracksUndefined() && read)
    group.execution.copyUndefined(group.thread, to, from, read);
  copies.add({unit,
              group.execution.start(group.thread,
                                    [=] {
                                      std::memset(to, 0, bytes);
                                      if (read)
                                        std::memcpy(to, from, read);
                                    }),
              group.site});
}

void runCommit(const Group &group) { group.thread.copies.commit(); }

/// All but the last groups, or all of them.
void runWait(const Group &group) {
  group.thread.copies.wait(group.execution, group.thread,
                           group.arguments[0][0]);
}

void encodeWaitAll(Encoder &e) {
  encodeNothing(e);
  e.add(uint64_t(0));
}

void runWaitAll(const Group &group) {
  runCommit(group);
  runWait(group);
}

/// Arguments: how many groups need not be done, and whether it is enough that
/// the others have read.
void encodeWait(Encoder &e) {
  const bool isRead = e.emitter.take("read");
  e.emitter.expectOperands(1, 1);
  e.add(e.emitter.getOperand(0), 32);
  e.add(uint64_t(isRead));
}

/// The copies before it are complete. An arrival that the barrier does not
/// expect is first added to its expected count.
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
  const uint64_t *words = group.arguments[0];
  group.thread.copies.forEach([&](const AsyncGroups::Operation &operation) {
    if (operation.work)
      operation.work->run();
    if (operation.unit)
      updateMBarrier(group, words[0], 0, 0, Telling::All, operation.unit);
  });
  updateMBarrier(group, words[0], words[1], 0, Telling::Nothing);
}

// cp.async.bulk: many bytes, which a barrier or a group counts.

/// Arguments of a bulk copy.
enum BulkArgument {
  Way,
  To,
  From,
  Bytes,
  BarrierAddress,
  HasMask,
  Mask,
  Reducing,
  NumBulkArguments
};

template <bool reduces> void encodeBulk(Encoder &e) {
  Emitter &emitter = e.emitter;
  Reduction reduction;
  if (reduces) {
    reduction.element = emitter.takeType();
    reduction.op = takeReductionOp(emitter);
    emitter.take("noftz");
    if (reduction.isReplacing() || !reduction.isKnown())
      emitter.fail("expected a reduction of this element type");
  }
  const Direction direction = takeDirection(emitter);
  if (reduces && direction == Direction::ToGlobal)
    emitter.meetClusters();
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
  } else {
    addAddress(3, true);
  }
  e.add(uint64_t(isMulticast));
  if (isMulticast)
    e.add(emitter.getOperand(4), 16);
  else
    e.add(uint64_t(0));
  e.add(reduction.pack());
}

void runBulk(const Group &group) {
  const uint64_t *words = group.arguments[0];
  const Direction direction = static_cast<Direction>(words[Way]);
  const Reduction reduction = Reduction::unpack(words[Reducing]);
  const uint64_t to = words[To], from = words[From], bytes = words[Bytes];
  Execution &execution = group.execution;
  Thread &thread = group.thread;
  if (bytes % 16)
    group.fail("expected a number of bytes that is a multiple of 16, got " +
               std::to_string(bytes));
  if (!bytes)
    return;
  char *source =
      direction == Direction::ToShared
          ? execution.locateGlobal(thread, from, bytes, 16, group.site)
          : execution.locateShared(thread, from, bytes, 16, group.site);
  if (direction == Direction::ToGlobal) {
    char *target = execution.locateGlobal(thread, to, bytes, 16, group.site);
    AsyncUnitRef reader = execution.startUnit(thread);
    AsyncUnitRef writer = execution.startUnit(thread);
    group.note(reader, source, bytes, Reads | Async);
    addStore(
        group, reader, writer,
        execution.start(thread, [=, &execution, &thread, site = group.site] {
          execution.note(thread, writer, target, bytes,
                         reduction.getAccess(target, source, bytes) | Async,
                         site);
          reduction.run(target, source, bytes);
        }));
    return;
  }
  const uint32_t change =
      reduction.isReplacing() ? Writes : Reads | Writes | Strong;
  AsyncUnitRef reader = execution.startUnit(thread);
  group.note(reader, source, bytes, Reads | Async);
  UnitsOfBlocks units;
  forEachDestination(
      group, words[HasMask], words[Mask], to, [&](uint64_t rank) {
        units[rank] = startUnitOfBlock(group, reader, words[HasMask]);
        group.note(units[rank],
                   execution.locateShared(thread, getSharedAddress(rank, to),
                                          bytes, 16, group.site),
                   bytes, Async | change);
      });
  startCopy(group, NumBulkArguments, [units, source](const Group &group) {
    const uint64_t *words = group.arguments[0];
    const uint64_t to = words[To], bytes = words[Bytes];
    const bool isMulticast = words[HasMask];
    forEachDestination(group, isMulticast, words[Mask], to, [&](uint64_t rank) {
      Reduction::unpack(words[Reducing])
          .run(group.execution.locateShared(group.thread,
                                            getSharedAddress(rank, to), bytes,
                                            16, group.site),
               source, bytes);
      updateMBarrier(group,
                     isMulticast ? getSharedAddress(rank, words[BarrierAddress])
                                 : words[BarrierAddress],
                     0, bytes, Telling::All, units.at(rank));
    });
  });
}

/// There are no caches here.
void encodePrefetch(Encoder &e) {
  while (!e.emitter.getModifiers().empty())
    e.emitter.take(e.emitter.getModifiers().front());
}

void runPrefetch(const Group &) {}

void runBulkCommit(const Group &group) {
  group.thread.bulkReads.commit();
  group.thread.bulkWrites.commit();
}

void runBulkWait(const Group &group) {
  const uint64_t *words = group.arguments[0];
  group.thread.bulkReads.wait(group.execution, group.thread, words[0]);
  if (!words[1])
    group.thread.bulkWrites.wait(group.execution, group.thread, words[0]);
}

constexpr StringLiteral kSection =
    "Data Movement and Conversion Instructions: Asynchronous copy";

constexpr CollectiveRow kRows[] = {
    {"cp.async", Team::Thread, encodeCopy, runCopy, kSection},
    {"cp.async.commit_group", Team::Thread, encodeNothing, runCommit, kSection},
    {"cp.async.wait_group", Team::Thread, encodeWait, runWait, kSection},
    {"cp.async.wait_all", Team::Thread, encodeWaitAll, runWaitAll, kSection},
    {"cp.async.mbarrier.arrive", Team::Thread, encodeArrive, runArrive,
     kSection},
    {"cp.async.bulk", Team::Thread, encodeBulk<false>, runBulk, kSection},
    {"cp.reduce.async.bulk", Team::Thread, encodeBulk<true>, runBulk, kSection},
    {"cp.async.bulk.prefetch", Team::Thread, encodePrefetch, runPrefetch,
     kSection},
    {"cp.async.bulk.prefetch.tensor", Team::Thread, encodePrefetch, runPrefetch,
     kSection},
    {"cp.async.bulk.commit_group", Team::Thread, encodeNothing, runBulkCommit,
     kSection},
    {"cp.async.bulk.wait_group", Team::Thread, encodeWait, runBulkWait,
     kSection}};

} // namespace

Direction takeDirection(Emitter &emitter) {
  // The destination of the copy comes first.
  SmallVector<bool> isGlobal;
  for (StringRef modifier : SmallVector<StringRef>(emitter.getModifiers()))
    if (modifier == "global" || modifier.starts_with("shared")) {
      isGlobal.push_back(modifier == "global");
      emitter.take(modifier);
    }
  if (isGlobal.size() != 2 || (isGlobal[0] && isGlobal[1])) {
    emitter.fail("expected a copy between '.global' and '.shared'");
    return Direction::ToShared;
  }
  return isGlobal[0]   ? Direction::ToGlobal
         : isGlobal[1] ? Direction::ToShared
                       : Direction::ToCluster;
}

bool takeCopyModifiers(Emitter &emitter) {
  emitter.take("mbarrier::complete_tx::bytes");
  emitter.take("bulk_group");
  emitter.take("L2::cache_hint");
  emitter.takeOneOf({"L2::64B", "L2::128B", "L2::256B"});
  return emitter.take("multicast::cluster");
}

AsyncUnitRef startUnitOfBlock(const Group &group, const AsyncUnitRef &reader,
                              bool isMulticast) {
  if (!isMulticast)
    return reader;
  AsyncUnitRef unit = group.execution.startUnit(group.thread);
  if (OrderChecker *order = group.execution.getOrder())
    order->acquire(unit->actor, reader->actor);
  return unit;
}

void addStore(const Group &group, AsyncUnitRef reader, AsyncUnitRef writer,
              AsyncWorkRef work) {
  Thread &thread = group.thread;
  thread.bulkReads.add({std::move(reader), work, group.site});
  thread.bulkWrites.add({std::move(writer), std::move(work), group.site});
}

AsyncWorkRef startCopy(const Group &group, unsigned numArguments,
                       std::function<void(const Group &)> body) {
  std::vector<uint64_t> words(group.arguments[0],
                              group.arguments[0] + numArguments);
  Execution &execution = group.execution;
  return execution.start(group.thread,
                         [&execution, thread = &group.thread, site = group.site,
                          words = std::move(words),
                          body = std::move(body)]() mutable {
                           Thread *threads[] = {thread};
                           uint64_t *arguments[] = {words.data()};
                           body({execution, *thread, site, threads, arguments});
                         });
}

ArrayRef<CollectiveRow> getCopyRows() { return kRows; }

} // namespace gridir::ptx
