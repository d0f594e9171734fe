//===- Linker.cpp - Objects linked into this process ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Linker.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"

using namespace llvm;
using namespace llvm::orc;

namespace gridir::cpu {

/// ORC reports the cause of a failed lookup to the session's reporter and gives
/// the caller only the name. Linking happens on the thread that looks up, so a
/// thread-local text brings the two together.
static thread_local std::string lastSessionError;

Linker::Linker() = default;
Linker::~Linker() = default;

Expected<std::unique_ptr<Linker>> Linker::create(ArrayRef<Symbol> symbols) {
  InitializeNativeTarget();
  // No static constructors and no thread-local storage in a kernel: the
  // platform support that they need would only cost time.
  Expected<std::unique_ptr<LLJIT>> jit =
      LLJITBuilder().setPlatformSetUp(setUpInactivePlatform).create();
  if (!jit)
    return jit.takeError();
  std::unique_ptr<Linker> linker(new Linker);
  linker->jit = std::move(*jit);
  ExecutionSession &session = linker->jit->getExecutionSession();
  session.setErrorReporter(
      [](Error error) { lastSessionError = toString(std::move(error)); });
  linker->runtimeSymbols = &session.createBareJITDylib("gridir");
  SymbolMap map;
  for (const auto &[name, address] : symbols)
    map[linker->jit->mangleAndIntern(name)] = {ExecutorAddr::fromPtr(address),
                                               JITSymbolFlags::Exported |
                                                   JITSymbolFlags::Callable};
  if (Error error =
          linker->runtimeSymbols->define(absoluteSymbols(std::move(map))))
    return error;
  return linker;
}

Expected<std::vector<void *>> Linker::link(StringRef object,
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

} // namespace gridir::cpu
