//===- Relayouts.cpp - From one layout to another -------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"
#include "dialects/Warpgroup/IR/RegisterCoordinates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {
namespace {

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// The unit of a shuffle for a register, or for several that move together:
/// 32-bit words, two for a 64-bit element.
using Words = Registers;

IntegerType getBitsType(Type element) {
  return IntegerType::get(element.getContext(),
                          getStorageType(element).getIntOrFloatBitWidth());
}

Value toBits(OpBuilder &builder, Location loc, Value element) {
  Value stored = toStorage(builder, loc, element);
  if (isa<FloatType>(stored.getType()))
    stored = arith::BitcastOp::create(builder, loc,
                                      getBitsType(element.getType()), stored);
  return stored;
}

Value fromBits(OpBuilder &builder, Location loc, Value bits, Type element) {
  Type stored = getStorageType(element);
  if (isa<FloatType>(stored))
    bits = arith::BitcastOp::create(builder, loc, stored, bits);
  return fromStorage(builder, loc, bits, element);
}

Words toWords(OpBuilder &builder, Location loc, ArrayRef<Value> elements) {
  if (elements.size() > 1)
    return packWords(builder, loc, elements);
  Type i32 = builder.getI32Type();
  Value first = toBits(builder, loc, elements.front());
  unsigned width = first.getType().getIntOrFloatBitWidth();
  if (width < 32)
    return {arith::ExtUIOp::create(builder, loc, i32, first)};
  if (width == 32)
    return {first};
  Value high =
      arith::ShRUIOp::create(builder, loc, first, createI64(builder, loc, 32));
  return {arith::TruncIOp::create(builder, loc, i32, first),
          arith::TruncIOp::create(builder, loc, i32, high)};
}

void fromWords(OpBuilder &builder, Location loc, const Words &words,
               Type element, int64_t count, Registers &elements) {
  if (count > 1) {
    llvm::append_range(elements, unpackWords(builder, loc, words, element));
    return;
  }
  IntegerType bits = getBitsType(element);
  Value value = words.front();
  if (bits.getWidth() < 32)
    value = arith::TruncIOp::create(builder, loc, bits, value);
  if (bits.getWidth() == 64) {
    value = arith::ExtUIOp::create(builder, loc, bits, value);
    Value high = arith::ExtUIOp::create(builder, loc, bits, words.back());
    high =
        arith::ShLIOp::create(builder, loc, high, createI64(builder, loc, 32));
    value = arith::OrIOp::create(builder, loc, value, high);
  }
  elements.push_back(fromBits(builder, loc, value, element));
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// The bits of a thread-dependent selection.
SmallVector<Value> createChoice(OpBuilder &builder, Location loc, Value thread,
                                const warpgroup::ThreadChoice &choice) {
  return llvm::map_to_vector(choice.masks, [&](uint64_t mask) -> Value {
    Value bits = arith::AndIOp::create(builder, loc, thread,
                                       createI32(builder, loc, mask));
    if (llvm::popcount(mask) == 1)
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, bits,
                                   createI32(builder, loc, 0));
    Value count = LLVM::CtPopOp::create(builder, loc, bits.getType(), bits);
    return arith::TruncIOp::create(builder, loc, builder.getI1Type(), count);
  });
}

/// Selects one of several values by those bits.
Words createSelects(OpBuilder &builder, Location loc, ArrayRef<Words> values,
                    ArrayRef<Value> bits) {
  if (bits.empty())
    return values.front();
  Words low = createSelects(builder, loc, values.take_front(values.size() / 2),
                            bits.drop_back()),
        high = createSelects(builder, loc, values.drop_front(values.size() / 2),
                             bits.drop_back());
  for (auto [word, other] : llvm::zip_equal(low, high))
    if (word != other)
      word = arith::SelectOp::create(builder, loc, bits.back(), other, word);
  return low;
}

} // namespace

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// In each round, every thread selects one of its words by bits of its number,
/// and reads the word of another lane with `shfl.sync.idx`. Afterwards each
/// result selects the round in which it was received. Selections are linear in
/// the thread, so a selection bit is the parity of some bits of the thread's
/// number.
Registers Lowering::shuffle(Location loc, const Registers &registers,
                            const warpgroup::Conversion &plan) {
  Type i32 = builder.getI32Type(), element = registers.front().getType();
  int64_t ofWord = plan.wordRegisters;
  SmallVector<Words> words;
  for (size_t r = 0; r < registers.size(); r += ofWord)
    words.push_back(
        toWords(builder, loc, ArrayRef(registers).slice(r, ofWord)));
  constexpr int64_t laneMask = (1 << kNumLaneBits) - 1;
  SmallVector<int64_t> basis;
  for (uint64_t column : plan.lanes.getColumns())
    basis.push_back(static_cast<int64_t>(column) & laneMask);
  Value lane = warpgroup::mapThread(builder, loc, thread, basis);
  if (!lane)
    lane = createI32(builder, loc, 0);
  SmallVector<Value> send = createChoice(builder, loc, thread, plan.send),
                     receive = createChoice(builder, loc, thread, plan.receive);

  // The round of the first register of a word moves all registers of the word.
  SmallVector<Words> received(plan.rounds.size());
  for (auto [number, round] : llvm::enumerate(plan.rounds)) {
    if (round.sources.front() % ofWord != 0)
      continue;
    auto sources = llvm::map_to_vector(
        round.sources, [&](int64_t source) { return words[source / ofWord]; });
    Words sent = createSelects(builder, loc, sources, send);
    if (!plan.isLocal(round)) {
      Value from = lane;
      if (round.laneOffset)
        from = arith::XOrIOp::create(builder, loc, from,
                                     createI32(builder, loc, round.laneOffset));
      for (Value &word : sent)
        word = NVVM::ShflOp::create(
            builder, loc, i32, createI32(builder, loc, -1), word, from,
            createI32(builder, loc, laneMask), NVVM::ShflKind::idx, UnitAttr());
    }
    received[number] = sent;
  }
  Registers results;
  for (size_t r = 0; r < plan.receivers.size(); r += ofWord) {
    auto rounds = llvm::map_to_vector(
        plan.receivers[r], [&](int64_t round) { return received[round]; });
    fromWords(builder, loc, createSelects(builder, loc, rounds, receive),
              element, ofWord, results);
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

namespace {

/// The addresses of elements in one round: of each thread its own part, to
/// which that of a register is added by exclusive or.
class RoundAddresses {
public:
  RoundAddresses(OpBuilder &builder, Location loc,
                 const warpgroup::SharedRounds &rounds,
                 const warpgroup::Layout &layout, Value thread, Value base)
      : builder(builder), loc(loc), rounds(rounds), base(base) {
    SmallVector<int64_t> basis;
    for (uint64_t column : layout.getThreads().getColumns()) {
      basis.push_back(rounds.getOffset(column));
      threadBits |= basis.back();
    }
    threadByte = warpgroup::mapThread(builder, loc, thread, basis);
    if (!threadByte)
      threadByte = createI32(builder, loc, 0);
  }

  Value create(uint64_t inTile) {
    int64_t byte = rounds.getOffset(inTile), crossing = byte & threadBits;
    Value &pointer = pointers[crossing];
    if (!pointer) {
      Value sum = threadByte;
      if (crossing)
        sum = arith::XOrIOp::create(builder, loc, sum,
                                    createI32(builder, loc, crossing));
      pointer = createPointer(base, sum);
    }
    if (byte == crossing)
      return pointer;
    return createPointer(pointer, int32_t(byte - crossing));
  }

private:
  Value createPointer(Value from, LLVM::GEPArg byte) {
    return LLVM::GEPOp::create(builder, loc, base.getType(),
                               builder.getI8Type(), from,
                               ArrayRef<LLVM::GEPArg>{byte});
  }

  OpBuilder &builder;
  Location loc;
  const warpgroup::SharedRounds &rounds;
  Value base, threadByte;
  int64_t threadBits = 0;
  llvm::DenseMap<int64_t, Value> pointers;
};

} // namespace

/// Moves the array through shared memory in rounds that fit the scratch: store,
/// barrier, load, barrier. Registers outside of a round are skipped at compile
/// time, since the round depends only on the register.
Registers Lowering::exchangeInRounds(Location loc, const Registers &registers,
                                     const warpgroup::SharedRounds &rounds,
                                     int64_t numResults) {
  Type element = registers.front().getType(), stored = getStorageType(element);
  const warpgroup::Layout &from = rounds.source.get(), &to = rounds.dest.get();
  std::shared_ptr<Storage> memory =
      getScratch(loc, {rounds.bytes / rounds.elementBytes}, element);
  RoundAddresses stores(builder, loc, rounds, from, thread, memory->base),
      loads(builder, loc, rounds, to, thread, memory->base);
  // One of the threads that hold copies stores the element.
  Value owns;
  if (uint64_t copies = from.getReplicatedBits())
    owns = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq,
        arith::AndIOp::create(builder, loc, thread,
                              createI32(builder, loc, copies)),
        zero);
  auto forEachRun = [&](const warpgroup::Layout &layout, int64_t vector,
                        int64_t round, auto access) {
    for (int64_t r = 0; r < layout.getNumTileRegisters(); r += vector)
      if (uint64_t inTile = layout.getRegisters().apply(r);
          rounds.isInRound(inTile, round))
        access(r, inTile);
  };
  auto getType = [&](int64_t vector) -> Type {
    return vector == 1 ? stored : Type(VectorType::get(vector, stored));
  };
  Registers results(numResults);
  for (int64_t repeat = 0; repeat < rounds.source.getNumRepeats(); ++repeat)
    for (int64_t round = 0; round < rounds.getNumRoundsOfTile(); ++round) {
      beginExchange(loc);
      int64_t vector = rounds.storeVector;
      forEachRun(from, vector, round, [&](int64_t first, uint64_t inTile) {
        auto get = [&](int64_t i) {
          return toStorage(
              builder, loc,
              registers[rounds.source.getRegister(repeat, first + i)]);
        };
        Value value = get(0);
        if (vector > 1) {
          value = LLVM::PoisonOp::create(builder, loc, getType(vector));
          for (int64_t i = 0; i < vector; ++i)
            value = LLVM::InsertElementOp::create(builder, loc, value, get(i),
                                                  createI32(builder, loc, i));
        }
        Value pointer = stores.create(inTile);
        OpBuilder::InsertionGuard guard(builder);
        if (owns) {
          auto guarded = scf::IfOp::create(builder, loc, owns);
          builder.setInsertionPointToStart(guarded.thenBlock());
        }
        LLVM::StoreOp::create(builder, loc, value, pointer,
                              vector * rounds.elementBytes);
      });
      endStores(loc);
      vector = rounds.loadVector;
      forEachRun(to, vector, round, [&](int64_t first, uint64_t inTile) {
        Value value = LLVM::LoadOp::create(builder, loc, getType(vector),
                                           loads.create(inTile),
                                           vector * rounds.elementBytes);
        for (int64_t i = 0; i < vector; ++i)
          results[rounds.dest.getRegister(repeat, first + i)] = fromStorage(
              builder, loc,
              vector == 1 ? value
                          : LLVM::ExtractElementOp::create(
                                builder, loc, value, createI32(builder, loc, i))
                                .getResult(),
              element);
      });
    }
  return results;
}

/// Executes the plan of `planConversion`, which also determined the cost during
/// layout inference. Layouts that are not linear in one tile use the general
/// exchange.
Registers Lowering::relayout(Location loc, const Registers &registers,
                             RankedTensorType from, RankedTensorType to) {
  using Kind = warpgroup::Conversion::Kind;
  std::optional<warpgroup::Layout> source = warpgroup::getLayout(from),
                                   dest = warpgroup::getLayout(to);
  Type element = from.getElementType();
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  std::optional<warpgroup::Conversion> plan;
  if (source && dest && !source->isSplat())
    plan = warpgroup::planConversion(*source, *dest, from.getShape(), bits);
  if (plan && plan->kind == Kind::Shuffles)
    return shuffle(loc, registers, *plan);
  if (plan && plan->kind == Kind::SharedMemory)
    if (auto rounds = warpgroup::planSharedRounds(
            *source, *dest, from.getShape(), bits,
            std::min(plannedBytes, warpgroup::kRoundBytes)))
      return exchangeInRounds(loc, registers, *rounds,
                              distributions.get(to).getNumRegisters());
  return redistribute(loc, registers, distributions.get(from),
                      distributions.get(to),
                      llvm::to_vector(llvm::seq<int64_t>(0, from.getRank())));
}

namespace {

LogicalResult lowerRelayout(warpgroup::RelayoutOp op, Lowering &lowering) {
  if (failed(lowering.convertType(op, op.getType())))
    return failure();
  auto from = cast<RankedTensorType>(op.getValue().getType());
  auto to = cast<RankedTensorType>(op.getType());
  lowering.set(
      op.getResult(),
      lowering.relayout(op.getLoc(), lowering.get(op.getValue()), from, to));
  return success();
}

} // namespace

void addRelayoutLowerings(Handlers &handlers) { handlers.add(lowerRelayout); }

} // namespace gridir::warpgroup_to_nvvm
