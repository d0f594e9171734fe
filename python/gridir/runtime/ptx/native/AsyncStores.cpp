//===- AsyncStores.cpp - Stores and updates that a barrier counts ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Copies.h"
#include "MBarriers.h"
#include "Reductions.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

/// Where to, the barrier, the operation, how many values, and the values.
enum StoreArgument { To, BarrierAddress, Operation, Count, FirstValue };

template <bool reduces> void encodeStore(Encoder &e) {
  Emitter &emitter = e.emitter;
  Reduction reduction;
  reduction.element = emitter.takeType();
  if (reduces)
    reduction.op = takeReductionOp(emitter);
  emitter.takeOneOf({"weak", "relaxed"});
  emitter.take("cluster");
  const StringRef vector = emitter.takeOneOf({"v2", "v4"});
  if (!emitter.take("shared::cluster") ||
      !emitter.take("mbarrier::complete_tx::bytes") ||
      reduction.element.bits < 32 || reduction.element.bits > 64 ||
      reduces == reduction.isReplacing() || !reduction.isKnown()) {
    emitter.fail("expected 32 or 64 bits that go to '.shared::cluster' and "
                 "complete '.mbarrier::complete_tx::bytes'");
    return;
  }
  emitter.expectOperands(3, 3);
  ArrayRef<Operand> values = emitter.getElements(emitter.getOperand(1));
  const size_t count = vector.empty() ? 1 : vector == "v2" ? 2 : 4;
  if (values.size() != count) {
    emitter.fail("expected " + Twine(count) + " values, got " +
                 Twine(values.size()));
    return;
  }
  e.addShared(emitter.getOperand(0), /*isGeneric=*/false);
  e.addShared(emitter.getOperand(2), /*isGeneric=*/false);
  e.add(reduction.pack());
  e.add(uint64_t(count));
  for (const Operand &value : values)
    e.add(emitter.builder.CreateZExt(emitter.read(value, reduction.element),
                                     emitter.getBits(64)));
}

void runStore(const Group &group) {
  const uint64_t *words = group.arguments[0];
  const Reduction reduction = Reduction::unpack(words[Operation]);
  const uint64_t bytes = words[Count] * reduction.element.getBytes();
  char *to = group.execution.locateShared(group.thread, words[To], bytes, bytes,
                                          group.site);
  AsyncUnitRef unit = group.execution.startUnit(group.thread);
  group.note(unit, to, bytes,
             reduction.isReplacing() ? Writes : Reads | Writes | Strong);
  startCopy(
      group, FirstValue + words[Count], [unit, to, bytes](const Group &group) {
        const uint64_t *words = group.arguments[0];
        const Reduction reduction = Reduction::unpack(words[Operation]);
        const unsigned size = reduction.element.getBytes();
        for (uint64_t i = 0; i < words[Count]; ++i)
          reduction.run(to + i * size,
                        reinterpret_cast<const char *>(&words[FirstValue + i]),
                        size);
        updateMBarrier(group, words[BarrierAddress], 0, bytes, Telling::All,
                       unit);
      });
}

constexpr StringLiteral kSection =
    "Data Movement and Conversion Instructions: st.async; Parallel "
    "Synchronization and Communication Instructions: red.async";

constexpr CollectiveRow kRows[] = {
    {"st.async", Team::Thread, encodeStore<false>, runStore, kSection},
    {"red.async", Team::Thread, encodeStore<true>, runStore, kSection}};

} // namespace

ArrayRef<CollectiveRow> getAsyncStoreRows() { return kRows; }

} // namespace gridir::ptx
