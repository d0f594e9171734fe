//===- Wgmma.cpp - Products of the tensor cores of a warpgroup ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Collectives.h"
#include "ElementFormat.h"
#include "TensorMap.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

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

/// A matrix of shared memory, as a descriptor says it.
class SharedMatrix {
public:
  SharedMatrix(const Group &group, uint64_t descriptor,
               const ElementFormat &format, bool isTransposed)
      : group(group), start((descriptor & 0x3fff) << 4),
        leading((descriptor >> 16 & 0x3fff) << 4),
        stride((descriptor >> 32 & 0x3fff) << 4),
        span(kSpans[descriptor >> 62]), bytes(format.bits / 8), format(format),
        isTransposed(isTransposed) {
    if (descriptor >> 49 & 7)
      group.fail("expected a matrix descriptor without a base offset");
  }

  /// The element of a row (of A, or a column of B) at a depth.
  double read(unsigned row, unsigned depth) const {
    uint32_t word = 0;
    std::memcpy(&word, find(row, depth, bytes), bytes);
    return format.decode(word);
  }

  /// Notes that a unit reads these rows up to a depth. Pieces of 16 bytes stay
  /// together.
  void note(const AsyncUnitRef &unit, unsigned firstRow, unsigned numRows,
            unsigned depth) const {
    const unsigned piece = 16 / bytes;
    const unsigned rowStep = isTransposed ? piece : 1;
    const unsigned depthStep = isTransposed ? 1 : piece;
    for (unsigned row = firstRow; row < firstRow + numRows; row += rowStep)
      for (unsigned k = 0; k < depth; k += depthStep)
        group.note(unit, find(row, k, 16), 16, Reads | Async);
  }

private:
  /// Where so many bytes from an element on are.
  const char *find(unsigned row, unsigned depth, unsigned size) const {
    const uint64_t rank = group.thread.frame.special[ClusterRank];
    const uint64_t address = swizzle(start + getOffset(row, depth), span);
    return group.execution.locateShared(
        group.thread, rank << kBlockWindowBits | address, size, 1, group.site);
  }

  static constexpr uint32_t kSpans[] = {0, 128, 64, 32};

  uint64_t getOffset(unsigned row, unsigned depth) const {
    // Groups of eight rows, each as wide as the swizzle permutes.
    const unsigned line = isTransposed ? depth : row;
    const uint64_t place = uint64_t(isTransposed ? row : depth) * bytes;
    const uint64_t width = span ? span : 16;
    const uint64_t inside = line % 8 * width + place % width;
    const uint64_t lines = line / 8, pieces = place / width;
    // Without a swizzle and transposed, the two strides change places.
    return isTransposed && !span ? lines * leading + pieces * stride + inside
                                 : lines * stride + pieces * leading + inside;
  }

  const Group &group;
  uint64_t start, leading, stride;
  uint32_t span;
  unsigned bytes;
  const ElementFormat &format;
  bool isTransposed;
};

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
  // What is left: signs of A and B, then which of them are transposed.
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

/// The row and the column of an element of D in a thread.
std::pair<unsigned, unsigned> getPlace(unsigned thread, unsigned element) {
  const unsigned warp = thread / 32, lane = thread % 32;
  return {16 * warp + lane / 4 + 8 * (element / 2 % 2),
          element / 4 * 8 + lane % 4 * 2 + element % 2};
}

std::vector<float> readA(const Group &group, const uint64_t *words) {
  const ElementFormat &format = getFormat(words[FormatA]);
  const unsigned depth = words[Depth];
  std::vector<float> result(kRows * depth);
  const float sign = words[NegateA] ? -1 : 1;
  if (!words[InRegisters]) {
    SharedMatrix matrix(group, words[DescriptorA], format, words[TransposeA]);
    for (unsigned row = 0; row < kRows; ++row)
      for (unsigned k = 0; k < depth; ++k)
        result[row * depth + k] = sign * matrix.read(row, k);
    return result;
  }
  const unsigned per = 32 / format.bits;
  const unsigned first = FirstRegister + kRows * words[Columns] *
                                             getFormat(words[FormatD]).bits /
                                             32 / 128;
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned part = 0; part < per; ++part) {
        const unsigned lane = thread % 32;
        const unsigned row = 16 * (thread / 32) + lane / 4 + 8 * (i % 2);
        const unsigned k = lane % 4 * per + i / 2 * 4 * per + part;
        const uint32_t word = group.arguments[thread][first + i];
        result[row * depth + k] =
            sign * format.decode(word >> part * format.bits);
      }
  return result;
}

