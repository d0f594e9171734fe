//===- Problem.h - What is wrong with a PTX text, and where ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain C++ types, free of LLVM and Python.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_PROBLEM_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_PROBLEM_H

#include <string>
#include <vector>

namespace gridir::ptx {

/// A position in the text, counted from 1; 0 where there is none.
struct Position {
  unsigned line = 0;
  unsigned column = 0;
};

/// The position that `.loc` gives to an instruction: file number, line and
/// column.
struct SourceLine {
  unsigned file = 0;
  unsigned line = 0;
  unsigned column = 0;
};

struct Problem {
  Position where;
  std::string message;
  /// The author's line, where the text knows it.
  std::string sourceFile = {};
  SourceLine source = {};
};

using Problems = std::vector<Problem>;

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_PROBLEM_H
