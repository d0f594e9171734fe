//===- Shuffles.cpp - Conversions between the lanes of a warp -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a tile that both layouts divide, the register and the lane that hold what
// a thread needs in a register of the result are linear in both: S and Q, with
// a part for the register y and one for the thread t. In one round all threads
// receive, and each sends one register. If all threads received register y in
// round y, two of them might need different registers of one lane. Thread t
// therefore receives register y + D t in that round, with D such that different
// threads read different lanes.
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Layout/Shuffles.h"

#include "dialects/Warpgroup/Layout/LargeTiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace gridir::warpgroup;
using llvm::SmallVector;

namespace {

/// The source of a thread's element: a register and a thread of its warp, for
/// bits of the register of the result and of the thread itself.
struct Origins {
  BitMap registerOfRegister, threadOfRegister, registerOfThread, threadOfThread;
};

/// The values of a linear map of the thread, and the index of a thread's value.
struct Values {
  explicit Values(const BitMap &map) {
    Span span;
    SmallVector<uint64_t> basis;
    SmallVector<unsigned> bits;
    for (auto [bit, column] : llvm::enumerate(map.getColumns()))
      if (span.insert(column)) {
        basis.push_back(column);
        bits.push_back(bit);
      }
    for (auto [index, bit] : llvm::enumerate(bits)) {
      uint64_t mask = 0;
      for (auto [thread, column] : llvm::enumerate(map.getColumns()))
        if (*span.solve(column) >> bit & 1)
          mask |= uint64_t(1) << thread;
      choice.masks.push_back(mask);
    }
    for (int64_t i = 0, e = choice.getNumChoices(); i < e; ++i)
      values.push_back(BitMap(basis).apply(i));
  }

  ThreadChoice choice;
  SmallVector<uint64_t> values;
};

} // namespace

/// No element changes its warp, so each is looked for in the registers and the
/// lanes. A thread that has it looks no further than its own registers.
static std::optional<Origins> findOrigins(const Layout &source,
                                          const Layout &dest) {
  SmallVector<uint64_t> columns(source.getRegisters().getColumns());
  unsigned numRegisterBits = columns.size();
  BitMap registers(columns);
  llvm::append_range(columns,
                     source.getThreads().getColumns().take_front(kNumLaneBits));
  BitMap inWarp(columns);
  uint64_t registerMask = (uint64_t(1) << numRegisterBits) - 1;
  SmallVector<uint64_t> registerOfRegister, threadOfRegister, registerOfThread,
      threadOfThread;
  for (uint64_t element : dest.getRegisters().getColumns()) {
    std::optional<uint64_t> origin = inWarp.solve(element);
    if (!origin)
      return std::nullopt;
    registerOfRegister.push_back(*origin & registerMask);
    threadOfRegister.push_back(*origin >> numRegisterBits);
  }
  for (unsigned bit = 0; bit < kNumThreadBits; ++bit) {
    uint64_t element = dest.getThreads()[bit],
             moved = element ^ source.getThreads()[bit];
    uint64_t own = uint64_t(1) << bit;
    std::optional<uint64_t> origin = registers.solve(moved);
    if (!origin) {
      bool isWarp = bit >= kNumLaneBits;
      origin = inWarp.solve(isWarp ? moved : element);
      if (!isWarp)
        own = 0;
    }
    if (!origin)
      return std::nullopt;
    registerOfThread.push_back(*origin & registerMask);
    threadOfThread.push_back(*origin >> numRegisterBits ^ own);
  }
  return Origins{BitMap(registerOfRegister), BitMap(threadOfRegister),
                 BitMap(registerOfThread), BitMap(threadOfThread)};
}

