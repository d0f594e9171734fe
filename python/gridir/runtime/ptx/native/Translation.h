//===- Translation.h - From the code of one thread to LLVM IR -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_TRANSLATION_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_TRANSLATION_H

#include "Syntax.h"

namespace llvm {
class Module;
} // namespace llvm

namespace gridir::ptx {

/// An instruction, as messages at run time name it.
struct Site {
  Position where;
  SourceLine source;
  std::string text;
};

/// Where the parameters of a function are in the memory of its arguments.
struct ParameterLayout {
  std::string name;
  uint64_t offset = 0, bytes = 0;
};
std::vector<ParameterLayout> layOutParameters(const Function &function);

/// Addresses of the variables of a module, which the caller has allocated.
using GlobalAddresses = llvm::StringMap<uint64_t>;

/// The properties of a translated function that a launch needs.
struct Translation {
  std::vector<Site> sites;
  uint64_t staticSharedBytes = 0;
  uint64_t localBytes = 0;
  /// True if an instruction shows CTAs the progress of other clusters, or
  /// leaves an effect in the order of their progress.
  bool meetsClusters = false;
};

/// The events that generated code reports.
struct Instrumentation {
  /// True if it reports its accesses and fences, for checks of their order.
  bool isChecked = false;
  /// True if it reports its accesses and counts its instructions.
  bool isProfiled = false;
  /// True if the memory sanitizer gets its code: undefined values are tracked.
  bool isTracked = false;
};

/// Adds `void @NAME(Frame *)` to an LLVM module. Each unknown instruction is a
/// problem, so there are none at run time.
Translation translate(const Module &module, const Function &function,
                      const GlobalAddresses &globals, llvm::Module &result,
                      llvm::StringRef name, Instrumentation instrumentation,
                      Problems &problems);

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_TRANSLATION_H
