//===- CheckReport.cpp - What a failed call says --------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckReport.h"

#include <algorithm>

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

/// A number in row-major order as the place that it is in a shape: "(0, 3)".
static std::string describePlace(const std::vector<int64_t> &shape,
                                 int64_t number) {
  std::string text = ")";
  for (std::size_t d = shape.size(); d-- > 0;) {
    int64_t size = std::max<int64_t>(shape[d], 1);
    text = (d ? ", " : "") + std::to_string(number % size) + text;
    number /= size;
  }
  return "(" + text;
}

static std::string describeAccess(const KernelInfo &info,
                                  const GridSizes &grids,
                                  const RaceDetector::Access &access) {
  auto [device, number] = access.program;
  std::string text = info.accesses[access.site] + " in program " +
                     describePlace(grids[device], number);
  return grids.size() > 1 ? text + " of device " + std::to_string(device)
                          : text;
}

std::string describeRace(const KernelInfo &info, const GridSizes &grids,
                         const RaceDetector::Race &race) {
  return "kernel `" + info.name + "`: race between " +
         describeAccess(info, grids, race.first) + " and " +
         describeAccess(info, grids, race.second) +
         ": nothing brings them into an order";
}

std::string describeUnwrittenRead(const KernelInfo &info,
                                  const GridSizes &grids,
                                  const RaceDetector::Access &read) {
  return "kernel `" + info.name + "`: " + describeAccess(info, grids, read) +
         ": nothing has written what it reads";
}

std::string describeUnwrittenElement(const KernelInfo &info,
                                     const UnwrittenOperand &operand,
                                     int64_t element) {
  return "kernel `" + info.name + "`: no program writes element " +
         describePlace(operand.shape, element) + " of " + operand.name;
}

std::string describeLackOfMemory(const KernelInfo &info, int64_t bytes,
                                 const std::string &purpose) {
  return "kernel `" + info.name + "` needs " + std::to_string(bytes) +
         " bytes for " + purpose + ", and the system has no more";
}

} // namespace gridir::cpu
