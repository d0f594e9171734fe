//===- Jit.cpp - From an object file to a kernel ready to run -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include "Prints.h"
#include "SoftFloat.h"
#include "Tasks.h"
#include "dialects/Driver/CrashGuard.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"

#include <atomic>
#include <mutex>
#include <optional>

using namespace llvm;
using namespace llvm::orc;

namespace gridir::cpu {

namespace {

/// ORC reports the cause of a failed lookup to the session's reporter and gives
/// the caller only the name. Linking happens on the thread that looks up, so a
/// thread-local text brings the two together.
thread_local std::string lastSessionError;

class Linker {
public:
  static Expected<Linker *> get() {
    std::lock_guard<std::mutex> lock(mutex);
    if (!current) {
      Expected<Linker *> created = create();
      if (!created)
        return created.takeError();
      current = *created;
    }
    return current;
  }

  /// Keeps others from a linker that crashed, which may hold its locks forever.
  /// The kernels that it linked stay.
  static void abandon(Linker *linker) {
    std::lock_guard<std::mutex> lock(mutex);
    if (current == linker)
      current = nullptr;
  }

  Expected<std::unique_ptr<Kernel>> link(const KernelObject &object) {
    Expected<JITDylib &> dylib =
        jit->createJITDylib("kernel." + std::to_string(count++));
    if (!dylib)
      return dylib.takeError();
    dylib->addToLinkOrder(*runtimeSymbols);
    if (Error error = jit->addObjectFile(
            *dylib, MemoryBuffer::getMemBufferCopy(object.object)))
      return error;
    Expected<ExecutorAddr> invoke = lookup(*dylib, kInvokeSymbol);
    if (!invoke)
      return invoke.takeError();
    Expected<ExecutorAddr> range = lookup(*dylib, kRangeSymbol);
    if (!range)
      return range.takeError();
    auto kernel = std::make_unique<Kernel>();
    kernel->info = object.info;
    kernel->invoke = invoke->toPtr<InvokeFn>();
    kernel->range = range->toPtr<RangeFn>();
    return kernel;
  }

private:
  static Expected<Linker *> create() {
    InitializeNativeTarget();
    // No static constructors and no thread-local storage in a kernel: the
    // platform support that they need would only cost time.
    Expected<std::unique_ptr<LLJIT>> jit =
        LLJITBuilder().setPlatformSetUp(setUpInactivePlatform).create();
    if (!jit)
      return jit.takeError();
    auto linker = std::make_unique<Linker>();
    linker->jit = std::move(*jit);
    ExecutionSession &session = linker->jit->getExecutionSession();
    session.setErrorReporter(
        [](Error error) { lastSessionError = toString(std::move(error)); });
    linker->runtimeSymbols = &session.createBareJITDylib("gridir");
    SymbolMap symbols;
    auto add = [&](StringRef name, ExecutorAddr address) {
      symbols[linker->jit->mangleAndIntern(name)] = {
          address, JITSymbolFlags::Exported | JITSymbolFlags::Callable};
    };
    for (const auto &[name, address] : getPrintSymbols())
      add(name, ExecutorAddr::fromPtr(address));
    for (const auto &[name, address] : getTaskSymbols())
      add(name, ExecutorAddr::fromPtr(address));
    for (const auto &[name, address] : getSoftFloatSymbols())
      add(name, ExecutorAddr::fromPtr(address));
    if (Error error =
            linker->runtimeSymbols->define(absoluteSymbols(std::move(symbols))))
      return error;
    // Kept for the life of the process, as the kernels are.
    return linker.release();
  }

  Expected<ExecutorAddr> lookup(JITDylib &dylib, StringRef name) {
    lastSessionError.clear();
    Expected<ExecutorAddr> address = jit->lookup(dylib, name);
    if (address || lastSessionError.empty())
      return address;
    consumeError(address.takeError());
    return createStringError(lastSessionError);
  }

  static std::mutex mutex;
  static Linker *current;

  std::unique_ptr<LLJIT> jit;
  JITDylib *runtimeSymbols = nullptr;
  std::atomic<uint64_t> count = 0;
};

std::mutex Linker::mutex;
Linker *Linker::current = nullptr;

} // namespace

char LinkerCrash::ID = 0;

Expected<std::unique_ptr<Kernel>> linkObject(const KernelObject &object) {
  Expected<Linker *> linker = Linker::get();
  if (!linker)
    return linker.takeError();
  std::optional<Expected<std::unique_ptr<Kernel>>> kernel;
  if (std::optional<std::string> signal = driver::runGuarded(
          [&] { kernel.emplace((*linker)->link(object)); })) {
    Linker::abandon(*linker);
    return make_error<LinkerCrash>(std::move(*signal));
  }
  return std::move(*kernel);
}

} // namespace gridir::cpu
