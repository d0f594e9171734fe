//===- Launch.h - All blocks of a launch ------------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_LAUNCH_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_LAUNCH_H

#include "Execution.h"

namespace gridir::ptx {

/// Runs all CTAs, on as many threads of the process as the options allow. More
/// than one take part if no CTA can observe it: the code neither depends on the
/// order of clusters nor stores anything in that order, and nothing is checked
/// or counted. A launch with checks may restart, see WrittenBuffers.h.
LaunchReport launch(const PreparedFunction &function,
                    const LaunchOptions &options, const BufferTable &buffers);

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_LAUNCH_H
