//===- BuildID.h - Which code runs ----------------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_BUILDID_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_BUILDID_H

#include <optional>
#include <string>

namespace gridir::cpu {

/// The build IDs of the libraries in this process with gridir's passes, MLIR
/// and LLVM: the linker's hashes of their contents, read from memory, so that a
/// file that was replaced on disk is not mistaken for the running one. None if
/// one of them was linked without a build ID.
std::optional<std::string> getBuildID();

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_BUILDID_H
