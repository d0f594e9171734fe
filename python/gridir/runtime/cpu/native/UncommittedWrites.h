//===- UncommittedWrites.h - What copies may not see yet -------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_UNCOMMITTEDWRITES_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_UNCOMMITTEDWRITES_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace gridir::cpu {

/// The stores of warpgroups to memory of their CTAs that bulk copies may not
/// see yet: copies use the async proxy, which sees the stores of a CTA after a
/// commit.
class UncommittedWrites {
public:
  /// `site` is where the block writes, as an index into the kernel's accesses.
  void write(const char *begin, int64_t bytes, std::size_t block, int64_t site);
  void commit(std::size_t block);
  /// A copy writes the bytes, or they are used for something else.
  void forget(const char *begin, int64_t bytes);
  /// The site of a write to one of the bytes that may not be seen yet.
  std::optional<int64_t> find(const char *begin, int64_t bytes) const;

private:
  struct Run {
    const char *end;
    std::size_t block;
    int64_t site;
  };
  /// Runs of bytes by their begin. They do not overlap.
  std::map<const char *, Run> runs;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_UNCOMMITTEDWRITES_H
