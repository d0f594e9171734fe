//===- UncommittedWrites.cpp - What copies may not see yet ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UncommittedWrites.h"

#include <iterator>

namespace gridir::cpu {

void UncommittedWrites::write(const char *begin, int64_t bytes,
                              std::size_t block, int64_t site) {
  if (bytes <= 0)
    return;
  forget(begin, bytes);
  runs[begin] = {begin + bytes, block, site};
}

void UncommittedWrites::commit(std::size_t block) {
  for (auto run = runs.begin(); run != runs.end();)
    run = run->second.block == block ? runs.erase(run) : std::next(run);
}

void UncommittedWrites::forget(const char *begin, int64_t bytes) {
  const char *end = begin + bytes;
  auto run = runs.lower_bound(begin);
  if (run != runs.begin()) {
    Run &before = std::prev(run)->second;
    Run rest = before;
    if (before.end > begin)
      before.end = begin;
    if (rest.end > end)
      runs[end] = rest;
  }
  while (run != runs.end() && run->first < end) {
    if (run->second.end > end)
      runs[end] = run->second;
    run = runs.erase(run);
  }
}

std::optional<int64_t> UncommittedWrites::find(const char *begin,
                                               int64_t bytes) const {
  auto run = runs.lower_bound(begin);
  if (run != runs.begin() && std::prev(run)->second.end > begin)
    return std::prev(run)->second.site;
  if (run != runs.end() && run->first < begin + bytes)
    return run->second.site;
  return std::nullopt;
}

} // namespace gridir::cpu
