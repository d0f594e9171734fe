//===- Failure.h - Why a module could not be compiled -----------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain C++ types, free of MLIR, LLVM and Python.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_DRIVER_FAILURE_H
#define GRIDIR_DIALECTS_DRIVER_FAILURE_H

#include <optional>
#include <string>
#include <vector>

namespace gridir::driver {

/// One MLIR diagnostic. The location is its text, for `LocationAttr` to parse.
struct Diagnostic {
  std::string severity;
  std::string message;
  std::string location;
  std::vector<Diagnostic> notes;
};

inline Diagnostic makeError(std::string message) {
  return {"error", std::move(message), "loc(unknown)", {}};
}

/// A crash of the compiler from which the process recovered.
struct Crash {
  /// The reason and place, as "Aborted in pass cpu-plan-arena".
  std::string reason;
  /// The file that reproduces it; empty if it could not be written.
  std::string reproducer;
};

/// The reason why a compilation failed.
struct CompileFailure {
  /// parse, pipeline, passes, translate, codegen or link.
  std::string stage;
  std::vector<Diagnostic> diagnostics;
  /// Set if the compiler is at fault, not the module.
  std::optional<Crash> crash = std::nullopt;
};

/// The failure in a few lines, for a caller that has no better form for it.
std::string describe(const CompileFailure &failure);

} // namespace gridir::driver

#endif // GRIDIR_DIALECTS_DRIVER_FAILURE_H
