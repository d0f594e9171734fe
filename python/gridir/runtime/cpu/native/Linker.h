//===- Linker.h - Objects linked into this process ------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_LINKER_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_LINKER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <memory>

namespace llvm::orc {
class JITDylib;
class LLJIT;
} // namespace llvm::orc

namespace gridir::cpu {

/// Links objects, each in a namespace of its own, so that two functions of the
/// same name do not meet. Kept for the life of the process, as what it has
/// linked is.
class Linker {
public:
  /// A function of the runtime that objects may call.
  using Symbol = std::pair<const char *, void *>;

  static llvm::Expected<std::unique_ptr<Linker>>
  create(llvm::ArrayRef<Symbol> symbols);
  ~Linker();

  /// Gives the addresses of functions of an object.
  llvm::Expected<std::vector<void *>>
  link(llvm::StringRef object, llvm::ArrayRef<llvm::StringRef> names);

private:
  Linker();

  std::unique_ptr<llvm::orc::LLJIT> jit;
  llvm::orc::JITDylib *runtimeSymbols = nullptr;
  std::atomic<uint64_t> count = 0;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_LINKER_H
