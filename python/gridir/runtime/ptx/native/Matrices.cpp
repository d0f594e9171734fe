//===- Matrices.cpp - Matrices in the registers of a warp -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One rule determines the location of each element of a fragment: a register
// holds neighbours of a row, the four lanes of a quad hold the next ones, the
// eight quads hold eight rows, and further registers the next eight rows and
// then the next columns.
//
//===----------------------------------------------------------------------===//

#include "Collectives.h"
#include "ElementFormat.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace llvm;

namespace gridir::ptx {

namespace {

/// Matrices of 8 by 8 elements of 16 bits.
using Tile = std::array<std::array<uint16_t, 8>, 8>;

unsigned takeCount(Emitter &emitter) {
  StringRef text = emitter.takeOneOf({"x1", "x2", "x4"});
  unsigned count = 1;
  if (text.drop_front(!text.empty()).getAsInteger(10, count))
    emitter.fail("expected '.x1', '.x2' or '.x4'");
  return count;
}

/// Arguments: address, matrices, whether they are transposed, registers.
template <bool stores> void encodeTiles(Encoder &e) {
  Emitter &emitter = e.emitter;
  emitter.expectOperands(2, 2);
  if (!emitter.take("m8n8"))
    emitter.fail("expected '.m8n8'");
  const unsigned count = takeCount(emitter);
  const bool isTransposed = emitter.take("trans");
  const bool isShared = !emitter.takeOneOf({"shared", "shared::cta"}).empty();
  if (emitter.takeType().bits != 16)
    emitter.fail("expected elements of 16 bits");
  ArrayRef<Operand> registers =
      emitter.getElements(emitter.getOperand(stores ? 1 : 0));
  if (registers.size() != count)
    emitter.fail("expected " + Twine(count) + " registers, got " +
                 Twine(registers.size()));
  e.addShared(emitter.getOperand(stores ? 0 : 1), !isShared);
  e.add(uint64_t(count));
  e.add(uint64_t(isTransposed));
  for (const Operand &element : registers) {
    if (stores)
      e.add(element, 32);
    else
      e.addResult(element, 32);
  }
}

/// The row of a matrix whose address a lane has, and which it reads or writes.
char *findRow(const Group &group, unsigned lane, uint32_t flag) {
  Thread &thread = *group.threads[lane];
  if (group.execution.tracksUndefined())
    group.execution.expectDefinedArguments(thread, group.arguments[lane], 1,
                                           group.site);
  char *row = group.execution.locateShared(thread, group.arguments[lane][0], 16,
                                           16, group.site);
  group.execution.note(thread, row, 16, flag | Tracked, group.site);
  return row;
}

void checkWarp(const Group &group) {
  for (Thread *thread : group.threads)
    if (!thread)
      group.fail("expected all lanes of the warp, got some that have ended");
}

/// The index of the first of the two elements that a lane has.
std::pair<unsigned, unsigned> getCoordinates(unsigned lane) {
  return {lane / 4, lane % 4 * 2};
}

/// The rows of up to four tiles.
using RowPointers = std::array<char *, 32>;

/// The two halves of a register of a lane.
std::array<char *, 2> findHalves(const RowPointers &rows, unsigned lane,
                                 unsigned index, bool isTransposed) {
  auto [row, column] = getCoordinates(lane);
  std::array<char *, 2> result;
  for (unsigned half = 0; half < 2; ++half)
    result[half] = isTransposed ? rows[8 * index + column + half] + 2 * row
                                : rows[8 * index + row] + 2 * (column + half);
  return result;
}

Undefined readUndefinedHalves(const Group &group, const RowPointers &rows,
                              unsigned lane, unsigned index,
                              bool isTransposed) {
  Undefined result;
  unsigned shift = 0;
  for (char *half : findHalves(rows, lane, index, isTransposed)) {
    Undefined part = group.execution.readUndefined(group.thread, half, 2);
    part.bits <<= std::exchange(shift, 16);
    result.join(part);
  }
  return result;
}

void writeUndefinedHalves(const Group &group, const RowPointers &rows,
                          unsigned lane, unsigned index, bool isTransposed) {
  Undefined value = group.getUndefined(lane, 3 + index);
  for (char *half : findHalves(rows, lane, index, isTransposed)) {
    group.execution.writeUndefined(group.thread, half, 2,
                                   {value.bits & 0xffff, value.origin});
    value.bits >>= 16;
  }
}

void runLoadTiles(const Group &group) {
  checkWarp(group);
  const uint64_t count = group.arguments[0][1];
  const bool isTransposed = group.arguments[0][2];
  std::array<Tile, 4> tiles;
  RowPointers rows = {};
  for (unsigned i = 0; i < 8 * count; ++i) {
    rows[i] = findRow(group, i, Reads);
    std::memcpy(tiles[i / 8][i % 8].data(), rows[i], 16);
  }
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < count; ++i) {
      auto [row, column] = getCoordinates(lane);
      const Tile &tile = tiles[i];
      const uint32_t low = isTransposed ? tile[column][row] : tile[row][column];
      const uint32_t high =
          isTransposed ? tile[column + 1][row] : tile[row][column + 1];
      group.arguments[lane][i] = low | high << 16;
      if (group.execution.tracksUndefined())
        group.setUndefined(
            lane, i, readUndefinedHalves(group, rows, lane, i, isTransposed));
    }
}

void runStoreTiles(const Group &group) {
  checkWarp(group);
  const uint64_t count = group.arguments[0][1];
  const bool isTransposed = group.arguments[0][2];
  std::array<Tile, 4> tiles;
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < count; ++i) {
      auto [row, column] = getCoordinates(lane);
      const uint32_t word = group.arguments[lane][3 + i];
      Tile &tile = tiles[i];
      (isTransposed ? tile[column][row] : tile[row][column]) = word;
      (isTransposed ? tile[column + 1][row] : tile[row][column + 1]) =
          word >> 16;
    }
  RowPointers rows = {};
  for (unsigned i = 0; i < 8 * count; ++i) {
    rows[i] = findRow(group, i, Writes);
    std::memcpy(rows[i], tiles[i / 8][i % 8].data(), 16);
  }
  if (group.execution.tracksUndefined())
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < count; ++i)
        writeUndefinedHalves(group, rows, lane, i, isTransposed);
}

