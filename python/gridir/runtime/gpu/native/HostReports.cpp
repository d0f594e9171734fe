//===- HostReports.cpp - Error reports in memory of the host --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostReports.h"

#include <algorithm>

namespace gridir::cuda {

HostReports::~HostReports() {
  // A context that is gone has freed its memory.
  for (auto &[context, report] : allocated) {
    if (driver->cuCtxPushCurrent(context) != kSuccess)
      continue;
    driver->cuMemFreeHost(report);
    Context popped = nullptr;
    driver->cuCtxPopCurrent(&popped);
  }
}

Result HostReports::allocate(const Driver &opened, int64_t words,
                             int64_t *&report) {
  Context context = nullptr;
  if (Result result = opened.cuCtxGetCurrent(&context))
    return result;
  void *memory = nullptr;
  if (Result result = opened.cuMemHostAlloc(&memory, words * sizeof(int64_t),
                                            kHostPortable | kHostMapped))
    return result;
  report = static_cast<int64_t *>(memory);
  driver = &opened;
  allocated.push_back({context, report});
  return kSuccess;
}

Result HostReports::add(const Driver &opened, int64_t words) {
  std::lock_guard<std::mutex> lock(mutex);
  int64_t *report = nullptr;
  if (Result result = allocate(opened, words, report))
    return result;
  unused.push_back(report);
  return kSuccess;
}

Result HostReports::take(const Driver &opened, int64_t words,
                         int64_t *&report) {
  std::lock_guard<std::mutex> lock(mutex);
  if (unused.empty()) {
    if (Result result = allocate(opened, words, report))
      return result;
  } else {
    report = unused.back();
    unused.pop_back();
  }
  std::fill_n(report, words, 0);
  return kSuccess;
}

void HostReports::giveBack(int64_t *report) {
  std::lock_guard<std::mutex> lock(mutex);
  unused.push_back(report);
}

} // namespace gridir::cuda
