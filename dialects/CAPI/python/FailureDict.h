//===- FailureDict.h - Failures as Python sees them -------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CAPI_PYTHON_FAILUREDICT_H
#define GRIDIR_DIALECTS_CAPI_PYTHON_FAILUREDICT_H

#include "dialects/Driver/Failure.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace gridir {

inline nanobind::dict toDict(const driver::Diagnostic &diagnostic) {
  nanobind::list notes;
  for (const driver::Diagnostic &note : diagnostic.notes)
    notes.append(toDict(note));
  nanobind::dict result;
  result["severity"] = diagnostic.severity;
  result["message"] = nanobind::steal(PyUnicode_DecodeUTF8(
      diagnostic.message.data(), diagnostic.message.size(), "replace"));
  result["location"] = diagnostic.location;
  result["notes"] = notes;
  return result;
}

/// Returns {"stage", "diagnostics"}, and "reproducer" for a crash.
inline nanobind::dict toDict(const driver::CompileFailure &failure) {
  nanobind::list diagnostics;
  for (const driver::Diagnostic &diagnostic : failure.diagnostics)
    diagnostics.append(toDict(diagnostic));
  nanobind::dict result;
  result["stage"] = failure.stage;
  result["diagnostics"] = diagnostics;
  if (failure.crash)
    result["reproducer"] = failure.crash->reproducer;
  return result;
}

} // namespace gridir

#endif // GRIDIR_DIALECTS_CAPI_PYTHON_FAILUREDICT_H
