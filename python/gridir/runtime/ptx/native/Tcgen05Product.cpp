//===- Tcgen05Product.cpp - Products with sums in tensor memory -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread starts an MMA for its CTA, or for both CTAs of a pair; each has
// its rows of A and D and half of the columns of B. Properties that are known
// only at execution, such as the types and sizes in the instruction descriptor,
// are rejected then.
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include "SharedMatrix.h"
#include "TensorMemory.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

struct ProductKind {
  StringLiteral name;
  unsigned depth;
  /// Scales along the depth of an instruction where it does not say; 0 for
  /// products without scales.
  unsigned scales;
  /// Element types by their numbers in the descriptor; "" for unsupported ones.
  std::array<StringLiteral, 6> formats;
};

constexpr ProductKind kKinds[] = {
    {"kind::f16", 16, 0, {"f16", "bf16", "", "", "", ""}},
    {"kind::tf32", 8, 0, {"", "", "tf32", "", "", ""}},
    {"kind::f8f6f4", 32, 0, {"e4m3", "e5m2", "", "", "", ""}},
    {"kind::i8", 32, 0, {"u8", "s8", "", "", "", ""}},
    {"kind::mxf8f6f4", 32, 1, {"e4m3", "e5m2", "", "", "", ""}},
    {"kind::mxf4", 64, 2, {"", "e2m1", "", "", "", ""}},
    {"kind::mxf4nvf4", 64, 4, {"", "e2m1", "", "", "", ""}}};

constexpr std::pair<StringLiteral, unsigned> kScaleCounts[] = {
    {"scale_vec::1X", 1}, {"scale_vec::2X", 2}, {"scale_vec::4X", 4}};

constexpr unsigned kMaskWords = 8;

/// Addresses of tensor memory, descriptors, and other arguments of an
/// instruction.
enum ProductArgument {
  Kind,
  IsPair,
  D,
  IsTensorA,
  A,
  B,
  Descriptor,
  Accumulates,
  Scales,
  ScaleA,
  ScaleB,
  IsSparse,
  Metadata,
  Shift,
  FirstMask,
  NumArguments = FirstMask + kMaskWords
};

template <bool isSparse> void encodeProduct(Encoder &e) {
  Emitter &emitter = e.emitter;
  const bool isPair = takePair(emitter);
  const auto *kind = llvm::find_if(
      kKinds, [&](const ProductKind &row) { return emitter.take(row.name); });
  if (kind == std::end(kKinds)) {
    emitter.fail("expected a kind of MMA that is implemented");
    return;
  }
  if (emitter.take("block_scale") != (kind->scales != 0)) {
    emitter.fail(
        "expected '.block_scale' for exactly the kinds that have scales");
    return;
  }
  unsigned scales = kind->scales;
  for (const auto &[name, count] : kScaleCounts)
    if (emitter.take(name))
      scales = count;
  if (emitter.take("block32"))
    scales = kind->depth / 32;
  if (emitter.take("block16"))
    scales = kind->depth / 16;
  // Hints about operand buffers do not affect values.
  for (StringRef modifier : SmallVector<StringRef>(emitter.getModifiers()))
    if (modifier.starts_with("collector::a"))
      emitter.take(modifier);
  emitter.expectOperands(5 + isSparse + (scales ? 2 : 0), 9);
  unsigned next = 0;
  auto addAddress = [&] {
    e.add(emitter.readAddress(emitter.getOperand(next++)));
  };
  e.add(uint64_t(kind - kKinds));
  e.add(uint64_t(isPair));
  addAddress();
  const bool isTensorA =
      emitter.getOperand(next).kind == Operand::Kind::Address;
  e.add(uint64_t(isTensorA));
  if (isTensorA)
    addAddress();
  else
    e.add(emitter.getOperand(next++), 64);
  e.add(emitter.getOperand(next++), 64);
  Value *metadata = emitter.builder.getInt64(0);
  if (isSparse)
    metadata = emitter.readAddress(emitter.getOperand(next++));
  e.add(emitter.getOperand(next++), 32);
  Value *scaleA = emitter.builder.getInt64(0), *scaleB = scaleA;
  if (scales) {
    scaleA = emitter.readAddress(emitter.getOperand(next++));
    scaleB = emitter.readAddress(emitter.getOperand(next++));
  }
  ArrayRef<Operand> mask;
  if (emitter.getOperand(next).kind == Operand::Kind::Vector)
    mask = emitter.getOperand(next++).elements;
  if (!mask.empty() && (mask.size() != (isPair ? 8 : 4) || scales))
    emitter.fail("expected a mask of lanes of 4 words, or of 8 for a pair, and "
                 "no scales");
  e.add(emitter.getOperand(next++), 1);
  e.add(uint64_t(scales));
  e.add(scaleA);
  e.add(scaleB);
  e.add(uint64_t(isSparse));
  e.add(metadata);
  uint64_t shift = 0;
  if (next < emitter.getNumOperands())
    shift = emitter.findConstant(emitter.getOperand(next++)).value_or(0);
  if (shift > 15 || next < emitter.getNumOperands())
    emitter.fail("expected at most a scale of the accumulator from 0 to 15 as "
                 "the last operand");
  e.add(shift);
  for (unsigned i = 0; i < kMaskWords; ++i)
    if (i < mask.size())
      e.add(mask[i], 32);
    else
      e.add(uint64_t(0));
}

