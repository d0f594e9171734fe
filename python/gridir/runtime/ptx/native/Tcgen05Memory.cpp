//===- Tcgen05Memory.cpp - Tensor memory: its columns, loads and stores ----- -===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorMemory.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

// Columns.

/// Arguments: where the address goes to, columns.
void encodeAllocate(Encoder &e) {
  Emitter &emitter = e.emitter;
  takePair(emitter);
  const bool isShared = !emitter.takeOneOf({"shared::cta", "shared"}).empty();
  emitter.takeType();
  emitter.expectOperands(2, 2);
  e.addShared(emitter.getOperand(0), !isShared);
  e.add(emitter.getOperand(1), 32);
}

uint64_t checkColumns(const Group &group, uint64_t columns) {
  if (columns < 32 || columns > TensorMemory::kColumns ||
      !isPowerOf2_64(columns))
    group.fail("expected a power of two of columns from 32 to 512, got " +
               std::to_string(columns));
  return columns;
}

/// The first of `count` free columns; none if there are too few.
std::optional<unsigned> findColumns(const TensorMemory &memory,
                                    unsigned columns) {
  for (unsigned first = 0; first < TensorMemory::kColumns; first += columns) {
    unsigned free = 0;
    while (free < columns && !memory.allocated[first + free])
      ++free;
    if (free == columns)
      return first;
  }
  return std::nullopt;
}

uint32_t *getLane(const Group &group, unsigned lane) {
  const Cta &cta = *group.thread.cta;
  return reinterpret_cast<uint32_t *>(cta.cluster->window +
                                      (uint64_t(cta.rank) << kBlockWindowBits) +
                                      TensorMemory::kBegin) +
         lane * TensorMemory::kColumns;
}

/// Waits until there is room.
void runAllocate(const Group &group) {
  const uint64_t *words = group.arguments[0];
  TensorMemory &memory = group.thread.cta->tensorMemory;
  const uint64_t columns = checkColumns(group, words[1]);
  if (memory.isRelinquished)
    group.fail(
        "expected no allocation after 'tcgen05.relinquish_alloc_permit'");
  std::optional<unsigned> first;
  while (!(first = findColumns(memory, columns)))
    group.execution.wait(group.thread, group.site,
                         {&memory.generation, ~uint64_t(0), memory.generation});
  for (unsigned column = *first; column < *first + columns; ++column)
    memory.allocated[column] = true;
  // Uninitialized memory is NaN.
  char *window = group.thread.frame.window;
  for (unsigned lane = 0; lane < TensorMemory::kLanes; ++lane) {
    char *begin = reinterpret_cast<char *>(getLane(group, lane) + *first);
    std::memset(begin, 0xff, columns * 4);
    if (group.execution.tracksUndefined())
      undefineInWindow(window, begin - window, columns * 4);
  }
  char *pointer =
      group.execution.locateShared(group.thread, words[0], 4, 4, group.site);
  group.note(nullptr, pointer, 4, Writes);
  std::memcpy(pointer, &*first, 4);
}

/// Arguments: address, columns.
void encodeFree(Encoder &e) {
  takePair(e.emitter);
  e.emitter.takeType();
  e.emitter.expectOperands(2, 2);
  e.add(e.emitter.getOperand(0), 32);
  e.add(e.emitter.getOperand(1), 32);
}

/// All that touches the columns must come before.
void runFree(const Group &group) {
  const uint64_t *words = group.arguments[0];
  TensorMemory &memory = group.thread.cta->tensorMemory;
  const uint64_t columns = checkColumns(group, words[1]);
  const uint64_t rank = group.thread.frame.special[ClusterRank];
  TensorWindow window(group, rank, words[0]);
  OrderChecker *order = group.execution.getOrder();
  const uint64_t first = words[0] & ((1u << kColumnBits) - 1);
  for (unsigned lane = 0; lane < TensorMemory::kLanes; ++lane) {
    uint32_t *begin = window.find(lane, 0, columns);
    group.execution.checkOrder(group.thread, nullptr, begin, columns * 4,
                               Writes, group.site);
    if (order)
      order->forget(reinterpret_cast<uint64_t>(begin), columns * 4);
  }
  for (unsigned column = first; column < first + columns; ++column)
    memory.allocated[column] = false;
  ++memory.generation;
}

void encodeRelinquish(Encoder &e) {
  takePair(e.emitter);
  e.emitter.expectOperands(0, 0);
}

void runRelinquish(const Group &group) {
  group.thread.cta->tensorMemory.isRelinquished = true;
}

// Loads and stores.

/// The shape that a warp moves with `.x1`.
struct TensorShape {
  StringLiteral name;
  /// Registers of a lane, lanes and columns of tensor memory.
  unsigned registers, lanes, columns;
  /// Where a register of a lane is.
  std::pair<unsigned, unsigned> (*find)(unsigned lane, unsigned index);
};