void encodeMove(Encoder &e) {
  Emitter &emitter = e.emitter;
  emitter.expectOperands(2, 2);
  if (!emitter.take("m8n8") || !emitter.take("trans"))
    emitter.fail("expected '.m8n8.trans'");
  emitter.takeType();
  e.add(emitter.getOperand(1), 32);
  e.addResult(emitter.getOperand(0), 32);
}

void runMove(const Group &group) {
  checkWarp(group);
  Tile tile;
  for (unsigned lane = 0; lane < 32; ++lane) {
    auto [row, column] = getCoordinates(lane);
    tile[column][row] = group.arguments[lane][0];
    tile[column + 1][row] = group.arguments[lane][0] >> 16;
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    auto [row, column] = getCoordinates(lane);
    group.arguments[lane][0] =
        tile[row][column] | uint32_t(tile[row][column + 1]) << 16;
  }
  if (!group.execution.tracksUndefined())
    return;
  std::array<std::array<Undefined, 8>, 8> undefined;
  for (unsigned lane = 0; lane < 32; ++lane) {
    auto [row, column] = getCoordinates(lane);
    const Undefined value = group.getUndefined(lane, 0);
    undefined[column][row] = {value.bits & 0xffff, value.origin};
    undefined[column + 1][row] = {value.bits >> 16 & 0xffff, value.origin};
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    auto [row, column] = getCoordinates(lane);
    Undefined result = undefined[row][column],
              high = undefined[row][column + 1];
    high.bits <<= 16;
    result.join(high);
    group.setUndefined(lane, 0, result);
  }
}

// mma.sync of 16 by 8 elements, with A by rows and B by columns.

constexpr unsigned kRowsOfA = 16, kColumnsOfB = 8;

/// The formats of D, A, B and C, the depth, then the registers of A, B and C.
enum MmaArgument { FormatD, FormatA, FormatB, FormatC, Depth, FirstRegister };

/// The format of f64, which has a register for each element.
constexpr unsigned kDouble = ~0u;

/// Takes four modifiers of f64.
bool takeDoubles(Emitter &emitter) {
  if (llvm::count(emitter.getModifiers(), "f64") != 4)
    return false;
  for (unsigned i = 0; i < 4; ++i)
    emitter.take("f64");
  return true;
}

unsigned getRegisters(unsigned elements, const ElementFormat &format) {
  return elements * format.bits / 32 / 32;
}

/// Of an operand of one of the formats that `takeFormats` or `takeDoubles`
/// take.
unsigned getRegisters(unsigned elements, unsigned format) {
  return format == kDouble ? elements / 32
                           : getRegisters(elements, getFormat(format));
}

