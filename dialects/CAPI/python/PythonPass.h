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

/// Adds what registers a pass in Python, and what such a pass reports with.
void bindPythonPasses(nanobind::module_ &m);

} // namespace gridir

#endif // GRIDIR_DIALECTS_CAPI_PYTHON_PYTHONPASS_H
