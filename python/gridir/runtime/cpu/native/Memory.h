//===- Memory.h - Memory whose lack is an error of the call ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A container of the standard library ends the process if there is no memory
// for it, as gridir is compiled without exceptions. Objects whose size a
// kernel's author chooses are allocated here instead.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_MEMORY_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_MEMORY_H

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>

namespace gridir::cpu {

struct Free {
  void operator()(void *pointer) const { std::free(pointer); }
};

/// The elements of an array of the runtime's.
template <typename T>
using Array =
    std::unique_ptr<T[], std::conditional_t<std::is_trivial_v<T>, Free,
                                            std::default_delete<T[]>>>;

/// `count` elements, zero or as their default constructor leaves them; null
/// when the system has no memory for them, or for a count that no array can
/// have.
template <typename T> Array<T> allocateArray(int64_t count) {
  if (count < 0 ||
      count > std::numeric_limits<int64_t>::max() / int64_t(sizeof(T)))
    return nullptr;
  // Pages that nothing touches take no memory where all elements are zero.
  if constexpr (std::is_trivial_v<T>)
    return Array<T>(static_cast<T *>(std::calloc(count + !count, sizeof(T))));
  else
    return Array<T>(new (std::nothrow) T[count]);
}

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_MEMORY_H
