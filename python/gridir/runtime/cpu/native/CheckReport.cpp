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

/// The indices of an element or a program: "(0, 3)".
static std::string describeIndices(const std::vector<int64_t> &indices) {
  std::string text;
  for (int64_t index : indices)
    text += (text.empty() ? "" : ", ") + std::to_string(index);
  return "(" + text + ")";
}

/// A row-major linear index as the indices in a shape: "(0, 3)".
static std::string describeIndices(const std::vector<int64_t> &shape,
                                   int64_t number) {
  std::vector<int64_t> indices(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    int64_t size = std::max<int64_t>(shape[d], 1);
    indices[d] = number % size;
    number /= size;
  }
  return describeIndices(indices);
}

static std::string describeProgram(const GridSizes &grids, Program program) {
  std::string text =
      " in program " + describeIndices(grids[program.device], program.number);
  return grids.size() > 1
             ? text + " of device " + std::to_string(program.device)
             : text;
}

static std::string describeAccess(const KernelInfo &info,
                                  const GridSizes &grids,
                                  const RaceDetector::Access &access) {
  return replaceAll(info.accesses[access.site], "{0}",
                    describeIndices(access.element)) +
         describeProgram(grids, access.program);
}

std::string describeRace(const KernelInfo &info, const GridSizes &grids,
                         const RaceDetector::Race &race) {
  return "kernel `" + info.name + "`: race between " +
         describeAccess(info, grids, race.first) + " and " +
         describeAccess(info, grids, race.second) +
         ": the accesses are unordered";
}

std::string describeUnwrittenRead(const KernelInfo &info,
                                  const GridSizes &grids,
                                  const RaceDetector::Access &read) {
  return "kernel `" + info.name + "`: " + describeAccess(info, grids, read) +
         ": it is uninitialized";
}

std::string describeUnwrittenElement(const KernelInfo &info,
                                     const UnwrittenOperand &operand,
                                     int64_t element) {
  return "kernel `" + info.name + "`: no program writes element " +
         describeIndices(operand.shape, element) + " of " + operand.name;
}

std::string describeLeftSemaphore(const KernelInfo &info,
                                  const GridSizes &grids,
                                  const LeftSemaphore &left) {
  std::string text = "kernel `" + info.name + "`: ";
  if (!left.shape.empty())
    text += "element " + describeIndices(left.shape, left.element) + " of ";
  return text + info.accesses[left.site] +
         describeProgram(grids, left.program) + ": it holds " +
         std::to_string(left.count) + " when the kernel ends, expected 0";
}

std::string describeMisuse(const KernelInfo &info, const Misuse &misuse) {
  std::string text = "kernel `" + info.name +
                     "`: " + info.accesses[misuse.site] + ": " + misuse.reason;
  if (misuse.other && *misuse.other != misuse.site)
    text += " The phase was completed by " + info.accesses[*misuse.other];
  if (!misuse.note.empty())
    text += ". " + misuse.note;
  return text;
}

std::string describeLackOfMemory(const KernelInfo &info, int64_t bytes,
                                 const std::string &purpose) {
  return "kernel `" + info.name + "` needs " + std::to_string(bytes) +
         " bytes for " + purpose + ", and the system has no more";
}

} // namespace gridir::cpu
