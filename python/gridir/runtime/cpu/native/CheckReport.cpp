//===- CheckReport.cpp - What a failed call says --------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckReport.h"

namespace gridir::cpu {

static std::string replaceAll(std::string text, const std::string &from,
                              const std::string &to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string describeCheck(const KernelInfo &info, const Status &status) {
  std::size_t index = status[0] - 1;
  if (index >= info.diagnostics.size())
    return "kernel `" + info.name + "` failed check " +
           std::to_string(status[0]);
  std::string text =
      replaceAll(info.diagnostics[index], "{0}", std::to_string(status[1]));
  return "kernel `" + info.name +
         "`: " + replaceAll(text, "{1}", std::to_string(status[2]));
}

std::string describeRace(const KernelInfo &info,
                         const RaceDetector::Race &race) {
  auto describe = [&](const RaceDetector::Access &access) {
    return info.accesses[access.site] + " in program " +
           std::to_string(access.task);
  };
  return "kernel `" + info.name + "`: race between " + describe(race.first) +
         " and " + describe(race.second) +
         ": nothing brings them into an order";
}

std::string describeLackOfMemory(const KernelInfo &info, int64_t bytes,
                                 const std::string &purpose) {
  return "kernel `" + info.name + "` needs " + std::to_string(bytes) +
         " bytes for " + purpose + ", and the system has no more";
}

} // namespace gridir::cpu
