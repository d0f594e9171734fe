//===- LargeFunctions.h - functions cut into pieces ------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_LARGEFUNCTIONS_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_LARGEFUNCTIONS_H

namespace llvm {
class Module;
} // namespace llvm

namespace gridir::cpu {

/// Moves parts of functions of many instructions to functions of their own,
/// called from the original place: consecutive loops and conditions, some
/// thousand instructions at a time. The time of the code generator grows faster
/// than the size of a function. Smaller functions, and a block without
/// branches, stay whole.
void splitLargeFunctions(llvm::Module &module);

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_LARGEFUNCTIONS_H
