//===- Reproducer.h - Files that show a crash again -------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_DRIVER_REPRODUCER_H
#define GRIDIR_DIALECTS_DRIVER_REPRODUCER_H

#include <string>

namespace gridir::driver {

struct Input;
struct Progress;

/// Writes a new file into the directory for temporary files: the reason and
/// place of the crash, the versions of gridir and LLVM, and the module with its
/// pipeline, as `gridir-opt --run-reproducer` reads them. Returns the file's
/// path, or "".
std::string writeReproducer(const Input &input, const Progress &progress,
                            const std::string &reason);

} // namespace gridir::driver

#endif // GRIDIR_DIALECTS_DRIVER_REPRODUCER_H
