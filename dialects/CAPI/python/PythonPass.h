//===- PythonPass.h - Passes in Python --------------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CAPI_PYTHON_PYTHONPASS_H
#define GRIDIR_DIALECTS_CAPI_PYTHON_PYTHONPASS_H

#include <nanobind/nanobind.h>

namespace gridir {

/// Adds the functions that register a pass in Python, and those with which it
/// reports.
void bindPythonPasses(nanobind::module_ &m);

} // namespace gridir

#endif // GRIDIR_DIALECTS_CAPI_PYTHON_PYTHONPASS_H
