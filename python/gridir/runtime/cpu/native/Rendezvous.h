//===- Rendezvous.h - Calls of all devices that run as one ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_RENDEZVOUS_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_RENDEZVOUS_H

#include "Tasks.h"

#include <functional>
#include <variant>

namespace gridir::cpu {

/// One call of a program that several devices run, the same for all of them.
struct CollectiveCall {
  const Kernel *kernel;
  /// Which run of the program, and which call in it.
  int64_t runId, channel;
  int64_t numDevices;
};

/// Takes the error message, or none.
using CallDone = std::function<void(const std::optional<std::string> &)>;

/// Adds the call of one device, or the reason why it cannot be made. The last
/// of them runs the programs of all, as tasks on its thread, and notifies all;
/// no thread waits for another one. A failure of one device fails all, at once.
void joinCall(const CollectiveCall &call,
              std::variant<DeviceBuffers, std::string> device, CallDone done);

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_RENDEZVOUS_H
