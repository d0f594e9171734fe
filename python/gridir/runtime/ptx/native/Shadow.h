//===- Shadow.h - What is remembered of each byte of memory ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_SHADOW_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_SHADOW_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/bit.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace gridir::ptx {

/// A cell for each byte that something has touched. Threads touch words next to
/// those of their neighbours, so that cells lie side by side; those of 16 bytes
/// are one until an access tells them apart, as it is most of them that none
/// ever does.
template <typename Cell> class Shadow {
public:
  /// Calls `body(cell, address)` with each cell of the bytes, until it says
  /// false.
  template <typename Body>
  void forEach(uint64_t begin, uint64_t bytes, Body body) {
    const uint64_t end = begin + bytes;
    const unsigned shift = std::min<unsigned>(
        kLargestShift, llvm::countr_zero(begin | end | kPageBytes));
    while (begin < end) {
      Page &page = findPage(begin / kPageBytes);
      if (shift < page.shift)
        refine(page, shift);
      const uint64_t stop =
          std::min(end, (begin / kPageBytes + 1) * kPageBytes);
      for (; begin < stop; begin += uint64_t(1) << page.shift)
        if (!body(page.cells[begin % kPageBytes >> page.shift], begin))
          return;
    }
  }

  /// Discards the records of these bytes, and of other bytes of their pages.
  void forget(uint64_t begin, uint64_t bytes) {
    for (uint64_t number = begin / kPageBytes;
         number * kPageBytes < begin + bytes; ++number)
      pages.erase(number);
    recent = {};
  }

private:
  static constexpr uint64_t kPageBytes = 1024;
  static constexpr unsigned kLargestShift = 4;

  struct Page {
    /// The bytes of a cell, as a power of two.
    unsigned shift = kLargestShift;
    std::vector<Cell> cells = std::vector<Cell>(kPageBytes >> kLargestShift);
  };

  static void refine(Page &page, unsigned shift) {
    const unsigned factor = page.shift - shift;
    std::vector<Cell> cells(kPageBytes >> shift);
    for (size_t i = 0; i < cells.size(); ++i)
      cells[i] = page.cells[i >> factor];
    page.cells = std::move(cells);
    page.shift = shift;
  }

  Page &findPage(uint64_t number) {
    auto &[known, page] = recent[number % recent.size()];
    if (!page || known != number) {
      std::unique_ptr<Page> &found = pages[number];
      if (!found)
        found = std::make_unique<Page>();
      known = number;
      page = found.get();
    }
    return *page;
  }

  llvm::DenseMap<uint64_t, std::unique_ptr<Page>> pages;
  /// Pages that were used last.
  std::array<std::pair<uint64_t, Page *>, 64> recent = {};
};

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_SHADOW_H
