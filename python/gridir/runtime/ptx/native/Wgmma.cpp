//===- Wgmma.cpp - Products of the tensor cores of a warpgroup ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include "SharedMatrix.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

constexpr unsigned kRows = 64;

/// Formats, sizes, flags, then the registers of D and those of A.
enum WgmmaArgument {
  FormatD,
  FormatA,
  FormatB,
  Columns,
  Depth,
  InRegisters,
  DescriptorA,
  DescriptorB,
  ScaleD,
  NegateA,
  NegateB,
  TransposeA,
  TransposeB,
  FirstRegister
};

SharedMatrix getMatrix(const Group &group, uint64_t descriptor, uint64_t format,
                       uint64_t isTransposed) {
  return {group, group.thread.frame.special[ClusterRank],
          MatrixDescriptor::readWgmma(group, descriptor), getFormat(format),
          bool(isTransposed)};
}

bool readShape(Emitter &emitter, unsigned &columns, unsigned &depth) {
  for (StringRef modifier : emitter.getModifiers()) {
    StringRef rest = modifier;
    if (rest.consume_front("m64n") && !rest.consumeInteger(10, columns) &&
        rest.consume_front("k") && !rest.getAsInteger(10, depth)) {
      emitter.take(modifier);
      return columns % 8 == 0 && columns >= 8 && columns <= 256 && depth <= 64;
    }
  }
  return false;
}

void encodeWgmma(Encoder &e) {
  Emitter &emitter = e.emitter;
  unsigned columns = 0, depth = 0;
  if (!readShape(emitter, columns, depth)) {
    emitter.fail("expected '.m64nNkK'");
    return;
  }
  unsigned formats[3];
  if (!takeFormats(emitter, formats)) {
    emitter.fail("expected three element types that are implemented");
    return;
  }
  if (getFormat(formats[0]).isInteger && columns > 32 && columns % 16 != 0) {
    emitter.fail("expected a multiple of 16 columns above 32 for integer "
                 "accumulators, got " +
                 Twine(columns));
    return;
  }
  emitter.expectOperands(4, 8);
  const Operand &d = emitter.getOperand(0), &a = emitter.getOperand(1);
  const bool inRegisters = a.kind == Operand::Kind::Vector;
  const unsigned numD = kRows * columns * getFormat(formats[0]).bits / 32 / 128;
  if (emitter.getElements(d).size() != numD ||
      (inRegisters && a.elements.size() != 4)) {
    emitter.fail("expected " + Twine(numD) +
                 " registers of the result and 4 "
                 "of A");
    return;
  }
  for (unsigned format : formats)
    e.add(uint64_t(format));
  e.add(uint64_t(columns));
  e.add(uint64_t(depth));
  e.add(uint64_t(inRegisters));
  if (inRegisters)
    e.add(uint64_t(0));
  else
    e.add(a, 64);
  e.add(emitter.getOperand(2), 64);
  e.add(emitter.getOperand(3), 1);
  // The rest: signs of A and B, then their transposition.
  SmallVector<uint64_t> rest;
  for (unsigned i = 4; i < emitter.getNumOperands(); ++i)
    rest.push_back(
        emitter.findConstant(emitter.getOperand(i)).value_or(uint64_t(0)));
  rest.resize(std::max<size_t>(rest.size(), 2), 1);
  const bool transposesB = rest.size() > 2 && rest.back();
  const bool transposesA = rest.size() > 3 && rest[2];
  e.add(uint64_t(rest[0] == ~uint64_t(0)));
  e.add(uint64_t(rest[1] == ~uint64_t(0)));
  e.add(uint64_t(transposesA));
  e.add(uint64_t(transposesB));
  for (const Operand &element : emitter.getElements(d)) {
    emitter.useInProduct(element, /*isResult=*/true);
    e.add(element, 32);
    e.addResult(element, 32);
  }
  if (inRegisters)
    for (const Operand &element : a.elements) {
      emitter.useInProduct(element, /*isResult=*/false);
      e.add(element, 32);
    }
}

/// The first register of A, after those of D.
unsigned getFirstOfA(const uint64_t *words) {
  return FirstRegister +
         kRows * words[Columns] * getFormat(words[FormatD]).bits / 32 / 128;
}

/// The first row of A in one of the four registers of a thread.
unsigned getRowOfA(unsigned thread, unsigned index) {
  return 16 * (thread / 32) + thread % 32 / 4 + 8 * (index % 2);
}

