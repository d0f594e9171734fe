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

/// What a crash writes to stderr.
enum class Trace {
  None,
  /// The stack, and what LLVM's `PrettyStackTrace` knows of it, where
  /// `llvm::InitLLVM` was called before.
  Stack,
};

/// Runs `work` on the calling thread, and gives what ended it where that was
/// an assertion, a signal, the end of the stack or a fatal error of LLVM.
///
/// The frames of `work` are then left without their destructors. What they own
/// stays allocated and what they lock stays locked, so the IR that they worked
/// on must never be used or freed again: its context is to be leaked.
///
/// While any thread is in here, the signals that end a process are handled by
/// LLVM's crash recovery. On a thread that is not in here they do what they did
/// before, and once the last thread has left, the handlers are those that were
/// there before: those of Python's faulthandler, for one.
std::optional<std::string> runGuarded(llvm::function_ref<void()> work,
                                      Trace trace = Trace::None);

} // namespace gridir::driver

#endif // GRIDIR_DIALECTS_DRIVER_CRASHGUARD_H