constexpr TensorShape kShapes[] = {
    {"32x32b", 1, 32, 1,
     [](unsigned lane, unsigned) { return std::pair(lane, 0u); }},
    {"16x64b", 1, 16, 2,
     [](unsigned lane, unsigned) {
       return std::pair(lane / 4 + lane % 2 * 8, lane / 2 % 2);
     }},
    {"16x128b", 2, 16, 4,
     [](unsigned lane, unsigned index) {
       return std::pair(lane / 4 + index * 8, lane % 4);
     }},
    {"16x256b", 4, 16, 8,
     [](unsigned lane, unsigned index) {
       return std::pair(lane / 4 + index / 2 * 8, lane % 4 * 2 + index % 2);
     }},
    // The upper half of the warp has columns of its own, further on.
    {"16x32bx2", 1, 16, 1,
     [](unsigned lane, unsigned) { return std::pair(lane % 16, 0u); }}};

/// Arguments: address, shape, how often, whether two halves of 16 bits are in
/// a register, columns from one half of the warp to the other; the registers.
enum MoveArgument { Address, Shape, Times, IsPacked, Split, FirstRegister };

template <bool stores> void encodeMove(Encoder &e) {
  Emitter &emitter = e.emitter;
  const TensorShape *shape = nullptr;
  unsigned times = 0;
  for (StringRef modifier : SmallVector<StringRef>(emitter.getModifiers())) {
    const auto *found = llvm::find_if(
        kShapes, [&](const TensorShape &row) { return row.name == modifier; });
    StringRef count = modifier;
    if (found != std::end(kShapes))
      shape = found;
    else if (!count.consume_front("x") || count.getAsInteger(10, times))
      continue;
    emitter.take(modifier);
  }
  if (!shape || !isPowerOf2_32(times) || times * shape->registers > 128) {
    emitter.fail("expected a shape and '.xN' of at most 128 registers");
    return;
  }
  const bool isPacked = emitter.take(stores ? "unpack::16b" : "pack::16b");
  emitter.takeType();
  const bool isSplit = shape->name == "16x32bx2";
  emitter.expectOperands(2 + isSplit, 2 + isSplit);
  // A load has its registers first, a store last.
  const Operand &address = emitter.getOperand(stores ? 0 : 1);
  ArrayRef<Operand> registers =
      emitter.getElements(emitter.getOperand(stores ? 1 + isSplit : 0));
  if (registers.size() != times * shape->registers) {
    emitter.fail("expected " + Twine(times * shape->registers) +
                 " registers, got " + Twine(registers.size()));
    return;
  }
  e.add(emitter.readAddress(address));
  e.add(uint64_t(shape - kShapes));
  e.add(uint64_t(times));
  e.add(uint64_t(isPacked));
  if (isSplit)
    e.add(emitter.getOperand(stores ? 1 : 2), 32);
  else
    e.add(uint64_t(0));
  for (const Operand &element : registers) {
    if (stores)
      e.add(element, 32);
    else
      e.addResult(element, 32);
  }
}

/// Loads and stores of a warp are performed by units of its own, which have the
/// knowledge of its lanes. A thread with the values of a load knows that it is
/// complete.
AsyncUnitRef startMove(const Group &group, bool stores) {
  Warp &warp = *group.thread.warp;
  AsyncUnitRef &unit = stores ? warp.tensorStores : warp.tensorLoads;
  OrderChecker *order = group.execution.getOrder();
  if (!order)
    return nullptr;
  if (!unit)
    unit = group.execution.startUnit(group.thread);
  for (Thread *lane : group.threads)
    order->continueTensorUnit(unit->actor, lane->actor);
  return unit;
}

void endLoad(const Group &group, const AsyncUnitRef &unit) {
  for (Thread *lane : group.threads)
    group.execution.acquire(*lane, unit);
}

/// Moves the undefined bits of a register that has one or two columns.
template <bool stores>
void trackMove(const Group &group, unsigned lane, unsigned index,
               uint32_t *memory, unsigned width) {
  Execution &execution = group.execution;
  const unsigned bits = 32 / width;
  const uint64_t mask = maskTrailingOnes<uint64_t>(bits);
  Undefined word;
  if (stores)
    word = group.getUndefined(lane, index);
  for (unsigned i = 0; i < width; ++i) {
    if (stores) {
      execution.writeUndefined(group.thread, memory + i, 4,
                               {word.bits >> i * bits & mask, word.origin});
      continue;
    }
    Undefined part = execution.readUndefined(group.thread, memory + i, 4);
    part.bits = (part.bits & mask) << i * bits;
    word.join(part);
  }
  if (!stores)
    group.setUndefined(lane, index, word);
}

