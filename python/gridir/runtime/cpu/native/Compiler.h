//===- Compiler.h - From a module to an object file -----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_COMPILER_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_COMPILER_H

#include "Kernel.h"

#include <string_view>
#include <variant>

namespace gridir::cpu {

/// An object file in memory, with the data that the runtime needs. It defines
/// the functions `gridir.invoke` (InvokeFn) and `gridir.range` (RangeFn).
struct KernelObject {
  KernelInfo info;
  std::string object;
};

inline constexpr const char *kInvokeSymbol = "gridir.invoke";
inline constexpr const char *kRangeSymbol = "gridir.range";

/// Compiles a module, given as MLIR bytecode or text. Runs on the calling
/// thread in a separate MLIR context, so that any number of threads may compile
/// at the same time.
std::variant<KernelObject, CompileFailure>
compileModule(std::string_view module, const CompileOptions &options);

/// The failure for a crash after the compile, which `driver::runGuarded` gave
/// as `signal`; writes its reproducer.
CompileFailure recordCrash(const std::string &signal, const std::string &stage,
                           std::string_view module,
                           const CompileOptions &options);

/// Returns the pipeline of the options as text, with the options that the CPU's
/// registers imply.
std::variant<std::string, CompileFailure>
getPipeline(const CompileOptions &options);

/// The features that code for the CPU of the options may use and this machine
/// lacks, as LLVM names them; none if the code can run here.
std::variant<std::vector<std::string>, CompileFailure>
getMissingFeatures(const CompileOptions &options);

/// The CPU that the process runs on, with its features, in a stable form. Code
/// for one such string must not be loaded under another.
std::string describeHost();

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_COMPILER_H
