//===- Crash.cpp - Ending the process as a defect does --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Test/Transforms/Passes.h"

#include "llvm/Support/Compiler.h"
#include "llvm/Support/ErrorHandling.h"

#include <cstdlib>

namespace gridir::test {
#define GEN_PASS_DEF_TESTCRASHPASS
#include "dialects/Test/Transforms/Passes.h.inc"
} // namespace gridir::test

using namespace mlir;
using gridir::test::CrashKind;

/// Volatile, as the compiler may assume that none of this happens.
static int *volatile nowhere = nullptr;

/// A sanitizer would end the process before the signal.
LLVM_NO_SANITIZE("undefined") static void storeNowhere() { *nowhere = 0; }

[[gnu::noinline]] static int recurse(volatile int *caller) {
  volatile int here = *caller + 1;
  return recurse(&here) + here;
}

namespace {

class TestCrashPass
    : public gridir::test::impl::TestCrashPassBase<TestCrashPass> {
public:
  using TestCrashPassBase::TestCrashPassBase;

  void runOnOperation() override {
    volatile int depth = 0;
    switch (kind) {
    case CrashKind::Abort:
      std::abort();
    case CrashKind::Segfault:
      storeNowhere();
      return;
    case CrashKind::StackOverflow:
      depth = recurse(&depth);
      return;
    case CrashKind::FatalError:
      llvm::reportFatalUsageError("test-crash was run");
    }
  }
};

} // namespace
