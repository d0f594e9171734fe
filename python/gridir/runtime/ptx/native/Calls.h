//===- Calls.h - Functions that every program may call ---------------------- -===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_CALLS_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_CALLS_H

#include <utility>
#include <vector>

namespace gridir::ptx {

/// Functions that generated code calls.
std::vector<std::pair<const char *, void *>> getCallSymbols();

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_CALLS_H