/// Computes D: the register that each bit of the thread adds, so that as few
/// threads as possible read the same lane.
static BitMap spreadRounds(const Origins &origins) {
  SmallVector<uint64_t> rounds(kNumThreadBits, 0);
  Span asked;
  SmallVector<unsigned> left;
  auto insertWhere = [&](auto isChosen) {
    SmallVector<unsigned> others;
    for (unsigned bit : left)
      if (!isChosen(bit) || !asked.insert(origins.threadOfThread[bit]))
        others.push_back(bit);
    left = others;
  };
  llvm::append_range(left, llvm::seq<unsigned>(kNumThreadBits));
  // A thread that has its element keeps it.
  insertWhere([&](unsigned bit) {
    return origins.threadOfThread[bit] == uint64_t(1) << bit;
  });
  insertWhere([](unsigned) { return true; });
  for (unsigned bit : left) {
    uint64_t now = origins.threadOfThread[bit], own = uint64_t(1) << bit;
    auto isFree = [&](uint64_t added) {
      return !asked.contains(now ^ origins.threadOfRegister.apply(added));
    };
    std::optional<uint64_t> added = origins.threadOfRegister.solve(now ^ own);
    if (!added || !isFree(*added)) {
      added.reset();
      for (unsigned reg = 0; reg < origins.threadOfRegister.getNumInputs();
           ++reg)
        if (isFree(uint64_t(1) << reg)) {
          added = uint64_t(1) << reg;
          break;
        }
    }
    if (!added)
      continue;
    rounds[bit] = *added;
    asked.insert(now ^ origins.threadOfRegister.apply(*added));
  }
  return BitMap(rounds);
}

static BitMap add(const BitMap &a, const BitMap &b) {
  SmallVector<uint64_t> columns;
  for (auto [x, y] : llvm::zip_equal(a.getColumns(), b.getColumns()))
    columns.push_back(x ^ y);
  return BitMap(columns);
}

/// Converts a map of needed elements by receiver to one by sender, where
/// `asked` is the lane that each thread asks; none if two ask one for different
/// registers.
static std::optional<BitMap> moveToSenders(const BitMap &needed,
                                           const BitMap &asked) {
  // Threads whose values are unused come last; they send arbitrary values.
  SmallVector<uint64_t> columns(asked.getColumns());
  llvm::append_range(columns, BitMap::identity(kNumThreadBits).getColumns());
  std::optional<BitMap> receivers = BitMap(columns).invert(kNumThreadBits);
  SmallVector<uint64_t> sent;
  for (uint64_t receiver : receivers->getColumns())
    sent.push_back(needed.apply(receiver & (kNumThreads - 1)));
  BitMap senders(sent);
  for (unsigned bit = 0; bit < kNumThreadBits; ++bit)
    if (senders.apply(asked[bit]) != needed[bit])
      return std::nullopt;
  return senders;
}

namespace {

/// The plan on the larger tile, before registers have the numbers of their
/// layouts.
struct TilePlan {
  BitMap lanes;
  ThreadChoice send, receive;
  SmallVector<ShuffleRound> rounds;
  /// For each register, for each choice.
  SmallVector<SmallVector<int64_t>> receivers;
  /// True if groups of this many registers move together.
  bool keepsWords = false;
};

} // namespace

/// True if the low bits of a register are those of its origin, and no other bit
/// changes them.
static bool keepsWords(const Origins &origins, const BitMap &rounds,
                       int64_t ofWord) {
  unsigned wordBits = llvm::Log2_64(ofWord);
  if (origins.registerOfRegister.getNumInputs() < wordBits)
    return false;
  auto low = static_cast<uint64_t>(ofWord - 1);
  for (auto [bit, column] :
       llvm::enumerate(origins.registerOfRegister.getColumns())) {
    if (bit < wordBits
            ? column != uint64_t(1) << bit || origins.threadOfRegister[bit] != 0
            : (column & low) != 0)
      return false;
  }
  return llvm::all_of(
      llvm::concat<const uint64_t>(origins.registerOfThread.getColumns(),
                                   rounds.getColumns()),
      [&](uint64_t column) { return (column & low) == 0; });
}

