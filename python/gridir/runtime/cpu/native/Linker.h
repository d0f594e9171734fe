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

#include <mutex>
#include <vector>

namespace gridir::cpu {

/// A crash of the linker, which is a defect and not the object's fault.
class LinkerCrash : public llvm::ErrorInfo<LinkerCrash> {
public:
  static char ID;

  explicit LinkerCrash(std::string signal) : signal(std::move(signal)) {}

  void log(llvm::raw_ostream &os) const override { os << signal; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string signal;
};

/// Links objects into this process, each in a namespace of its own, so that two
/// functions of the same name do not clash. Linked objects are kept for the
/// life of the process.
class Linker {
public:
  /// A function of the runtime that objects may call.
  using Symbol = std::pair<const char *, void *>;

  explicit Linker(std::vector<Symbol> symbols) : symbols(std::move(symbols)) {}

  /// Gives the addresses of functions of an object. A crash is a `LinkerCrash`,
  /// after which other objects can still be linked.
  llvm::Expected<std::vector<void *>>
  link(llvm::StringRef object, llvm::ArrayRef<llvm::StringRef> names);

private:
  class Session;

  llvm::Expected<Session *> getSession();

  const std::vector<Symbol> symbols;
  std::mutex mutex;
  /// Never used again after a crash, since it may hold its locks forever.
  Session *current = nullptr;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_LINKER_H
