//===- Conversion.cpp - From one layout to another ------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Layout/Conversion.h"

#include "dialects/Warpgroup/Layout/SharedRounds.h"
#include "dialects/Warpgroup/Layout/Shuffles.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace gridir::warpgroup;

int64_t ThreadChoice::choose(unsigned thread) const {
  int64_t choice = 0;
  for (auto [bit, mask] : llvm::enumerate(masks))
    choice |= int64_t(getParity(mask, thread)) << bit;
  return choice;
}

bool Conversion::isLocal(const ShuffleRound &round) const {
  return round.laneOffset == 0 && lanes == BitMap::identity(kNumThreadBits);
}

llvm::StringRef gridir::warpgroup::stringify(Conversion::Kind kind) {
  switch (kind) {
  case Conversion::Kind::Nothing:
    return "nothing";
  case Conversion::Kind::Registers:
    return "registers";
  case Conversion::Kind::Shuffles:
    return "shuffles";
  case Conversion::Kind::SharedMemory:
    return "shared memory";
  }
  return "";
}

/// Elements narrower than 32 bits share a word: a word of the result is
/// assembled unless it is a word of the source.
static int64_t countPacks(llvm::ArrayRef<int64_t> registers,
                          unsigned elementBits) {
  auto ofWord = static_cast<size_t>(32 / elementBits);
  int64_t packs = 0;
  for (; !registers.empty();
       registers = registers.drop_front(std::min(ofWord, registers.size()))) {
    llvm::ArrayRef<int64_t> word =
        registers.take_front(std::min(ofWord, registers.size()));
    int64_t first = word.front();
    bool isWhole = first % static_cast<int64_t>(ofWord) == 0 &&
                   llvm::all_of(llvm::enumerate(word), [&](auto element) {
                     return element.value() ==
                            first + static_cast<int64_t>(element.index());
                   });
    llvm::SmallDenseSet<int64_t, 4> words;
    for (int64_t reg : word)
      words.insert(reg / static_cast<int64_t>(ofWord));
    if (!isWhole)
      packs += std::max<int64_t>(1, words.size() - 1);
  }
  return packs;
}

/// The number of elements that one access of 16 bytes moves.
static int64_t getAccessVector(const Layout &layout, Shape shape,
                               unsigned elementBits) {
  return std::min<int64_t>(layout.getVectorLength(shape), 128 / elementBits);
}

/// Counts the instructions of a conversion through shared memory, and searches
/// for the swizzle with the fewest bank conflicts. Counting conflicts is
/// expensive, so it is skipped if the instructions alone already cost `enough`.
static Conversion planSharedMemory(const Layout &source, const Layout &dest,
                                   Shape shape, unsigned elementBits,
                                   int64_t enough) {
  Conversion plan;
  plan.kind = Conversion::Kind::SharedMemory;
  plan.storeVector = getAccessVector(source, shape, elementBits);
  plan.loadVector = getAccessVector(dest, shape, elementBits);
  int64_t numRounds = 1;
  if (getNumElements(shape) * elementBits / 8 > kRoundBytes)
    if (auto rounds =
            planSharedRounds(source, dest, shape, elementBits, kRoundBytes))
      numRounds = rounds->getNumRounds();
  plan.cost.barriers = 2 * numRounds;
  plan.cost.stores = source.getNumRegisters(shape) / plan.storeVector;
  plan.cost.loads = dest.getNumRegisters(shape) / plan.loadVector;
  if (plan.cost.getWeight() >= enough)
    return plan;
  int64_t bytes = elementBits / 8;
  auto countConflicts = [&](Swizzle swizzle) {
    auto getOffset = [&](int64_t element) {
      return swizzle.apply(element * bytes);
    };
    return countSharedAccess(source, shape, plan.storeVector, elementBits,
                             getOffset)
               .conflicts +
           countSharedAccess(dest, shape, plan.loadVector, elementBits,
                             getOffset)
               .conflicts;
  };
  plan.cost.conflicts = countConflicts(plan.swizzle);
  // Bits of the row are added to the bits of the bank above a run of elements.
  constexpr unsigned bankBits = 7;
  unsigned run =
      llvm::Log2_64(std::max(plan.storeVector, plan.loadVector) * bytes);
  unsigned end = llvm::Log2_64_Ceil(getNumElements(shape) * bytes);
  for (unsigned from = bankBits; from < end && plan.cost.conflicts; ++from) {
    Swizzle swizzle{from, run, std::min(bankBits - run, end - from)};
    int64_t conflicts = countConflicts(swizzle);
    if (conflicts < plan.cost.conflicts) {
      plan.cost.conflicts = conflicts;
      plan.swizzle = swizzle;
    }
  }
  return plan;
}

std::optional<Conversion>
/// Tries the cheapest kinds first: no conversion, a permutation of registers
/// within each thread, then the cheaper one of shuffles within warps and an
/// exchange through shared memory.
gridir::warpgroup::planConversion(const Layout &source, const Layout &dest,
                                  Shape shape, unsigned elementBits) {
  // Elements of less than a byte take a byte in memory and a register each.
  elementBits = std::max(elementBits, 8u);
  Conversion plan;
  if (Layout::isSame(source, dest, shape))
    return plan;
  if (auto registers = findRegisters(source, shape, dest, shape,
                                     [](int64_t element) { return element; })) {
    plan.kind = Conversion::Kind::Registers;
    plan.registers = *registers;
    if (elementBits < 32 && !source.isSplat())
      plan.cost.packs = countPacks(plan.registers, elementBits);
    return plan;
  }
  if (dest.isSplat())
    return std::nullopt;
  std::optional<Conversion> shuffles =
      planShuffles(source, dest, shape, elementBits);
  Conversion shared =
      planSharedMemory(source, dest, shape, elementBits,
                       shuffles ? shuffles->cost.getWeight()
                                : std::numeric_limits<int64_t>::max());
  if (shuffles && shuffles->cost.getWeight() <= shared.cost.getWeight())
    return shuffles;
  return shared;
}
