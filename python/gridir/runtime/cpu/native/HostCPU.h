//===- HostCPU.h - What the CPU of this machine can run -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_HOSTCPU_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_HOSTCPU_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>
#include <utility>

namespace gridir::cpu {

/// The features that LLVM knows, each with whether code of this process may use
/// it, in the order of their names. Tiles are among them once the system has
/// let this process use them, for which the first call asks.
llvm::ArrayRef<std::pair<std::string, bool>> getHostFeatures();

/// The size of the caches of all processors of this process, as reported by the
/// system.
int64_t getHostCacheBytes();

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_HOSTCPU_H
