//===- Jit.h - From an object file to a kernel ready to run ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_JIT_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_JIT_H

#include "Compiler.h"

#include "llvm/Support/Error.h"

#include <memory>

namespace gridir::cpu {

/// What ended the linker, which is a defect and not the object's fault.
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

/// Links an object into the process. Each has a namespace of its own, so that
/// two kernels of the same name do not meet. A crash is a `LinkerCrash`.
llvm::Expected<std::unique_ptr<Kernel>> linkObject(const KernelObject &object);

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_JIT_H