/// A result is undefined if an element of its row of A or of its column of B
/// is, or its addend.
void trackProduct(const Group &group) {
  const uint64_t *words = group.arguments[0];
  std::vector<Undefined> rows(kRows);
  if (!words[InRegisters])
    rows =
        getMatrix(group, words[DescriptorA], words[FormatA], words[TransposeA])
            .readUndefined(kRows, words[Depth]);
  const std::vector<Undefined> columns =
      getMatrix(group, words[DescriptorB], words[FormatB], words[TransposeB])
          .readUndefined(words[Columns], words[Depth]);
  const unsigned bits = getFormat(words[FormatD]).bits, perD = 32 / bits;
  const uint64_t mask = maskTrailingOnes<uint64_t>(bits);
  for (unsigned thread = 0; thread < 128; ++thread) {
    group.execution.expectDefinedArguments(*group.threads[thread],
                                           group.arguments[thread],
                                           FirstRegister, group.site);
    for (unsigned i = 0; words[InRegisters] && i < 4; ++i)
      rows[getRowOfA(thread, i)].join(
          group.getUndefined(thread, getFirstOfA(words) + i));
  }
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned word = 0; word < kRows * words[Columns] / 128 / perD;
         ++word) {
      Undefined result;
      Undefined sum;
      if (words[ScaleD])
        sum = group.getUndefined(thread, FirstRegister + word);
      for (unsigned part = 0; part < perD; ++part) {
        const unsigned element = word * perD + part;
        Undefined value{sum.bits >> part * bits & mask, sum.origin};
        value.join(
            rows[16 * (thread / 32) + thread % 32 / 4 + 8 * (element / 2 % 2)]);
        value.join(columns[element / 4 * 8 + thread % 4 * 2 + element % 2]);
        value = value.spread(mask);
        value.bits <<= part * bits;
        result.join(value);
      }
      group.setUndefined(thread, word, result);
    }
}

std::vector<float> readA(const Group &group, const uint64_t *words) {
  const ElementFormat &format = getFormat(words[FormatA]);
  const unsigned depth = words[Depth];
  if (!words[InRegisters])
    return getMatrix(group, words[DescriptorA], words[FormatA],
                     words[TransposeA])
        .read(kRows, depth);
  std::vector<float> result(kRows * depth);
  const unsigned per = 32 / format.bits;
  const unsigned first = getFirstOfA(words);
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned part = 0; part < per; ++part) {
        const unsigned lane = thread % 32;
        const unsigned row = getRowOfA(thread, i);
        const unsigned k = lane % 4 * per + i / 2 * 4 * per + part;
        const uint32_t word = group.arguments[thread][first + i];
        result[row * depth + k] = format.decode(word >> part * format.bits);
      }
  return result;
}

/// The MMAs of a warp run concurrently with its lanes: they read its rows of A
/// and all of B, and know what its lanes know. Those that are committed
/// together end together, and for the whole warpgroup: JAX and others let one
/// thread wait for them and signal the threads that fill the shared memory
/// again.
void noteProducts(const Group &group) {
  OrderChecker *order = group.execution.getOrder();
  if (!order)
    return;
  const uint64_t *words = group.arguments[0];
  const unsigned depth = words[Depth];
  std::array<AsyncUnitRef, 4> units;
  for (unsigned warp = 0; warp < 4; ++warp) {
    ArrayRef<Thread *> lanes = group.threads.slice(32 * warp, 32);
    AsyncUnitRef &unit = units[warp];
    unit = lanes.front()->products.getOpenUnit();
    if (!unit)
      unit = group.execution.startUnit(*lanes.front());
    for (Thread *lane : lanes)
      order->acquire(unit->actor, lane->actor);
    if (!words[InRegisters])
      getMatrix(group, words[DescriptorA], words[FormatA], words[TransposeA])
          .note(unit, 16 * warp, 16, depth, Reads | Async | Tracked);
    getMatrix(group, words[DescriptorB], words[FormatB], words[TransposeB])
        .note(unit, 0, words[Columns], depth, Reads | Async | Tracked);
  }
  for (auto [index, thread] : enumerate(group.threads)) {
    if (thread->products.getOpenUnit())
      continue;
    // Its own warp's comes last, where the next product looks for it.
    for (unsigned next = 1; next <= 4; ++next)
      thread->products.add(
          {units[(index / 32 + next) % 4], nullptr, group.site});
  }
}

