//===- Tasks.h - Work items that wait for one another ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_TASKS_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_TASKS_H

#include "Kernel.h"

#include <array>
#include <optional>
#include <utility>

namespace gridir::cpu {

/// The buffers of one device's call: arguments, then results.
struct DeviceBuffers {
  /// Of the device among those that the call is mapped over.
  int64_t number = 0;
  std::vector<void *> data;
  std::vector<int64_t> sizes;
};

/// Runs all work items of a kernel on these devices as tasks: each can wait for
/// a semaphore that another one signals. All tasks run on the calling thread,
/// one at a time; which is next is decided where a task waits or, with a seed,
/// wherever one could be seen by another.
///
/// Returns the error message, or none: the first failing check in work-item
/// order, a race, or a wait that cannot end.
std::optional<std::string> runTasks(const Kernel &kernel,
                                    const std::vector<DeviceBuffers> &devices);

/// The functions that a kernel of tasks calls, for the linker.
std::array<std::pair<const char *, void *>, 30> getTaskSymbols();

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_TASKS_H
