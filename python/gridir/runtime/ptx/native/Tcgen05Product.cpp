//===- Tcgen05Product.cpp - Products with sums in tensor memory -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread starts an MMA for its CTA, or for both CTAs of a pair; each has
// its rows of A and D and half of the columns of B.
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include "SharedMatrix.h"
#include "Tcgen05Arguments.h"

using namespace llvm;

namespace gridir::ptx {

using namespace tcgen05;

namespace {

SharedMatrix getMatrix(const Group &group, uint64_t rank, uint64_t descriptor,
                       unsigned format, bool isTransposed) {
  return {group, rank, MatrixDescriptor::readTcgen05(group, descriptor),
          getFormat(format), isTransposed};
}

/// Columns of tensor memory that a row of A takes there.
unsigned getColumnsOfA(const Product &product) {
  return product.storedDepth * getFormat(product.formatA).bits / 32;
}

/// The rows of A of a block, as they are stored.
std::vector<float> readA(const Group &group, const Product &product,
                         uint64_t rank) {
  const uint64_t *words = group.arguments[0];
  const unsigned depth = product.storedDepth;
  if (!words[IsTensorA])
    return getMatrix(group, rank, words[A], product.formatA,
                     product.isTransposedA)
        .read(product.blockRows, depth);
  const ElementFormat &format = getFormat(product.formatA);
  TensorWindow window(group, rank, words[A]);
  std::vector<float> result;
  for (unsigned row = 0; row < product.blockRows; ++row) {
    const uint32_t *memory =
        window.find(product.getLane(row), 0, getColumnsOfA(product));
    for (unsigned k = 0; k < depth; ++k) {
      const unsigned bit = k * format.bits;
      result.push_back(format.decode(memory[bit / 32] >> bit % 32));
    }
  }
  return result;
}

/// Where the position of a stored element among four is said: lane, column, and
/// bit of the word.
struct MetadataPosition {
  unsigned lane, column, bit;
};

MetadataPosition findMetadata(const Product &product, unsigned row,
                              unsigned element) {
  // Of 16 bits, rows that are 8 apart share the words of two lanes.
  if (getFormat(product.formatA).bits == 16)
    return {row / 16 * 16 + element / 8 * 8 + row % 8, product.selector,
            (row / 8 % 2 * 8 + element % 8) * 2};
  return {row, element / 16, element % 16 * 2};
}

/// Two of four elements of A are stored, the others are zero.
std::vector<float> expand(const Group &group, const Product &product,
                          uint64_t rank, const std::vector<float> &stored) {
  TensorWindow window(group, rank, group.arguments[0][Metadata]);
  std::vector<float> result(size_t(product.blockRows) * product.depth);
  for (unsigned row = 0; row < product.blockRows; ++row)
    for (unsigned i = 0; i < product.storedDepth; ++i) {
      const MetadataPosition at = findMetadata(product, row, i);
      const unsigned index = *window.find(at.lane, at.column, 1) >> at.bit & 3;
      result[row * product.depth + i / 2 * 4 + index] =
          stored[row * product.storedDepth + i];
    }
  return result;
}

/// Multiplies rows, or columns of B, with their scales: words of tensor memory
/// that `find(row)` gives, a byte for each part of the depth.
template <typename Find>
void scale(const Product &product, std::vector<float> &values, unsigned count,
           unsigned first, Find find) {
  const ElementFormat &format = getFormat(product.formatScale);
  const unsigned part = product.depth / product.scales;
  for (unsigned row = 0; row < count; ++row) {
    const uint32_t word = find(row);
    for (unsigned k = 0; k < product.depth; ++k)
      values[row * product.depth + k] *=
          static_cast<float>(format.decode(word >> (first + k / part) % 4 * 8));
  }
}

/// The columns of B of all CTAs, each with its part.
std::vector<float> readB(const Group &group, const Product &product) {
  std::vector<float> result;
  for (uint64_t rank : product.blocks) {
    std::vector<float> part =
        getMatrix(group, rank, group.arguments[0][B], product.formatB,
                  product.isTransposedB)
            .read(product.columns / product.blocks.size(), product.depth);
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

/// The lane and the column of the scales of a column of B.
std::pair<unsigned, unsigned> findScaleB(const Product &product,
                                         unsigned column) {
  if (!product.isOfPair() || product.blockRows == 128)
    return {column % 32, column / 32};
  const unsigned half = product.columns / 2;
  return {column % half % 32 + column / half * 32, column % half / 32};
}

void scaleOperands(const Group &group, const Product &product, uint64_t rank,
                   std::vector<float> &left, std::vector<float> &right) {
  const uint64_t *words = group.arguments[0];
  TensorWindow windowA(group, rank, words[ScaleA]);
  scale(product, left, product.blockRows, product.firstScaleA,
        [&](unsigned row) { return *windowA.find(row % 32, row / 32, 1); });
  TensorWindow windowB(group, rank, words[ScaleB]);
  scale(product, right, product.columns, product.firstScaleB,
        [&](unsigned column) {
          auto [lane, at] = findScaleB(product, column);
          return *windowB.find(lane, at, 1);
        });
}

/// Joins the undefined bits of scales with those of the rows, or columns of B,
/// that they scale. `find(row)` gives the word of the scales.
template <typename Find>
void joinScales(const Group &group, const Product &product,
                std::vector<Undefined> &rows, unsigned first, Find find) {
  for (auto [row, undefined] : llvm::enumerate(rows)) {
    const Undefined word =
        group.execution.readUndefined(group.thread, find(row), 4);
    for (unsigned part = 0; part < product.scales; ++part) {
      const unsigned shift = (first + part) % 4 * 8;
      undefined.join({word.bits >> shift & 0xff, word.origin});
    }
  }
}

/// Which rows of A of a block depend on undefined values.
std::vector<Undefined>
findUndefinedRows(const Group &group, const Product &product, uint64_t rank) {
  const uint64_t *words = group.arguments[0];
  Execution &execution = group.execution;
  std::vector<Undefined> rows(product.blockRows);
  if (!words[IsTensorA])
    rows =
        getMatrix(group, rank, words[A], product.formatA, product.isTransposedA)
            .readUndefined(product.blockRows, product.storedDepth);
  TensorWindow windowA(group, rank, words[A]);
  TensorWindow metadata(group, rank, words[Metadata]);
  const unsigned columns = getColumnsOfA(product);
  for (auto [row, undefined] : llvm::enumerate(rows)) {
    if (words[IsTensorA])
      undefined = execution.findUndefined(
          group.thread, windowA.find(product.getLane(row), 0, columns),
          columns * sizeof(uint32_t));
    for (unsigned i = 0; words[IsSparse] && i < product.storedDepth; ++i) {
      const MetadataPosition at = findMetadata(product, row, i);
      const Undefined word = execution.readUndefined(
          group.thread, metadata.find(at.lane, at.column, 1), 4);
      undefined.join({word.bits >> at.bit & 3, word.origin});
    }
  }
  if (product.scales) {
    TensorWindow window(group, rank, words[ScaleA]);
    joinScales(group, product, rows, product.firstScaleA, [&](unsigned row) {
      return window.find(row % 32, row / 32, 1);
    });
  }
  return rows;
}

/// Which columns of B depend on undefined values for a block.
std::vector<Undefined> findUndefinedColumns(const Group &group,
                                            const Product &product,
                                            uint64_t rank) {
  const uint64_t *words = group.arguments[0];
  std::vector<Undefined> columns;
  for (uint64_t owner : product.blocks)
    llvm::append_range(
        columns, getMatrix(group, owner, words[B], product.formatB,
                           product.isTransposedB)
                     .readUndefined(product.columns / product.blocks.size(),
                                    product.depth));
  if (product.scales) {
    TensorWindow window(group, rank, words[ScaleB]);
    joinScales(group, product, columns, product.firstScaleB,
               [&](unsigned column) {
                 auto [lane, at] = findScaleB(product, column);
                 return window.find(lane, at, 1);
               });
  }
  return columns;
}

/// True if a lane of D is unchanged.
bool isDisabled(const uint64_t *words, unsigned block, unsigned lane) {
  return words[FirstMask + 4 * block + lane / 32] >> lane % 32 & 1;
}

template <typename T>
void multiplyBlock(const Group &group, const Product &product, unsigned block,
                   const std::vector<float> &left,
                   const std::vector<float> &right) {
  const uint64_t *words = group.arguments[0];
  TensorWindow window(group, product.blocks[block], words[D]);
  const ElementFormat &format = getFormat(product.formatD);
  std::vector<T> sums(size_t(product.blockRows) * product.columns);
  auto forEachPart = [&](auto body) {
    product.forEachPart(
        [&](unsigned row, unsigned lane, unsigned column, unsigned columns) {
          body(window.find(lane, 0, columns), lane,
               sums.data() + size_t(row) * product.columns + column, columns);
        });
  };
  if (words[Accumulates]) {
    const T factor = static_cast<T>(1.0 / (uint64_t(1) << words[Shift]));
    forEachPart([&](uint32_t *memory, unsigned, T *sum, unsigned columns) {
      for (unsigned i = 0; i < columns; ++i)
        sum[i] = static_cast<T>(format.decode(memory[i])) * factor;
    });
  }
  addProducts(sums, left, right, product.blockRows, product.columns,
              product.depth);
  forEachPart([&](uint32_t *memory, unsigned lane, T *sum, unsigned columns) {
    if (!isDisabled(words, block, lane))
      for (unsigned i = 0; i < columns; ++i)
        memory[i] = format.encode(sum[i]);
  });
}

/// A result is undefined if an element of its row of A or of its column of B
/// is, a scale of them, or its addend.
void trackBlock(const Group &group, const Product &product, unsigned block) {
  const uint64_t *words = group.arguments[0];
  const uint64_t rank = product.blocks[block];
  const std::vector<Undefined> rows = findUndefinedRows(group, product, rank);
  const std::vector<Undefined> right =
      findUndefinedColumns(group, product, rank);
  TensorWindow window(group, rank, words[D]);
  product.forEachPart(
      [&](unsigned row, unsigned lane, unsigned column, unsigned columns) {
        if (isDisabled(words, block, lane))
          return;
        uint32_t *memory = window.find(lane, 0, columns);
        for (unsigned i = 0; i < columns; ++i) {
          Undefined value;
          if (words[Accumulates])
            value = group.execution.readUndefined(group.thread, memory + i, 4);
          value.join(rows[row]);
          value.join(right[column + i]);
          group.execution.writeUndefined(
              group.thread, memory + i, 4,
              value.spread(maskTrailingOnes<uint64_t>(32)));
        }
      });
}

void multiply(const Group &group) {
  const Product product(group);
  const std::vector<float> right = readB(group, product);
  for (auto [block, rank] : llvm::enumerate(product.blocks)) {
    if (group.execution.tracksUndefined())
      trackBlock(group, product, block);
    std::vector<float> left = readA(group, product, rank);
    if (group.arguments[0][IsSparse])
      left = expand(group, product, rank, left);
    if (product.isNegativeA != product.isNegativeB)
      for (float &value : left)
        value = -value;
    std::vector<float> scaled = right;
    if (product.scales)
      scaleOperands(group, product, rank, left, scaled);
    if (getFormat(product.formatD).isInteger)
      multiplyBlock<double>(group, product, block, left, scaled);
    else
      multiplyBlock<float>(group, product, block, left, scaled);
  }
}

/// Tells of all that a product touches. It follows undefined values itself.
void noteProduct(const Group &group, const Product &product) {
  const uint64_t *words = group.arguments[0];
  const TensorUnits &units = getTensorUnits(group);
  if (!units.memory)
    return;
  constexpr uint32_t reads = Reads | Async | Tracked;
  for (auto [block, rank] : llvm::enumerate(product.blocks)) {
    getMatrix(group, rank, words[B], product.formatB, product.isTransposedB)
        .note(units.shared, 0, product.columns / product.blocks.size(),
              product.depth, reads);
    if (!words[IsTensorA])
      getMatrix(group, rank, words[A], product.formatA, product.isTransposedA)
          .note(units.shared, 0, product.blockRows, product.storedDepth, reads);
    else
      for (unsigned row = 0; row < product.blockRows; ++row)
        TensorWindow(group, rank, words[A])
            .note(units.memory, product.getLane(row), 1, 0,
                  getColumnsOfA(product), reads);
    if (product.scales) {
      TensorWindow(group, rank, words[ScaleA])
          .note(units.memory, 0, 32, 0, product.blockRows / 32, reads);
      for (unsigned column = 0; column < product.columns; ++column) {
        auto [lane, at] = findScaleB(product, column);
        TensorWindow(group, rank, words[ScaleB])
            .note(units.memory, lane, 1, at, 1, reads);
      }
    }
    if (words[IsSparse]) {
      const bool isWide = getFormat(product.formatA).bits == 16;
      TensorWindow(group, rank, words[Metadata])
          .note(units.memory, 0, 128, isWide ? product.selector : 0,
                isWide ? 1 : product.storedDepth / 16, reads);
    }
    const TensorWindow window(group, rank, words[D]);
    product.forEachPart([&, block = block](unsigned, unsigned lane, unsigned,
                                           unsigned columns) {
      if (!isDisabled(words, block, lane))
        window.note(units.memory, lane, 1, 0, columns,
                    Async | Writes | Tracked |
                        (words[Accumulates] ? Reads : 0u));
    });
  }
}

void runProduct(const Group &group) {
  noteProduct(group, Product(group));
  startInOrder(group, NumArguments, multiply);
}

constexpr StringLiteral kSection =
    "TensorCore 5th Generation Instructions: tcgen05.mma, mma.sp";

template <bool isSparse> void encode(Encoder &encoder) {
  encodeProduct(encoder, isSparse);
}

constexpr CollectiveRow kRows[] = {
    {"tcgen05.mma", Team::Thread, encode<false>, runProduct, kSection},
    {"tcgen05.mma.sp", Team::Thread, encode<true>, runProduct, kSection}};

} // namespace

ArrayRef<CollectiveRow> getTensorCoreProductRows() { return kRows; }

} // namespace gridir::ptx