/// The arguments and the instruction descriptor.
struct Product {
  const ProductKind &kind;
  SmallVector<uint64_t, 2> blocks;
  unsigned formatA = 0, formatB = 0, formatD = 0;
  bool isTransposedA, isTransposedB, isNegativeA, isNegativeB;
  /// Of D as a whole, and of that the rows of a block.
  unsigned rows, columns, blockRows;
  /// The depth, and the stored part of it for A.
  unsigned depth, storedDepth;
  /// Scales along the depth, the byte of the first one in a word, and their
  /// type.
  unsigned scales, firstScaleA, firstScaleB, formatScale = 0;
  /// Which of two columns of metadata is meant.
  unsigned selector;

  explicit Product(const Group &group);

  bool isOfPair() const { return blocks.size() == 2; }
  /// Lanes of D and of A in tensor memory: those of 64 rows of one block are
  /// the lower halves of the quarters.
  unsigned getLane(unsigned row) const {
    return blockRows == 64 && !isOfPair() ? row / 16 * 32 + row % 16 : row;
  }
  /// Calls `body(row, lane, column, columns)` with the parts of D of a block
  /// that lie in one lane; `column` is the first one of the row.
  template <typename Body> void forEachPart(Body body) const {
    // A pair with 64 rows a block has half of the columns in lanes further on.
    const bool isSplit = isOfPair() && blockRows == 64;
    const unsigned width = isSplit ? columns / 2 : columns;
    for (unsigned row = 0; row < blockRows; ++row)
      for (unsigned part = 0; part <= unsigned(isSplit); ++part)
        body(row, getLane(row) + 64 * part, part * width, width);
  }
};

unsigned getNumber(const Group &group, const ProductKind &kind,
                   unsigned number) {
  StringRef name =
      number < kind.formats.size() ? StringRef(kind.formats[number]) : "";
  if (name.empty())
    group.fail("expected an element type of '." + kind.name.str() +
               "' that is implemented, got number " + std::to_string(number));
  return findFormat(name).value_or(0);
}

Product::Product(const Group &group)
    : kind(kKinds[group.arguments[0][Kind]]),
      blocks(getBlocks(group, group.arguments[0][IsPair])) {
  const uint64_t *words = group.arguments[0];
  const uint32_t word = words[Descriptor];
  auto get = [&](unsigned bit, unsigned width) {
    return word >> bit & ((1u << width) - 1);
  };
  const bool isSparse = words[IsSparse];
  scales = words[Scales];
  if (get(2, 1) != unsigned(isSparse))
    group.fail(
        "expected an instruction descriptor with the sparsity of the MMA");
  formatA = getNumber(group, kind, get(7, 3));
  formatB = getNumber(group, kind, get(10, scales && kind.depth == 64 ? 2 : 3));
  isNegativeA = get(13, 1);
  isNegativeB = get(14, 1);
  isTransposedA = get(15, 1);
  isTransposedB = get(16, 1);
  columns = get(17, 6) * 8;
  selector = get(0, 2);
  firstScaleA = get(29, 2);
  firstScaleB = get(4, 2);
  formatScale = *findFormat(get(23, 1) ? "ue8m0" : "ue4m3");
  rows = scales ? get(27, 2) * 128 : get(24, 5) * 16;
  blockRows = rows / blocks.size();
  depth = kind.depth * (isSparse ? 2 : 1);
  storedDepth = kind.depth;
  static constexpr StringLiteral sums[] = {"f16", "f32", "s32"};
  const unsigned sum = scales ? 1 : get(4, 2);
  if (sum > 2 || (sum == 2) != getFormat(formatA).isInteger)
    group.fail(
        "expected an accumulator type that matches the operands, got number " +
        std::to_string(sum));
  formatD = *findFormat(sums[sum]);
  if ((blockRows != 64 && blockRows != 128) || columns < 8 || columns > 256 ||
      columns % (isOfPair() ? 16 : 8))
    group.fail("expected 64 or 128 rows of a block and 8 to 256 columns, got " +
               std::to_string(rows) + " rows and " + std::to_string(columns) +
               " columns");
  const unsigned bits = getFormat(formatA).bits;
  if (isSparse && (blockRows != 128 || (bits != 8 && bits != 16)))
    group.fail("expected 128 rows of a block and 8-bit or 16-bit elements of a "
               "sparse MMA");
  if ((bits == 4 || (isSparse && scales)) && (isTransposedA || isTransposedB))
    group.fail("expected operands that are contiguous along k");
}

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

constexpr CollectiveRow kRows[] = {
    {"tcgen05.mma", Team::Thread, encodeProduct<false>, runProduct, kSection},
    {"tcgen05.mma.sp", Team::Thread, encodeProduct<true>, runProduct,
     kSection}};

} // namespace

ArrayRef<CollectiveRow> getTensorCoreProductRows() { return kRows; }

} // namespace gridir::ptx
