//===- CrashGuard.h - Work that may crash -----------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_DRIVER_CRASHGUARD_H
#define GRIDIR_DIALECTS_DRIVER_CRASHGUARD_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace gridir::driver {

/// The output of a crash on stderr.
enum class Trace {
  None,
  /// The stack, and LLVM's `PrettyStackTrace`, if `llvm::InitLLVM` was called
  /// before.
  Stack,
};

/// Runs `work` on the calling thread, and returns the cause of its end if that
/// was an assertion, a signal, the end of the stack or a fatal error of LLVM.
///
/// After a crash, the destructors of the frames of `work` do not run. Memory
/// stays allocated and locks stay locked, so the IR must never be used or freed
/// again: leak its context.
///
/// While any thread is in here, LLVM's crash recovery handles the signals that
/// end a process. On other threads they behave as before. Once the last thread
/// has left, the previous handlers are restored, for example those of Python's
/// faulthandler.
std::optional<std::string> runGuarded(llvm::function_ref<void()> work,
                                      Trace trace = Trace::None);

} // namespace gridir::driver

#endif // GRIDIR_DIALECTS_DRIVER_CRASHGUARD_H
