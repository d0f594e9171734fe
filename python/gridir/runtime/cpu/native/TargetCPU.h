//===- TargetCPU.h - The CPU that code is generated for -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_TARGETCPU_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_TARGETCPU_H

#include "Kernel.h"

#include "llvm/Support/Error.h"

#include <memory>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace gridir::cpu {

/// Makes LLVM know this machine's target, once: its registry must not be
/// read while a target is registered.
void initializeNativeTarget();

/// Gives LLVM's code generator for the CPU of the options.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const CompileOptions &options);

/// As getMissingFeatures of Compiler.h.
llvm::Expected<std::vector<std::string>>
findMissingFeatures(const CompileOptions &options);

/// Gives the pass pipeline of the options as text. One that is only a name is
/// given the CPU's vector registers and instructions.
llvm::Expected<std::string> completePipeline(const CompileOptions &options);

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_TARGETCPU_H