template <bool stores> void runMove(const Group &group) {
  const uint64_t *words = group.arguments[0];
  if (group.execution.tracksUndefined())
    for (auto [thread, arguments] : llvm::zip(group.threads, group.arguments))
      if (thread)
        group.execution.expectDefinedArguments(*thread, arguments,
                                               FirstRegister, group.site);
  for (const uint64_t *other : group.arguments)
    if (!other || uint32_t(other[Address]) != uint32_t(words[Address]) ||
        other[Split] != words[Split])
      group.fail("expected all lanes of the warp with one address");
  const TensorShape &shape = kShapes[words[Shape]];
  const unsigned times = words[Times], split = words[Split];
  // A column of 16 bits is the lower half of a word.
  const unsigned width = words[IsPacked] ? 2 : 1;
  // A warp has a quarter of the lanes, which the address need not name.
  const unsigned quarter = group.thread.frame.special[WarpId] % 4;
  const uint32_t lane = uint32_t(words[Address]) >> kColumnBits;
  const uint32_t column = words[Address] & ((1u << kColumnBits) - 1);
  if ((lane / 32 && lane / 32 != quarter) || lane % 32 + shape.lanes > 32)
    group.fail("expected lanes of tensor memory in quarter " +
               std::to_string(quarter) + ", which is the warp's, got lane " +
               std::to_string(lane));
  TensorWindow window(group, group.thread.frame.special[ClusterRank],
                      (32 * quarter + lane % 32) << kColumnBits | column);
  AsyncUnitRef unit = startMove(group, stores);
  const unsigned columns = times * shape.columns * width;
  const bool isSplit = shape.name == "16x32bx2";
  for (unsigned half = 0; half <= unsigned(isSplit); ++half)
    window.note(unit, 0, shape.lanes, half * split, columns,
                (stores ? Writes : Reads) | Tracked);
  if (!stores)
    endLoad(group, unit);
  for (unsigned i = 0; i < 32; ++i)
    for (unsigned index = 0; index < times * shape.registers; ++index) {
      auto [atLane, atColumn] = shape.find(i, index % shape.registers);
      const unsigned first =
          (index / shape.registers * shape.columns + atColumn) * width +
          (isSplit ? i / 16 * split : 0);
      uint32_t *memory = window.find(atLane, first, width);
      uint64_t &word =
          group.arguments[i][stores ? FirstRegister + index : index];
      if (width == 1 && stores)
        *memory = word;
      else if (width == 1)
        word = *memory;
      else if (stores)
        memory[0] = word & 0xffff, memory[1] = uint32_t(word) >> 16;
      else
        word = (memory[0] & 0xffff) | memory[1] << 16;
      if (group.execution.tracksUndefined())
        trackMove<stores>(group, i, stores ? FirstRegister + index : index,
                          memory, width);
    }
}

void encodeNothing(Encoder &e) { e.emitter.expectOperands(0, 0); }

/// Loads are done already.
void runWaitLoad(const Group &) {}

/// The stores of the warp are complete.
void runWaitStore(const Group &group) {
  for (Thread *lane : group.threads)
    if (lane)
      group.execution.acquire(*lane, group.thread.warp->tensorStores);
}

// Fences.

/// Orders the issued operations of tensor cores before later signals of the
/// thread.
void runFenceBefore(const Group &group) {
  for (const AsyncUnitRef &unit :
       {group.thread.tensorUnits.memory, group.thread.warp->tensorStores})
    group.execution.acquire(group.thread, unit);
}

/// Orders the known events before operations of tensor cores that the thread
/// issues from here on.
void runFenceAfter(const Group &group) {
  if (OrderChecker *order = group.execution.getOrder())
    order->fenceTensor(group.thread.actor);
}

constexpr StringLiteral kAllocation =
    "TensorCore 5th Generation Instructions: tcgen05.alloc, dealloc, "
    "relinquish_alloc_permit";
constexpr StringLiteral kMoves =
    "TensorCore 5th Generation Instructions: tcgen05.ld, st, wait";
constexpr StringLiteral kFences =
    "TensorCore 5th Generation Instructions: tcgen05.fence";

constexpr CollectiveRow kRows[] = {
    {"tcgen05.alloc.sync", Team::Warp, encodeAllocate, runAllocate,
     kAllocation},
    {"tcgen05.dealloc.sync", Team::Warp, encodeFree, runFree, kAllocation},
    {"tcgen05.relinquish_alloc_permit.sync", Team::Warp, encodeRelinquish,
     runRelinquish, kAllocation},
    {"tcgen05.ld.sync", Team::Warp, encodeMove<false>, runMove<false>, kMoves,
     /*isAnywhere=*/false, /*isTracked=*/true},
    {"tcgen05.st.sync", Team::Warp, encodeMove<true>, runMove<true>, kMoves,
     /*isAnywhere=*/false, /*isTracked=*/true},
    {"tcgen05.wait::ld.sync", Team::Warp, encodeNothing, runWaitLoad, kMoves},
    {"tcgen05.wait::st.sync", Team::Warp, encodeNothing, runWaitStore, kMoves},
    {"tcgen05.fence::before_thread_sync", Team::Thread, encodeNothing,
     runFenceBefore, kFences},
    {"tcgen05.fence::after_thread_sync", Team::Thread, encodeNothing,
     runFenceAfter, kFences}};

} // namespace

ArrayRef<CollectiveRow> getTensorMemoryRows() { return kRows; }

void checkTensorMemoryEnd(Execution &execution, Thread &thread) {
  const Cta &cta = *thread.cta;
  if (cta.live == 1 && cta.tensorMemory.allocated.any())
    execution.fail(thread, thread.site,
                   "expected 'tcgen05.dealloc' of all columns of tensor "
                   "memory before the block ends");
}

} // namespace gridir::ptx
