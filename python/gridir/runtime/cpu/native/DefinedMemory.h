//===- DefinedMemory.h - Which memory is initialized -----------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_DEFINEDMEMORY_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_DEFINEDMEMORY_H

#include <cstdint>
#include <map>
#include <optional>

namespace gridir::cpu {

/// Tracks which bytes are uninitialized. All that were never marked count as
/// initialized.
class DefinedMemory {
public:
  /// The bytes are uninitialized until something is written to them.
  void undefine(const void *begin, int64_t bytes);
  void define(const void *begin, int64_t bytes);
  /// `to` becomes initialized exactly where `from` is.
  void copy(const void *from, const void *to, int64_t bytes);

  bool isAnyDefined(const void *begin, int64_t bytes) const;
  /// The first uninitialized byte, counted from `begin`.
  std::optional<int64_t> findUndefined(const void *begin, int64_t bytes) const;

private:
  using Address = uintptr_t;

  /// Runs of uninitialized bytes: the end of each by its begin. They do not
  /// overlap, and no two are neighbours.
  std::map<Address, Address> undefined;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_DEFINEDMEMORY_H
