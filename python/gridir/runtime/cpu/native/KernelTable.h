//===- KernelTable.h - The kernels of the process by key ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_KERNELTABLE_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_KERNELTABLE_H

#include "Kernel.h"

#include <string>
#include <string_view>
#include <variant>

namespace gridir::cpu {

/// The origin of code.
enum class KernelOrigin { Memory, Disk, Compiled };

/// Its name for the user.
const char *toText(KernelOrigin origin);

struct ReadyKernel {
  const Kernel *kernel;
  KernelOrigin origin;
  /// A warning for the user, or empty.
  std::string warning;
};

/// Returns the kernel of `module` under `options`: from the table of the
/// process, from the disk cache, or compiled. `key` identifies module and
/// options, and is the caller's. Two threads that ask for one key compile it
/// once.
std::variant<ReadyKernel, CompileFailure>
getKernel(std::string_view key, std::string_view module,
          const CompileOptions &options);

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_KERNELTABLE_H
