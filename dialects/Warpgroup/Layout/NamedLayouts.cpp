//===- NamedLayouts.cpp - The layouts that instructions demand ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of layouts: the tile, and the basis vectors of the bits of register,
// lane and warp.
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Layout/NamedLayouts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace gridir::warpgroup;
using llvm::SmallVector;

namespace {

/// The basis vector of a bit in a two-dimensional tile.
struct Step {
  int64_t row, column;
};
using Steps = SmallVector<Step, 8>;

Step row(int64_t by) { return {by, 0}; }
Step column(int64_t by) { return {0, by}; }
/// The rows from `first` on by powers of two, below `end`.
Steps rows(int64_t first, int64_t end) {
  Steps steps;
  for (int64_t at = first; at < end; at *= 2)
    steps.push_back(row(at));
  return steps;
}

/// The basis vector of bits without effect.
Steps stay(unsigned numBits) { return Steps(numBits, Step{0, 0}); }

Steps columns(int64_t first, int64_t end) {
  Steps steps;
  for (int64_t at = first; at < end; at *= 2)
    steps.push_back(column(at));
  return steps;
}

Steps operator+(Steps first, const Steps &second) {
  llvm::append_range(first, second);
  return first;
}

Layout make(int64_t numRows, int64_t numColumns, const Steps &registers,
            const Steps &lanes, const Steps &warps) {
  auto basis = [&](const Steps &steps) {
    SmallVector<uint64_t> result;
    for (Step step : steps)
      result.push_back(step.row * numColumns + step.column);
    return result;
  };
  return Layout({numRows, numColumns}, basis(registers), basis(lanes + warps));
}

/// One dimension, whose steps are columns.
Layout makeVector(int64_t size, const Steps &registers, const Steps &lanes,
                  const Steps &warps) {
  Layout matrix = make(1, size, registers, lanes, warps);
  return Layout({size}, matrix.getRegisters().getColumns(),
                matrix.getThreads().getColumns());
}

/// A fragment of a matrix unit: eight rows of four lanes, a quarter of the rows
/// for each warp.
Layout fragment(int64_t numRows, int64_t numColumns, const Steps &inRow,
                const Steps &lanesOfRow) {
  return make(numRows, numColumns, inRow + rows(8, numRows / 4),
              lanesOfRow + rows(1, 8), {row(numRows / 4), row(numRows / 2)});
}

/// The same of the transposed 8 x 8 blocks.
Layout transposedFragment(int64_t numRows) {
  return make(numRows, 8, Steps{row(1)} + rows(8, numRows / 4),
              {column(2), column(4), column(1), row(2), row(4)},
              {row(numRows / 4), row(numRows / 2)});
}

Layout wgmma() { return fragment(64, 8, columns(1, 2), columns(2, 8)); }
Layout tcgen05() { return fragment(128, 8, columns(1, 2), columns(2, 8)); }

Layout drop(const Layout &layout, int64_t dim) {
  return *layout.dropDims({dim}, layout.getTile());
}

struct Name {
  llvm::StringLiteral name;
  /// The first and last power of two that the name takes; none takes 0 to 0.
  int64_t first, last;
  Layout (*make)(int64_t number);
};

const Name names[] = {
    {"splat", 0, 0, [](int64_t) { return Layout::splat(); }},
    {"strided", 1, 64, Layout::strided},
    {"wgmma", 0, 0, [](int64_t) { return wgmma(); }},
    {"wgmma_8bit", 0, 0,
     [](int64_t) { return fragment(64, 16, columns(1, 4), columns(4, 16)); }},
    {"wgmma_upcast_2x", 0, 0,
     [](int64_t) {
       return fragment(64, 16, columns(1, 4), {column(8), column(4)});
     }},
    {"wgmma_upcast_4x", 0, 0,
     [](int64_t) { return fragment(64, 32, columns(1, 8), columns(8, 32)); }},
    {"wgmma_transposed", 0, 0, [](int64_t) { return transposedFragment(64); }},
    {"wgmma_row", 0, 0, [](int64_t) { return drop(wgmma(), 1); }},
    {"wgmma_col", 0, 0, [](int64_t) { return drop(wgmma(), 0); }},
    {"tcgen05", 0, 0, [](int64_t) { return tcgen05(); }},
    {"tcgen05_transposed", 0, 0,
     [](int64_t) { return transposedFragment(128); }},
    {"tcgen05_row", 0, 0, [](int64_t) { return drop(tcgen05(), 1); }},
    {"tmem_native", 1, 128,
     [](int64_t vector) {
       return make(128, vector, columns(1, vector), rows(1, 32), rows(32, 128));
     }},
    {"tmem_half_lane", 2, 512,
     [](int64_t n) {
       return make(64, n, columns(1, n / 2), rows(1, 16) + Steps{column(n / 2)},
                   rows(16, 64));
     }},
    {"tcgen05_m64_collective", 16, 512,
     [](int64_t n) {
       return make(64, n, columns(1, 2) + columns(8, n / 2) + rows(8, 32),
                   columns(2, 8) + rows(1, 8), {row(32), column(n / 2)});
     }},
    {"tcgen05_m64_collective_native", 2, 512,
     [](int64_t n) {
       return make(64, n, columns(1, n / 2), rows(1, 32),
                   {row(32), column(n / 2)});
     }},
    {"tma_indices", 0, 0,
     [](int64_t) {
       return makeVector(16, columns(1, 4), stay(5), columns(4, 16));
     }},
    {"tma_indices_4", 0, 0,
     [](int64_t) { return makeVector(4, columns(1, 4), stay(5), stay(2)); }},
};

} // namespace

std::optional<Layout>
gridir::warpgroup::getNamedLayout(llvm::StringRef name,
                                  std::optional<int64_t> number) {
  for (const Name &known : names) {
    if (known.name != name)
      continue;
    bool takesNumber = known.last != 0;
    if (takesNumber != number.has_value())
      return std::nullopt;
    if (number && (!llvm::isPowerOf2_64(*number) || *number < known.first ||
                   *number > known.last))
      return std::nullopt;
    return known.make(number.value_or(0));
  }
  return std::nullopt;
}

std::optional<std::string>
gridir::warpgroup::getLayoutName(const Layout &layout) {
  for (const Name &known : names) {
    if (known.last == 0) {
      if (known.make(0) == layout)
        return known.name.str();
      continue;
    }
    for (int64_t number = known.first; number <= known.last; number *= 2)
      if (known.make(number) == layout)
        return (known.name + "(" + llvm::Twine(number) + ")").str();
  }
  return std::nullopt;
}

std::string gridir::warpgroup::getLayoutNames() {
  std::string text;
  for (const Name &known : names) {
    text += (llvm::Twine(text.empty() ? "" : ", ") + known.name).str();
    if (known.last != 0)
      text += "(n)";
  }
  return text;
}