void encodeMma(Encoder &e) {
  Emitter &emitter = e.emitter;
  emitter.expectOperands(4, 4);
  unsigned depth = 0;
  for (StringRef modifier : emitter.getModifiers())
    if (StringRef rest = modifier; rest.consume_front("m16n8k")) {
      rest.getAsInteger(10, depth);
      emitter.take(modifier);
      break;
    }
  if (!emitter.take("row") || !emitter.take("col") || !depth) {
    emitter.fail("expected '.m16n8kK.row.col'");
    return;
  }
  unsigned formats[4] = {kDouble, kDouble, kDouble, kDouble};
  const bool areDoubles = takeDoubles(emitter);
  if (!areDoubles && !takeFormats(emitter, formats)) {
    emitter.fail("expected four element types that are implemented");
    return;
  }
  const unsigned sizes[] = {kRowsOfA * kColumnsOfB, kRowsOfA * depth,
                            depth * kColumnsOfB, kRowsOfA * kColumnsOfB};
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned expected = getRegisters(sizes[i], formats[i]);
    const unsigned got = emitter.getElements(emitter.getOperand(i)).size();
    if (expected != got)
      emitter.fail("expected " + Twine(expected) + " registers in operand " +
                   Twine(i) + ", got " + Twine(got));
  }
  for (unsigned format : formats)
    e.add(uint64_t(format));
  e.add(uint64_t(depth));
  const unsigned bits = areDoubles ? 64 : 32;
  for (unsigned i = 1; i < 4; ++i)
    for (const Operand &element : emitter.getElements(emitter.getOperand(i)))
      e.add(element, bits);
  for (const Operand &element : emitter.getElements(emitter.getOperand(0)))
    e.addResult(element, bits);
}

/// Where elements of a fragment are in the registers of a lane. Columns are
/// counted along the contents of a register.
struct Fragment {
  /// How many elements are in a register.
  unsigned perRegister;
  /// Of the matrix, for A and accumulators in groups of eight.
  unsigned numRows;

  unsigned getRow(unsigned lane, unsigned index) const {
    return lane / 4 + (numRows == 16 ? 8 * (index % 2) : 0);
  }
  unsigned getColumn(unsigned lane, unsigned index, unsigned part) const {
    return lane % 4 * perRegister + index / (numRows / 8) * 4 * perRegister +
           part;
  }
};

/// Reads the registers of a fragment: `use(row, column, word, part)` for each
/// element in each.
template <typename Use>
void readFragment(const Group &group, const Fragment &fragment,
                  unsigned firstWord, unsigned numRegisters, Use use) {
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < numRegisters; ++i)
      for (unsigned part = 0; part < fragment.perRegister; ++part)
        use(fragment.getRow(lane, i), fragment.getColumn(lane, i, part),
            group.arguments[lane][firstWord + i], part);
}

/// Accumulators have two columns in a lane, in one or two registers.
std::pair<unsigned, unsigned> getAccumulatorCoordinates(unsigned lane,
                                                        unsigned element) {
  return {lane / 4 + 8 * (element / 2), lane % 4 * 2 + element % 2};
}

/// The product of f64, each sum in the order of the depth.
void runDoubleMma(const Group &group) {
  const unsigned depth = group.arguments[0][Depth];
  const unsigned numA = getRegisters(kRowsOfA * depth, kDouble);
  const unsigned numB = getRegisters(depth * kColumnsOfB, kDouble);
  std::vector<double> left(kRowsOfA * depth), right(depth * kColumnsOfB);
  readFragment(group, {1, 16}, FirstRegister, numA,
               [&](unsigned row, unsigned column, uint64_t word, unsigned) {
                 left[row * depth + column] = bit_cast<double>(word);
               });
  readFragment(group, {1, 8}, FirstRegister + numA, numB,
               [&](unsigned column, unsigned row, uint64_t word, unsigned) {
                 right[row * kColumnsOfB + column] = bit_cast<double>(word);
               });
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint64_t *mine = group.arguments[lane];
    for (unsigned element = 0; element < 4; ++element) {
      auto [row, column] = getAccumulatorCoordinates(lane, element);
      double sum =
          bit_cast<double>(mine[FirstRegister + numA + numB + element]);
      for (unsigned k = 0; k < depth; ++k)
        sum = std::fma(left[row * depth + k], right[k * kColumnsOfB + column],
                       sum);
      mine[element] = bit_cast<uint64_t>(sum);
    }
  }
}

