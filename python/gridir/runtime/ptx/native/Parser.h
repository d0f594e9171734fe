//===- Parser.h - From the text of PTX to what it says --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_PARSER_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_PARSER_H

#include "Syntax.h"

namespace gridir::ptx {

/// Reads a text up to the first syntax error, which is added to `problems`.
Module parse(llvm::StringRef text, Problems &problems);

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_PARSER_H
