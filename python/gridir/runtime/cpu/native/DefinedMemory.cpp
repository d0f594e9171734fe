//===- DefinedMemory.cpp - What something has written ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DefinedMemory.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace gridir::cpu {

void DefinedMemory::define(const void *begin, int64_t bytes) {
  Address low = reinterpret_cast<Address>(begin), high = low + bytes;
  auto run = undefined.lower_bound(low);
  if (run != undefined.begin() && std::prev(run)->second > low)
    --run;
  while (run != undefined.end() && run->first < high) {
    auto [first, last] = *run;
    run = undefined.erase(run);
    if (first < low)
      undefined.emplace_hint(run, first, low);
    if (last > high)
      undefined.emplace_hint(run, high, last);
  }
}

void DefinedMemory::undefine(const void *begin, int64_t bytes) {
  if (bytes <= 0)
    return;
  Address low = reinterpret_cast<Address>(begin), high = low + bytes;
  auto run = undefined.lower_bound(low);
  if (run != undefined.begin() && std::prev(run)->second >= low)
    --run;
  while (run != undefined.end() && run->first <= high) {
    low = std::min(low, run->first);
    high = std::max(high, run->second);
    run = undefined.erase(run);
  }
  undefined.emplace_hint(run, low, high);
}

std::optional<int64_t> DefinedMemory::findUndefined(const void *begin,
                                                    int64_t bytes) const {
  Address low = reinterpret_cast<Address>(begin);
  auto run = undefined.upper_bound(low);
  if (run != undefined.begin() && std::prev(run)->second > low)
    return 0;
  if (run == undefined.end() || run->first >= low + bytes)
    return std::nullopt;
  return run->first - low;
}

bool DefinedMemory::isAnyDefined(const void *begin, int64_t bytes) const {
  Address low = reinterpret_cast<Address>(begin);
  auto run = undefined.upper_bound(low);
  return run == undefined.begin() || std::prev(run)->second < low + bytes;
}

void DefinedMemory::copy(const void *from, const void *to, int64_t bytes) {
  Address low = reinterpret_cast<Address>(from), high = low + bytes;
  // The two may overlap.
  std::vector<std::pair<Address, Address>> holes;
  auto run = undefined.lower_bound(low);
  if (run != undefined.begin() && std::prev(run)->second > low)
    --run;
  for (; run != undefined.end() && run->first < high; ++run)
    holes.emplace_back(std::max(run->first, low), std::min(run->second, high));
  define(to, bytes);
  for (auto [first, last] : holes)
    undefine(static_cast<const char *>(to) + (first - low), last - first);
}

} // namespace gridir::cpu
