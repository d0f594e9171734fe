//===- Execute.h - Running a kernel over its work items -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_EXECUTE_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_EXECUTE_H

#include "Tasks.h"

#include <functional>
#include <optional>

namespace gridir::cpu {

/// The threads that a call may use beside its own.
struct Threads {
  int64_t count = 1;
  /// Runs a task at some time on some thread.
  std::function<void(std::function<void()>)> schedule;
};

/// Runs all work items of a kernel on these buffers: arguments, then results.
/// Gives the message of the first run-time check that failed, in work-item
/// order, or nothing. Everything that the kernel printed has been delivered.
std::optional<std::string> runKernel(const Kernel &kernel,
                                     const DeviceBuffers &buffers,
                                     const Threads &threads);

/// As above, for the calls of several devices, in the order of their numbers,
/// whose programs wait for one another.
std::optional<std::string>
runDevices(const Kernel &kernel, const std::vector<DeviceBuffers> &devices);

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_EXECUTE_H
