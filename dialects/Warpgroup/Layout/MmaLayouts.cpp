//===- MmaLayouts.cpp - How operands of mma.sync lie ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction of a warp takes 16 rows and 8 columns. A register has 32 bits
// of a row of the left operand or of a column of the right one; the four lanes
// of a quad have the next ones, and the eight quads eight rows or columns.
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Layout/MmaLayouts.h"

#include <algorithm>

using namespace gridir::warpgroup;
using llvm::SmallVector;

namespace {

constexpr int64_t kRows = 16, kColumns = 8, kNumWarps = 4;

/// Steps from `first` on by powers of two, below `end`.
SmallVector<uint64_t> steps(uint64_t first, uint64_t end) {
  SmallVector<uint64_t> result;
  for (uint64_t at = first; at < end; at *= 2)
    result.push_back(at);
  return result;
}

SmallVector<uint64_t> join(std::initializer_list<SmallVector<uint64_t>> parts) {
  SmallVector<uint64_t> result;
  for (const SmallVector<uint64_t> &part : parts)
    result.append(part);
  return result;
}

/// Bits of the number of the warp that choose nothing.
SmallVector<uint64_t> unused(int64_t numWarps) {
  return SmallVector<uint64_t>(steps(1, numWarps).size(), 0);
}

} // namespace

MmaLayouts MmaLayouts::get(unsigned bits, int64_t rowWarps) {
  const int64_t columnWarps = kNumWarps / rowWarps;
  const int64_t ofRegister = std::max<int64_t>(32 / bits, 1);
  const int64_t depth = 8 * ofRegister;
  const int64_t rows = rowWarps * kRows, columns = columnWarps * kColumns;
  // The lower bits of the number of a warp choose columns.
  Layout lhs({rows, depth},
             join({steps(1, ofRegister),
                   {8 * uint64_t(depth)},
                   {4 * uint64_t(ofRegister)}}),
             join({steps(ofRegister, 4 * ofRegister), steps(depth, 8 * depth),
                   unused(columnWarps), steps(kRows * depth, rows * depth)}));
  Layout rhs({depth, columns},
             join({steps(columns, ofRegister * columns),
                   {4 * uint64_t(ofRegister * columns)}}),
             join({steps(ofRegister * columns, 4 * ofRegister * columns),
                   steps(1, 8), steps(kColumns, columns), unused(rowWarps)}));
  Layout acc(
      {rows, columns}, {1, 8 * uint64_t(columns)},
      join({steps(2, 8), steps(columns, 8 * columns), steps(kColumns, columns),
            steps(kRows * columns, rows * columns)}));
  return {lhs, rhs, acc};
}

SmallVector<MmaLayouts, 3> MmaLayouts::getFitting(unsigned bits, int64_t m,
                                                  int64_t n, int64_t k) {
  SmallVector<MmaLayouts, 3> result;
  for (int64_t rowWarps = kNumWarps; rowWarps >= 1; rowWarps /= 2) {
    MmaLayouts layouts = get(bits, rowWarps);
    if (layouts.lhs.fits({m, k}) && layouts.rhs.fits({k, n}) &&
        layouts.acc.fits({m, n}))
      result.push_back(std::move(layouts));
  }
  return result;
}
