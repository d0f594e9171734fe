//===- Carries.h - State that work items carry in scratch ------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs of a dimension declared parallel may run anywhere, so each work
// item has its own scratch. A kernel that reads there an element of another
// work item is correct only in grid order: it is a race, although no byte is
// accessed twice. Scratch is therefore checked as if it were one memory: a read
// of an element that the own work item has not written, and a write of another
// one to the same bytes, race in any order.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_CARRIES_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_CARRIES_H

#include "Races.h"

namespace gridir::cpu {

class CarryFinder {
public:
  /// Bytes of each work item's memory, counted from its begin.
  struct ByteRange {
    int64_t begin, end;
    bool operator<(const ByteRange &other) const {
      return std::pair(begin, end) < std::pair(other.begin, other.end);
    }
    bool overlaps(const ByteRange &other) const {
      return begin < other.end && other.begin < end;
    }
  };

  /// The bytes are scratch in every work item.
  void addScratch(ByteRange range) { scratch[range.begin] = range.end; }

  /// A work item writes, or reads elements that it has not written.
  void write(std::size_t item, ByteRange range,
             const RaceDetector::Access &access) {
    note(item, range, access, writes, unwrittenReads);
  }
  void readUnwritten(std::size_t item, ByteRange range,
                     const RaceDetector::Access &access) {
    note(item, range, access, unwrittenReads, writes);
  }

  const std::optional<RaceDetector::Race> &getCarry() const { return carry; }

private:
  struct Event {
    std::size_t item;
    RaceDetector::Access access;
  };
  /// For each range of bytes and site the events of pairs of work items; no
  /// work item is in two pairs.
  using Events = std::map<std::pair<ByteRange, int64_t>, std::vector<Event>>;

  bool isScratch(ByteRange range) const;
  void note(std::size_t item, ByteRange range,
            const RaceDetector::Access &access, Events &same,
            const Events &others);

  std::map<int64_t, int64_t> scratch;
  Events writes, unwrittenReads;
  std::optional<RaceDetector::Race> carry;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_CARRIES_H
