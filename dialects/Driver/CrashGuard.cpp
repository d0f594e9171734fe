//===- CrashGuard.cpp - Work that may crash -------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Driver/CrashGuard.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

using namespace llvm;
using namespace gridir;

namespace {

/// The message of LLVM's fatal error on this thread, until the guard reads it.
thread_local std::string fatalError;

/// LLVM ends the process by `exit` or `abort` after this, and only the second
/// can be recovered from.
void handleFatalError(void *, const char *message, bool) {
  if (!CrashRecoveryContext::GetCurrent()) {
    errs() << "LLVM ERROR: " << message << "\n";
    return;
  }
  fatalError = message;
  std::abort();
}

/// The handlers of LLVM's crash recovery, installed while there is a user.
class SignalHandlers {
public:
  SignalHandlers() {
    std::lock_guard<std::mutex> lock(mutex);
    if (users++ > 0)
      return;
    static bool installed =
        (install_fatal_error_handler(handleFatalError), true);
    (void)installed;
    CrashRecoveryContext::Enable();
    // After a stack overflow, the handler needs a separate stack.
    for (int number : {SIGSEGV, SIGBUS}) {
      struct sigaction action;
      sigaction(number, nullptr, &action);
      action.sa_flags |= SA_ONSTACK;
      sigaction(number, &action, nullptr);
    }
  }
  ~SignalHandlers() {
    std::lock_guard<std::mutex> lock(mutex);
    if (--users == 0)
      CrashRecoveryContext::Disable();
  }

private:
  static std::mutex mutex;
  static unsigned users;
};

std::mutex SignalHandlers::mutex;
unsigned SignalHandlers::users = 0;

/// Where this thread handles a signal, unless it has such a stack already.
class SignalStack {
public:
  SignalStack() {
    stack_t present;
    if (sigaltstack(nullptr, &present) || !(present.ss_flags & SS_DISABLE))
      return;
    // Uninitialized, because zeroing would dominate the cost.
    memory.reset(new char[kBytes]);
    stack_t stack = {};
    stack.ss_sp = memory.get();
    stack.ss_size = kBytes;
    sigaltstack(&stack, nullptr);
  }
  ~SignalStack() {
    if (!memory)
      return;
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }

private:
  static constexpr size_t kBytes = 1 << 16;
  std::unique_ptr<char[]> memory;
};

} // namespace

std::optional<std::string> driver::runGuarded(function_ref<void()> work,
                                              Trace trace) {
  SignalHandlers handlers;
  SignalStack stack;
  const void *traceState = SavePrettyStackState();
  CrashRecoveryContext recovery;
  recovery.DumpStackAndCleanupOnFailure = trace == Trace::Stack;
  if (recovery.RunSafely(work))
    return std::nullopt;
  // The entries above this one lie in frames that are gone.
  RestorePrettyStackState(traceState);
  if (!fatalError.empty())
    return std::exchange(fatalError, {});
  // The exit status of a shell: 128 plus the number of the signal.
  return strsignal(recovery.RetCode - 128);
}
