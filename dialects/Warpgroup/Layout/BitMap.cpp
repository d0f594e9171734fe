//===- BitMap.cpp - Linear maps between bit vectors -----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Layout/BitMap.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace gridir::warpgroup;

bool gridir::warpgroup::getParity(uint64_t mask, uint64_t bits) {
  return llvm::popcount(mask & bits) % 2 == 1;
}

//===----------------------------------------------------------------------===//
// Span
//===----------------------------------------------------------------------===//

Span::Entry Span::reduce(uint64_t vector) const {
  Entry left{vector, 0};
  // An entry can have the highest bit of a later one.
  for (bool changed = true; changed && left.vector;) {
    changed = false;
    for (const Entry &entry : reduced)
      if (llvm::Log2_64(entry.vector) == llvm::Log2_64(left.vector)) {
        left = {left.vector ^ entry.vector, left.origin ^ entry.origin};
        changed = true;
        break;
      }
  }
  return left;
}

bool Span::insert(uint64_t vector) {
  Entry left = reduce(vector);
  left.origin ^= uint64_t(1) << numVectors++;
  if (!left.vector)
    return false;
  reduced.push_back(left);
  return true;
}

std::optional<uint64_t> Span::solve(uint64_t vector) const {
  Entry left = reduce(vector);
  if (left.vector)
    return std::nullopt;
  return left.origin;
}

//===----------------------------------------------------------------------===//
// BitMap
//===----------------------------------------------------------------------===//

BitMap BitMap::identity(unsigned numBits) {
  BitMap map;
  for (unsigned bit = 0; bit < numBits; ++bit)
    map.columns.push_back(uint64_t(1) << bit);
  return map;
}

uint64_t BitMap::apply(uint64_t input) const {
  uint64_t output = 0;
  for (auto [bit, column] : llvm::enumerate(columns))
    if (input >> bit & 1)
      output ^= column;
  return output;
}

BitMap BitMap::compose(const BitMap &inner) const {
  BitMap map;
  for (uint64_t column : inner.columns)
    map.columns.push_back(apply(column));
  return map;
}

static Span spanOf(llvm::ArrayRef<uint64_t> vectors) {
  Span span;
  for (uint64_t vector : vectors)
    span.insert(vector);
  return span;
}

std::optional<uint64_t> BitMap::solve(uint64_t output) const {
  return spanOf(columns).solve(output);
}

unsigned BitMap::getRank() const { return spanOf(columns).getDimension(); }

std::optional<BitMap> BitMap::invert(unsigned numOutputs) const {
  Span span = spanOf(columns);
  BitMap inverse;
  for (unsigned bit = 0; bit < numOutputs; ++bit) {
    std::optional<uint64_t> input = span.solve(uint64_t(1) << bit);
    if (!input)
      return std::nullopt;
    inverse.columns.push_back(*input);
  }
  return inverse;
}
