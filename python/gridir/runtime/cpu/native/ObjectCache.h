//===- ObjectCache.h - Object files on disk -------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_OBJECTCACHE_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_OBJECTCACHE_H

#include "Compiler.h"

#include <optional>
#include <string_view>

namespace gridir::cpu {

/// Identifies the code that `compileModule` would make of `module` here: the
/// module, the options, the host and this build of gridir, hashed.
std::string getObjectKey(std::string_view module,
                         const CompileOptions &options);

/// Reads an object from the directory named by GRIDIR_CACHE_DIR. Gives nothing
/// when there is no directory or no entry, or when the entry is damaged.
std::optional<KernelObject> readObject(const std::string &key);

/// Writes an object to the directory named by GRIDIR_CACHE_DIR, if any. A cache
/// that cannot be written is no error: the kernel runs all the same.
void writeObject(const std::string &key, const KernelObject &object);

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_OBJECTCACHE_H
