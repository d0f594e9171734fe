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

using namespace llvm;

namespace gridir::cpu {

static std::vector<Linker::Symbol> getRuntimeSymbols() {
  std::vector<Linker::Symbol> symbols;
  llvm::append_range(symbols, getPrintSymbols());
  llvm::append_range(symbols, getTaskSymbols());
  llvm::append_range(symbols, getSoftFloatSymbols());
  return symbols;
}

Expected<std::unique_ptr<Kernel>> linkObject(const KernelObject &object) {
  static Linker &linker = *new Linker(getRuntimeSymbols());
  Expected<std::vector<void *>> addresses =
      linker.link(object.object, {kInvokeSymbol, kRangeSymbol});
  if (!addresses)
    return addresses.takeError();
  auto kernel = std::make_unique<Kernel>();
  kernel->info = object.info;
  kernel->invoke = reinterpret_cast<InvokeFn>((*addresses)[0]);
  kernel->range = reinterpret_cast<RangeFn>((*addresses)[1]);
  return kernel;
}

} // namespace gridir::cpu
