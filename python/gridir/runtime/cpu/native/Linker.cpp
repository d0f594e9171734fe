//===- Linker.cpp - Objects linked into this process ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Linker.h"

#include "TargetCPU.h"

#include "dialects/Driver/CrashGuard.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"

#include <atomic>
#include <optional>

using namespace llvm;
using namespace llvm::orc;

namespace gridir::cpu {

char LinkerCrash::ID = 0;

/// ORC reports the cause of a failed lookup to the session's reporter and gives
/// the caller only the name. Linking runs on the thread of the lookup, so a
/// thread-local text connects the two.
static thread_local std::string lastSessionError;

class Linker::Session {
public:
  static Expected<std::unique_ptr<Session>> create(ArrayRef<Symbol> symbols) {
    initializeNativeTarget();
    // No static constructors and no thread-local storage in a kernel: the
    // platform support that they need would only cost time.
    Expected<std::unique_ptr<LLJIT>> jit =
        LLJITBuilder().setPlatformSetUp(setUpInactivePlatform).create();
    if (!jit)
      return jit.takeError();
    auto session = std::make_unique<Session>();
    session->jit = std::move(*jit);
    ExecutionSession &orc = session->jit->getExecutionSession();
    orc.setErrorReporter(
        [](Error error) { lastSessionError = toString(std::move(error)); });
    session->runtimeSymbols = &orc.createBareJITDylib("gridir");
    SymbolMap map;
    for (const auto &[name, address] : symbols)
      map[session->jit->mangleAndIntern(name)] = {
          ExecutorAddr::fromPtr(address),
          JITSymbolFlags::Exported | JITSymbolFlags::Callable};
    if (Error error =
            session->runtimeSymbols->define(absoluteSymbols(std::move(map))))
      return error;
    return session;
  }

  Expected<std::vector<void *>> link(StringRef object,
                                     ArrayRef<StringRef> names) {
    Expected<JITDylib &> dylib =
        jit->createJITDylib("kernel." + std::to_string(count++));
    if (!dylib)
      return dylib.takeError();
    dylib->addToLinkOrder(*runtimeSymbols);
    if (Error error =
            jit->addObjectFile(*dylib, MemoryBuffer::getMemBufferCopy(object)))
      return error;
    std::vector<void *> addresses;
    for (StringRef name : names) {
      lastSessionError.clear();
      Expected<ExecutorAddr> address = jit->lookup(*dylib, name);
      if (address) {
        addresses.push_back(address->toPtr<void *>());
        continue;
      }
      if (lastSessionError.empty())
        return address.takeError();
      consumeError(address.takeError());
      return createStringError(lastSessionError);
    }
    return addresses;
  }

private:
  std::unique_ptr<LLJIT> jit;
  JITDylib *runtimeSymbols = nullptr;
  std::atomic<uint64_t> count = 0;
};

Expected<Linker::Session *> Linker::getSession() {
  std::lock_guard<std::mutex> lock(mutex);
  if (!current) {
    Expected<std::unique_ptr<Session>> created = Session::create(symbols);
    if (!created)
      return created.takeError();
    current = created->release();
  }
  return current;
}

Expected<std::vector<void *>> Linker::link(StringRef object,
                                           ArrayRef<StringRef> names) {
  Expected<Session *> session = getSession();
  if (!session)
    return session.takeError();
  std::optional<Expected<std::vector<void *>>> addresses;
  if (std::optional<std::string> signal = driver::runGuarded(
          [&] { addresses.emplace((*session)->link(object, names)); })) {
    std::lock_guard<std::mutex> lock(mutex);
    if (current == *session)
      current = nullptr;
    return make_error<LinkerCrash>(std::move(*signal));
  }
  return std::move(*addresses);
}

} // namespace gridir::cpu
