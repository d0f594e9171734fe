//===- CheckReport.h - What a failed call says ----------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_CHECKREPORT_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_CHECKREPORT_H

#include "Condition.h"
#include "Kernel.h"
#include "Races.h"

#include <array>

namespace gridir::cpu {

/// The words that a check stores, as `kStatusWords` describes.
using Status = std::array<int64_t, kStatusWords>;

/// The message of a check that failed.
std::string describeCheck(const KernelInfo &info, const Status &status);

/// The grid of a call on some device, with sizes that only the call has.
using GridSizes = std::vector<std::vector<int64_t>>;

/// The message of a race: both accesses, and the programs that made them.
std::string describeRace(const KernelInfo &info, const GridSizes &grids,
                         const RaceDetector::Race &race);

/// The message of a read of uninitialized memory.
std::string describeUnwrittenRead(const KernelInfo &info,
                                  const GridSizes &grids,
                                  const RaceDetector::Access &read);

/// The message of an output that nothing has written at `element`, a number in
/// row-major order.
std::string describeUnwrittenElement(const KernelInfo &info,
                                     const UnwrittenOperand &operand,
                                     int64_t element);

/// A semaphore that is not zero at the end: an element, by its row-major index,
/// of the array of a site, in the memory of a task whose last program is this
/// one.
struct LeftSemaphore {
  int64_t site;
  Program program;
  std::vector<int64_t> shape;
  int64_t element;
  int64_t count;
};
std::string describeLeftSemaphore(const KernelInfo &info,
                                  const GridSizes &grids,
                                  const LeftSemaphore &left);

/// The message of a barrier that was used wrongly.
std::string describeMisuse(const KernelInfo &info, const Misuse &misuse);

/// The message of a call without enough memory: the bytes, and their purpose.
std::string describeLackOfMemory(const KernelInfo &info, int64_t bytes,
                                 const std::string &purpose);

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_CHECKREPORT_H
