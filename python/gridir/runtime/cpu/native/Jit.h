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
#include "Linker.h"

#include <memory>

namespace gridir::cpu {

/// Links an object into the process. A crash is a `LinkerCrash`.
llvm::Expected<std::unique_ptr<Kernel>> linkObject(const KernelObject &object);

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_JIT_H
