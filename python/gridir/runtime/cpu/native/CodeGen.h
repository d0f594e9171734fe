//===- CodeGen.h - From an LLVM module to an object file ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_CODEGEN_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_CODEGEN_H

#include "Kernel.h"

#include "llvm/Support/Error.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace gridir::cpu {

/// Adds the packed entry points to a translated kernel and generates its code.
/// Sets the number of operands in `info`.
llvm::Expected<std::string> generateObject(llvm::Module &module,
                                           const CompileOptions &options,
                                           KernelInfo &info);

/// Sets the data layout of a module, and the CPU and features of its functions,
/// for a machine.
void setTarget(llvm::Module &module, llvm::TargetMachine &machine);

/// Runs passes of LLVM's that are written as `opt` takes them.
void runPasses(llvm::Module &module, llvm::TargetMachine &machine,
               llvm::StringRef pipeline);

/// Generates the code of a module as it is. Adds the stack size of its
/// functions' frames to `stackBytes`.
llvm::Expected<std::string> emitObject(llvm::Module &module,
                                       llvm::TargetMachine &machine,
                                       int64_t &stackBytes);

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_CODEGEN_H