/// Plans the rounds for one tile. With D as above, each thread sends one
/// register per round, which is a linear function of the round and the sender.
/// If no such D exists, each lane sends all registers that any receiver may
/// need, and the receiver selects.
static TilePlan planTile(const Origins &origins, int64_t ofWord) {
  TilePlan plan;
  int64_t numRegisters = int64_t(1)
                         << origins.registerOfRegister.getNumInputs();
  BitMap rounds = spreadRounds(origins);
  plan.lanes =
      add(origins.threadOfThread, origins.threadOfRegister.compose(rounds));
  std::optional<BitMap> senders = moveToSenders(
      add(origins.registerOfThread, origins.registerOfRegister.compose(rounds)),
      plan.lanes);
  // If threads need different registers of one lane, it sends all of them, one
  // after another.
  bool sendsAll = !senders;
  if (sendsAll) {
    rounds = BitMap(SmallVector<uint64_t>(kNumThreadBits, 0));
    senders = rounds;
    plan.lanes = origins.threadOfThread;
  }
  Values sent(*senders), all(origins.registerOfThread), received(rounds);
  SmallVector<uint64_t> extra =
      sendsAll ? all.values : SmallVector<uint64_t>{0};
  plan.send = sent.choice;
  plan.receive = sendsAll ? all.choice : received.choice;
  for (int64_t round = 0; round < numRegisters; ++round)
    for (uint64_t another : extra) {
      uint64_t offset = origins.threadOfRegister.apply(round);
      uint64_t first = origins.registerOfRegister.apply(round) ^
                       senders->apply(offset) ^ another;
      ShuffleRound &added = plan.rounds.emplace_back();
      added.laneOffset = offset;
      for (uint64_t value : sent.values)
        added.sources.push_back(static_cast<int64_t>(first ^ value));
    }
  for (int64_t reg = 0; reg < numRegisters; ++reg) {
    SmallVector<int64_t> &from = plan.receivers.emplace_back();
    if (sendsAll)
      llvm::append_range(
          from,
          llvm::seq<int64_t>(reg * extra.size(),
                             (reg + 1) * static_cast<int64_t>(extra.size())));
    else
      for (uint64_t value : received.values)
        from.push_back(reg ^ static_cast<int64_t>(value));
  }
  plan.keepsWords = keepsWords(origins, rounds, ofWord);
  return plan;
}

std::optional<Conversion>
gridir::warpgroup::planShuffles(const Layout &source, const Layout &dest,
                                Shape shape, unsigned elementBits) {
  std::optional<Layout> from = source.unflatten(shape),
                        to = dest.unflatten(shape);
  if (!from || !to || from->isFlat(shape.size()) || to->isFlat(shape.size()) ||
      from->isPadded(shape) || to->isPadded(shape))
    return std::nullopt;
  Coordinates tile;
  for (auto [a, b] : llvm::zip_equal(from->getTile(), to->getTile()))
    tile.push_back(std::max(a, b));
  LargeTiles sources(*from, shape, tile), results(*to, shape, tile);
  std::optional<Origins> origins = findOrigins(sources.get(), results.get());
  if (!origins)
    return std::nullopt;
  int64_t ofWord = std::max<int64_t>(32 / elementBits, 1);
  bool wholeWords = from->getNumTileRegisters() >= ofWord &&
                    to->getNumTileRegisters() >= ofWord;
  TilePlan tilePlan = planTile(*origins, ofWord);
  Conversion plan;
  plan.kind = Conversion::Kind::Shuffles;
  plan.send = tilePlan.send;
  plan.receive = tilePlan.receive;
  plan.lanes = tilePlan.lanes;
  plan.receivers.resize(to->getNumRegisters(shape));
  for (int64_t repeat = 0; repeat < sources.getNumRepeats(); ++repeat) {
    auto firstRound = static_cast<int64_t>(plan.rounds.size());
    for (ShuffleRound round : tilePlan.rounds) {
      for (int64_t &reg : round.sources)
        reg = sources.getRegister(repeat, reg);
      plan.rounds.push_back(round);
    }
    for (auto [reg, rounds] : llvm::enumerate(tilePlan.receivers))
      for (int64_t round : rounds)
        plan.receivers[results.getRegister(repeat, reg)].push_back(firstRound +
                                                                   round);
  }
  auto numRounds = static_cast<int64_t>(plan.rounds.size());
  auto numResults = static_cast<int64_t>(plan.receivers.size());
  plan.cost.selects = numRounds * (plan.send.getNumChoices() - 1) +
                      numResults * (plan.receive.getNumChoices() - 1);
  plan.cost.shuffles = llvm::count_if(
      plan.rounds, [&](const ShuffleRound &r) { return !plan.isLocal(r); });
  if (elementBits > 32) {
    plan.cost.selects *= elementBits / 32;
    plan.cost.shuffles *= elementBits / 32;
  } else if (tilePlan.keepsWords && wholeWords) {
    plan.wordRegisters = ofWord;
    plan.cost.selects /= ofWord;
    plan.cost.shuffles /= ofWord;
  } else if (ofWord > 1) {
    // Elements are exchanged separately and packed again.
    plan.cost.packs = numResults;
  }
  return plan;
}