/// The products of a warp go on beside its lanes: it reads its rows of A and
/// all of B. Those that are committed together end together.
void noteProducts(const Group &group) {
  OrderChecker *order = group.execution.getOrder();
  if (!order)
    return;
  const uint64_t *words = group.arguments[0];
  const unsigned depth = words[Depth];
  for (unsigned warp = 0; warp < 4; ++warp) {
    ArrayRef<Thread *> lanes = group.threads.slice(32 * warp, 32);
    AsyncUnitRef unit = lanes.front()->products.getOpenUnit();
    if (!unit)
      unit = group.execution.startUnit(*lanes.front());
    for (Thread *lane : lanes) {
      order->acquire(unit->actor, lane->actor);
      lane->products.add({unit, nullptr, group.site});
    }
    if (!words[InRegisters])
      SharedMatrix(group, words[DescriptorA], getFormat(words[FormatA]),
                   words[TransposeA])
          .note(unit, 16 * warp, 16, depth);
    SharedMatrix(group, words[DescriptorB], getFormat(words[FormatB]),
                 words[TransposeB])
        .note(unit, 0, words[Columns], depth);
  }
}

void runWgmma(const Group &group) {
  const uint64_t *words = group.arguments[0];
  for (const uint64_t *other : group.arguments)
    if (!std::equal(words + DescriptorA, words + NegateA, other + DescriptorA))
      group.fail("expected the same descriptors in all threads");
  noteProducts(group);
  const ElementFormat &d = getFormat(words[FormatD]);
  const unsigned columns = words[Columns], depth = words[Depth];
  const bool accumulates = words[ScaleD];
  const std::vector<float> left = readA(group, words);
  const float sign = words[NegateB] ? -1 : 1;
  std::vector<float> right(depth * columns);
  SharedMatrix matrix(group, words[DescriptorB], getFormat(words[FormatB]),
                      words[TransposeB]);
  for (unsigned k = 0; k < depth; ++k)
    for (unsigned column = 0; column < columns; ++column)
      right[k * columns + column] = sign * matrix.read(column, k);
  // The sums of one row at a time, in the order of the depth.
  const unsigned perD = 32 / d.bits, elements = kRows * columns / 128;
  for (unsigned thread = 0; thread < 128; ++thread) {
    uint64_t *mine = group.arguments[thread];
    std::vector<uint32_t> results(elements);
    for (unsigned element = 0; element < elements; ++element) {
      auto [row, column] = getPlace(thread, element);
      const uint32_t word = mine[FirstRegister + element / perD];
      const double start =
          accumulates ? d.decode(word >> element % perD * d.bits) : 0.0;
      double exact = start;
      float sum = start;
      for (unsigned k = 0; k < depth; ++k) {
        const float x = left[row * depth + k], y = right[k * columns + column];
        if (d.isInteger)
          exact += double(x) * y;
        else
          sum = std::fma(x, y, sum);
      }
      results[element] = d.encode(d.isInteger ? exact : double(sum));
    }
    for (unsigned i = 0; i < elements / perD; ++i)
      mine[i] = perD == 1
                    ? results[i]
                    : (results[2 * i] & 0xffff) | results[2 * i + 1] << 16;
  }
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
    {"wgmma.mma_async.sync", Team::Warpgroup, encodeWgmma, runWgmma, kSection},
    {"wgmma.fence.sync", Team::Thread, encodeNothing, runFence, kSection},
    {"wgmma.commit_group.sync", Team::Thread, encodeNothing, runCommit,
     kSection},
    {"wgmma.wait_group.sync", Team::Thread, encodeWait, runWait, kSection}};

} // namespace

ArrayRef<CollectiveRow> getWgmmaRows() { return kWgmmaRows; }

} // namespace gridir::ptx
