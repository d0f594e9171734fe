//===- SoftFloat.h - Conversions that generated code may call -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_SOFTFLOAT_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_SOFTFLOAT_H

#include <array>
#include <utility>

namespace gridir::cpu {

/// The conversions of 16-bit floats that LLVM calls on CPUs without an
/// instruction for them. Not every libgcc has them, so the runtime brings its
/// own.
std::array<std::pair<const char *, void *>, 5> getSoftFloatSymbols();

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_SOFTFLOAT_H
