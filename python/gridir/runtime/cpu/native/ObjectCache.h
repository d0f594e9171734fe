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

#include "llvm/Support/CachePruning.h"

#include <optional>
#include <string_view>

namespace gridir::cpu {

/// Identifies the code that `compileModule` would make of `module` here: the
/// module, the options, the host and this build of gridir, hashed.
std::string getObjectKey(std::string_view module,
                         const CompileOptions &options);

/// Object files in the directory named by GRIDIR_CACHE_DIR. Anyone who can
/// write there can run code in this process. A directory or entry that another
/// user owns, or that others may write, is therefore ignored. Any number of
/// processes may use one directory.
class ObjectCache {
public:
  /// Opens the directory, which is made if it does not exist.
  ObjectCache();
  ~ObjectCache();
  ObjectCache(const ObjectCache &) = delete;
  ObjectCache &operator=(const ObjectCache &) = delete;

  /// Why the directory that the user named is not used; empty when it is, and
  /// when none is named.
  const std::string &getProblem() const { return problem; }

  /// Returns none if there is no entry, or if it is damaged.
  std::optional<KernelObject> read(const std::string &key) const;

  /// Adds an entry, and removes those that were used longest ago until all that
  /// are left obey GRIDIR_CACHE_POLICY. Failing to write an entry is not an
  /// error.
  void write(const std::string &key, const KernelObject &object) const;

private:
  void open();

  std::string path, problem;
  llvm::CachePruningPolicy policy;
  /// The directory, while it is used, or -1. Entries are read through it: its
  /// path may name another one by then.
  int directory = -1;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_OBJECTCACHE_H
