//===- Collectives.cpp - Instructions that several threads take part in ---===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Collectives.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

ArrayRef<const CollectiveRow *> getRows() {
  static const auto *rows = [] {
    auto *result = new std::vector<const CollectiveRow *>;
    for (ArrayRef<CollectiveRow> family :
         {getWarpRows(), getBarrierRows(), getMBarrierRows(), getMatrixRows(),
          getCopyRows(), getTensorCopyRows(), getAsyncStoreRows(),
          getClusterLaunchRows(), getWgmmaRows(), getTensorMemoryRows(),
          getTensorCoreCopyRows(), getTensorCoreProductRows()})
      for (const CollectiveRow &row : family)
        result->push_back(&row);
    return result;
  }();
  return *rows;
}

/// How many parts a row's name has, when the instruction has them all.
unsigned match(StringRef name, const Instruction &instruction) {
  SmallVector<StringRef> parts;
  name.split(parts, '.');
  if (parts[0] != instruction.opcode)
    return 0;
  for (StringRef part : ArrayRef(parts).drop_front())
    if (!llvm::is_contained(instruction.modifiers, part))
      return 0;
  return parts.size();
}

/// The lanes of an arrival that are still there.
uint32_t getLanes(const Warp &warp, const Arrival &arrival) {
  return arrival.mask & warp.live;
}

/// Runs a collective of a warp when all lanes of it have come.
bool runWhenComplete(Execution &execution, Thread &last, Warp &warp,
                     unsigned lane) {
  const Arrival arrival = warp.arrivals[lane];
  const uint32_t lanes = getLanes(warp, arrival);
  if (!lanes || (warp.arrived & lanes) != lanes)
    return false;
  std::array<Thread *, 32> threads = {};
  std::array<uint64_t *, 32> arguments = {};
  for (unsigned i = 0; i < 32; ++i) {
    if (!(lanes >> i & 1))
      continue;
    const Arrival &other = warp.arrivals[i];
    if (other.row != arrival.row || other.mask != arrival.mask ||
        (other.site != arrival.site && !arrival.row->isAnywhere))
      execution.fail(last, arrival.site,
                     "expected the lanes of a warp at one instruction, got "
                     "lanes " +
                         std::to_string(lane) + " and " + std::to_string(i) +
                         " at different ones");
    threads[i] = warp.threads[i];
    arguments[i] = other.arguments;
  }
  arrival.row->run({execution, last, arrival.site, threads, arguments});
  warp.arrived &= ~lanes;
  for (unsigned i = 0; i < 32; ++i)
    warp.generations[i] += lanes >> i & 1;
  return true;
}

void enterWarp(Execution &execution, Thread &thread, const CollectiveRow &row,
               unsigned site, uint64_t *arguments) {
  Warp &warp = *thread.warp;
  const unsigned lane = thread.getLane();
  const uint32_t mask = row.team == Team::Mask ? arguments[0] : ~0u;
  if (!(mask >> lane & 1))
    execution.fail(thread, site,
                   "expected a mask with the lane itself, which is " +
                       std::to_string(lane));
  warp.arrivals[lane] = {&row, site, mask, arguments};
  warp.arrived |= 1u << lane;
  const uint64_t generation = warp.generations[lane];
  if (!runWhenComplete(execution, thread, warp, lane))
    execution.wait(thread, site,
                   {&warp.generations[lane], ~uint64_t(0), generation});
}

void enterWarpgroup(Execution &execution, Thread &thread,
                    const CollectiveRow &row, unsigned site,
                    uint64_t *arguments) {
  Warpgroup &group = *thread.warpgroup;
  const unsigned index =
      thread.frame.special[WarpId] % 4 * 32 + thread.getLane();
  group.arrivals[index] = {&row, site, ~0u, arguments};
  if (++group.numArrived < 128) {
    execution.wait(thread, site,
                   {&group.generation, ~uint64_t(0), group.generation});
    return;
  }
  std::array<uint64_t *, 128> all = {};
  for (auto [arrival, words] : llvm::zip(group.arrivals, all)) {
    if (arrival.site != site)
      execution.fail(thread, site,
                     "expected the threads of a warpgroup at one instruction");
    words = arrival.arguments;
  }
  row.run({execution, thread, site, group.threads, all});
  group.numArrived = 0;
  ++group.generation;
}