/// A result is undefined if an element of its row of A or of its column of B
/// is, or its addend.
void trackMma(const Group &group) {
  const uint64_t *words = group.arguments[0];
  auto getBits = [](uint64_t format) {
    return format == kDouble ? 64u : getFormat(format).bits;
  };
  const unsigned depth = words[Depth];
  const unsigned numA =
      getRegisters(kRowsOfA * depth, unsigned(words[FormatA]));
  const unsigned numB =
      getRegisters(depth * kColumnsOfB, unsigned(words[FormatB]));
  std::array<Undefined, kRowsOfA> rows;
  std::array<Undefined, kColumnsOfB> columns;
  for (unsigned lane = 0; lane < 32; ++lane) {
    for (unsigned i = 0; i < numA; ++i)
      rows[Fragment{1, 16}.getRow(lane, i)].join(
          group.getUndefined(lane, FirstRegister + i));
    for (unsigned i = 0; i < numB; ++i)
      columns[Fragment{1, 8}.getRow(lane, i)].join(
          group.getUndefined(lane, FirstRegister + numA + i));
  }
  const unsigned bitsC = getBits(words[FormatC]),
                 bitsD = getBits(words[FormatD]);
  const unsigned perC = std::max(32 / bitsC, 1u),
                 perD = std::max(32 / bitsD, 1u);
  const uint64_t mask = maskTrailingOnes<uint64_t>(bitsD);
  for (unsigned lane = 0; lane < 32; ++lane) {
    std::array<Undefined, 4> results;
    for (unsigned element = 0; element < 4; ++element) {
      auto [row, column] = getAccumulatorCoordinates(lane, element);
      Undefined sum = group.getUndefined(lane, FirstRegister + numA + numB +
                                                   element / perC);
      sum.bits = sum.bits >> element % perC * bitsC &
                 maskTrailingOnes<uint64_t>(bitsC);
      sum.join(rows[row]);
      sum.join(columns[column]);
      Undefined part = sum.spread(mask);
      part.bits <<= element % perD * bitsD;
      results[element / perD].join(part);
    }
    for (unsigned i = 0; i < 4 / perD; ++i)
      group.setUndefined(lane, i, results[i]);
  }
}

void runMma(const Group &group) {
  checkWarp(group);
  const uint64_t *words = group.arguments[0];
  if (group.execution.tracksUndefined())
    trackMma(group);
  if (words[FormatD] == kDouble)
    return runDoubleMma(group);
  const ElementFormat &d = getFormat(words[FormatD]);
  const ElementFormat &a = getFormat(words[FormatA]);
  const ElementFormat &b = getFormat(words[FormatB]);
  const ElementFormat &c = getFormat(words[FormatC]);
  const unsigned depth = words[Depth];
  const unsigned numA = getRegisters(kRowsOfA * depth, a);
  const unsigned numB = getRegisters(depth * kColumnsOfB, b);
  std::vector<float> left(kRowsOfA * depth), right(depth * kColumnsOfB);
  readFragment(
      group, {32 / a.bits, 16}, FirstRegister, numA,
      [&](unsigned row, unsigned column, uint64_t word, unsigned part) {
        left[row * depth + column] = a.decode(uint32_t(word) >> part * a.bits);
      });
  readFragment(
      group, {32 / b.bits, 8}, FirstRegister + numA, numB,
      [&](unsigned column, unsigned row, uint64_t word, unsigned part) {
        right[row * kColumnsOfB + column] =
            b.decode(uint32_t(word) >> part * b.bits);
      });
  const unsigned first = FirstRegister + numA + numB;
  for (unsigned lane = 0; lane < 32; ++lane) {
    uint64_t *mine = group.arguments[lane];
    std::array<uint32_t, 4> results;
    for (unsigned element = 0; element < 4; ++element) {
      auto [row, column] = getAccumulatorCoordinates(lane, element);
      const unsigned perC = 32 / c.bits;
      const uint32_t word = mine[first + element / perC];
      const double start = c.decode(word >> element % perC * c.bits);
      // Products and sums are those of f32, in the order of the depth; of
      // integers they are exact.
      if (d.isInteger) {
        double sum = start;
        for (unsigned k = 0; k < depth; ++k)
          sum +=
              double(left[row * depth + k]) * right[k * kColumnsOfB + column];
        results[element] = d.encode(sum);
      } else {
        float sum = start;
        for (unsigned k = 0; k < depth; ++k)
          sum = std::fma(left[row * depth + k], right[k * kColumnsOfB + column],
                         sum);
        results[element] = d.encode(sum);
      }
    }
    const unsigned perD = 32 / d.bits;
    for (unsigned i = 0; i < 4 / perD; ++i)
      mine[i] = perD == 1
                    ? results[i]
                    : (results[2 * i] & 0xffff) | results[2 * i + 1] << 16;
  }
}

constexpr StringLiteral kWarpLevel = "Warp Level Matrix Instructions";

constexpr CollectiveRow kRows[] = {
    {"ldmatrix.sync", Team::Warp, encodeTiles<false>, runLoadTiles, kWarpLevel,
     /*isAnywhere=*/false, /*isTracked=*/true},
    {"stmatrix.sync", Team::Warp, encodeTiles<true>, runStoreTiles, kWarpLevel,
     /*isAnywhere=*/false, /*isTracked=*/true},
    {"movmatrix.sync", Team::Warp, encodeMove, runMove, kWarpLevel,
     /*isAnywhere=*/false, /*isTracked=*/true},
    {"mma.sync", Team::Warp, encodeMma, runMma, kWarpLevel,
     /*isAnywhere=*/false, /*isTracked=*/true}};

} // namespace

ArrayRef<CollectiveRow> getMatrixRows() { return kRows; }

} // namespace gridir::ptx
