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

/// What a launch must know of a translated function.
struct Translation {
  std::vector<Site> sites;
  uint64_t staticSharedBytes = 0;
  uint64_t localBytes = 0;
  /// Whether an instruction shows blocks what those of other clusters do while
  /// they run, or leaves something in the order in which they do it.
  bool meetsClusters = false;
};

/// What generated code tells of beside what it computes.
struct Instrumentation {
  /// Whether it tells of its accesses and fences, for checks of their order.
  bool isChecked = false;
  /// Whether it tells of its accesses, and counts its instructions.
  bool isProfiled = false;
};

/// Adds `void @NAME(Frame *)` to an LLVM module. Each instruction that nothing
/// here knows is a problem, so that none is met at run time.
Translation translate(const Module &module, const Function &function,
                      const GlobalAddresses &globals, llvm::Module &result,
                      llvm::StringRef name, Instrumentation instrumentation,
                      Problems &problems);

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_TRANSLATION_H
