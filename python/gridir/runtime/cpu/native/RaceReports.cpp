//===- RaceReports.cpp - Races that are no errors of a call ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaceReports.h"

#include <cstdio>
#include <mutex>

namespace gridir::cpu {

namespace {

struct Kept {
  std::mutex mutex;
  std::optional<std::string> message;
};

/// Never destroyed: an XLA thread may run a kernel while the process ends.
Kept &getKept() {
  static auto *kept = new Kept;
  return *kept;
}

} // namespace

void keepRace(std::optional<std::string> message) {
  if (message)
    std::fprintf(stderr, "gridir: warning: %s\n", message->c_str());
  std::lock_guard<std::mutex> lock(getKept().mutex);
  getKept().message = std::move(message);
}

std::optional<std::string> getKeptRace() {
  std::lock_guard<std::mutex> lock(getKept().mutex);
  return getKept().message;
}

} // namespace gridir::cpu