/// Products and sums of floats are those of f32; of integers they are exact, as
/// doubles are.
template <typename T>
void multiply(const Group &group, const std::vector<float> &left,
              const std::vector<float> &right) {
  const uint64_t *words = group.arguments[0];
  const ElementFormat &d = getFormat(words[FormatD]);
  const unsigned columns = words[Columns], depth = words[Depth];
  const unsigned perD = 32 / d.bits, elements = kRows * columns / 128;
  std::vector<T> sums(kRows * columns);
  // Of each tile of eight columns a thread has two neighbours, and two of
  // those eight rows below.
  auto forEachElement = [&](auto body) {
    for (unsigned thread = 0; thread < 128; ++thread) {
      uint64_t *mine = group.arguments[thread];
      const unsigned lane = thread % 32;
      T *sum =
          sums.data() + (thread / 32 * 16 + lane / 4) * columns + lane % 4 * 2;
      for (unsigned element = 0; element < elements; element += 4, sum += 8) {
        body(mine, element, sum[0]);
        body(mine, element + 1, sum[1]);
        body(mine, element + 2, sum[8 * columns]);
        body(mine, element + 3, sum[8 * columns + 1]);
      }
    }
  };
  const bool isPlain = std::is_same_v<T, float> && d.bits == 32;
  if (words[ScaleD])
    forEachElement([&](const uint64_t *mine, unsigned element, T &sum) {
      const uint32_t word = mine[FirstRegister + element / perD];
      sum = isPlain ? static_cast<T>(bit_cast<float>(word))
                    : static_cast<T>(d.decode(word >> element % perD * d.bits));
    });
  addProducts(sums, left, right, kRows, columns, depth);
  forEachElement([&](uint64_t *mine, unsigned element, const T &sum) {
    const uint64_t word =
        isPlain ? bit_cast<uint32_t>(static_cast<float>(sum)) : d.encode(sum);
    const unsigned shift = element % perD * d.bits;
    uint64_t &result = mine[element / perD];
    result = shift ? (result & 0xffff) | word << shift : word;
  });
}

void runWgmma(const Group &group) {
  const uint64_t *words = group.arguments[0];
  for (const uint64_t *other : group.arguments)
    if (!std::equal(words + DescriptorA, words + NegateA, other + DescriptorA))
      group.fail("expected the same descriptors in all threads");
  noteProducts(group);
  if (group.execution.tracksUndefined())
    trackProduct(group);
  std::vector<float> left = readA(group, words);
  const std::vector<float> right =
      getMatrix(group, words[DescriptorB], words[FormatB], words[TransposeB])
          .read(words[Columns], words[Depth]);
  if (words[NegateA] != words[NegateB])
    for (float &value : left)
      value = -value;
  if (getFormat(words[FormatD]).isInteger)
    multiply<double>(group, left, right);
  else
    multiply<float>(group, left, right);
}

void encodeNothing(Encoder &e) { e.emitter.expectOperands(0, 0); }

void runFence(const Group &group) { group.thread.registers.fence(); }

void runCommit(const Group &group) {
  group.thread.products.commit();
  group.thread.registers.commit();
}

/// Arguments: how many groups need not be done.
void encodeWait(Encoder &e) {
  e.emitter.expectOperands(1, 1);
  e.add(e.emitter.getOperand(0), 32);
}

void runWait(const Group &group) {
  group.thread.products.wait(group.execution, group.thread,
                             group.arguments[0][0]);
  group.thread.registers.wait(group.arguments[0][0]);
}

constexpr StringLiteral kSection =
    "Asynchronous Warpgroup Level Matrix Instructions";

constexpr CollectiveRow kWgmmaRows[] = {
    {"wgmma.mma_async.sync", Team::Warpgroup, encodeWgmma, runWgmma, kSection,
     /*isAnywhere=*/false, /*isTracked=*/true},
    {"wgmma.fence.sync", Team::Thread, encodeNothing, runFence, kSection},
    {"wgmma.commit_group.sync", Team::Thread, encodeNothing, runCommit,
     kSection},
    {"wgmma.wait_group.sync", Team::Thread, encodeWait, runWait, kSection}};

} // namespace

ArrayRef<CollectiveRow> getWgmmaRows() { return kWgmmaRows; }

} // namespace gridir::ptx
