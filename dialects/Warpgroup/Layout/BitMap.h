//===- BitMap.h - Linear maps between bit vectors --------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_LAYOUT_BITMAP_H
#define GRIDIR_DIALECTS_WARPGROUP_LAYOUT_BITMAP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace gridir::warpgroup {

/// A linear map over F2, from vectors of as many bits as it has columns to
/// vectors of 64 bits: the exclusive or of the columns whose bit is set.
class BitMap {
public:
  BitMap() = default;
  explicit BitMap(llvm::ArrayRef<uint64_t> columns)
      : columns(columns.begin(), columns.end()) {}

  static BitMap identity(unsigned numBits);

  llvm::ArrayRef<uint64_t> getColumns() const { return columns; }
  uint64_t operator[](unsigned bit) const { return columns[bit]; }
  unsigned getNumInputs() const { return columns.size(); }

  uint64_t apply(uint64_t input) const;

  /// The map that applies `inner` first.
  BitMap compose(const BitMap &inner) const;

  /// Returns a vector that the map maps to `output`, in terms of the first
  /// independent columns, or none if there is none.
  std::optional<uint64_t> solve(uint64_t output) const;

  unsigned getRank() const;
  bool isInjective() const { return getRank() == getNumInputs(); }

  /// The inverse map, with `numOutputs` columns, of one whose columns span all
  /// vectors of this many bits.
  std::optional<BitMap> invert(unsigned numOutputs) const;

  bool operator==(const BitMap &other) const {
    return columns == other.columns;
  }

private:
  llvm::SmallVector<uint64_t> columns;
};

/// The space that vectors span, and for each member the vectors whose sum it
/// is. Vectors are numbered in the order of insertion.
class Span {
public:
  /// Adds the next vector; false where it depends on those before.
  bool insert(uint64_t vector);

  /// True if `vector` is a sum of the vectors so far.
  bool contains(uint64_t vector) const { return solve(vector).has_value(); }

  /// Returns the inserted vectors whose sum is `vector`, as a bit mask.
  std::optional<uint64_t> solve(uint64_t vector) const;

  unsigned getDimension() const { return reduced.size(); }

private:
  struct Entry {
    uint64_t vector, origin;
  };

  /// Reduces `vector` by the entries; returns the rest, and the vectors that
  /// were used.
  Entry reduce(uint64_t vector) const;

  /// No two have the same highest bit.
  llvm::SmallVector<Entry> reduced;
  unsigned numVectors = 0;
};

/// True if an odd number of bits is set in both.
bool getParity(uint64_t mask, uint64_t bits);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_LAYOUT_BITMAP_H