void enterCollective(Frame *frame, uint32_t index, uint32_t site,
                     uint64_t *arguments, uint32_t numArguments) {
  const CollectiveRow &row = *getRows()[index];
  Thread &thread = *reinterpret_cast<Thread *>(frame);
  Execution &execution = *Execution::getCurrent();
  thread.site = site;
  if (execution.tracksUndefined() && !row.isTracked) {
    execution.expectDefinedArguments(thread, arguments, numArguments, site);
    thread.argumentShadow.define();
  }
  switch (row.team) {
  case Team::Thread: {
    Thread *threads[] = {&thread};
    uint64_t *words[] = {arguments};
    row.run({execution, thread, site, threads, words});
    return;
  }
  case Team::Mask:
  case Team::Warp:
    enterWarp(execution, thread, row, site, arguments);
    return;
  case Team::Warpgroup:
    enterWarpgroup(execution, thread, row, site, arguments);
    return;
  }
}

} // namespace

void Encoder::addShared(const Operand &operand, bool isGeneric) {
  Value *address = emitter.readAddress(operand);
  if (isGeneric)
    address = emitter.builder.CreateSub(
        address, emitter.loadFrame(offsetof(Frame, window),
                                   emitter.builder.getInt64Ty()));
  add(emitter.builder.CreateAnd(address, 0xffffffff));
}

void Encoder::finish(unsigned row) {
  IRBuilder<> &b = emitter.builder;
  FunctionContext &context = emitter.context;
  const unsigned count = std::max(arguments.size(), results.size());
  context.numArguments = std::max(context.numArguments, count);
  auto getSlot = [&](unsigned index) {
    return b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), context.arguments,
                                        index);
  };
  for (auto [index, argument] : llvm::enumerate(arguments))
    b.CreateStore(argument, getSlot(index));
  emitter.callRuntime("ptx.collective", b.getVoidTy(),
                      {emitter.getFrame(), b.getInt32(row), emitter.getSite(),
                       context.arguments, b.getInt32(arguments.size())});
  for (auto [index, result] : llvm::enumerate(results))
    emitter.write(*result.operand,
                  b.CreateTrunc(b.CreateLoad(b.getInt64Ty(), getSlot(index)),
                                emitter.getBits(result.bits)));
}

bool emitCollective(Emitter &emitter) {
  const CollectiveRow *best = nullptr;
  unsigned most = 0, index = 0;
  for (auto [i, row] : llvm::enumerate(getRows()))
    if (unsigned parts = match(row->name, emitter.instruction); parts > most) {
      most = parts;
      best = row;
      index = i;
    }
  if (!best)
    return false;
  SmallVector<StringRef> parts;
  best->name.split(parts, '.');
  for (StringRef part : ArrayRef(parts).drop_front())
    emitter.take(part);
  // Instructions that all threads of a warp execute together are executed
  // together here.
  emitter.take("aligned");
  Encoder encoder(emitter);
  best->encode(encoder);
  encoder.finish(index);
  return true;
}

void leaveWarp(Execution &execution, Thread &thread) {
  Warp &warp = *thread.warp;
  warp.live &= ~(1u << thread.getLane());
  for (unsigned lane = 0; lane < 32; ++lane)
    if (warp.live & warp.arrived & (1u << lane))
      runWhenComplete(execution, thread, warp, lane);
}

std::pair<const char *, void *> getCollectiveSymbol() {
  return {"ptx.collective", reinterpret_cast<void *>(&enterCollective)};
}

} // namespace gridir::ptx
