//===- SanitizedStack.h - A stack that sanitizers know of -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_SANITIZEDSTACK_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_SANITIZEDSTACK_H

#include <cstddef>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace gridir::cpu {

/// A stack between which and others a thread changes by itself. The address
/// and the thread sanitizer follow the frames on a stack, and must be told
/// of each change; in other builds there is nothing to do.
class SanitizedStack {
public:
#ifdef __SANITIZE_THREAD__
  ~SanitizedStack() { destroyFiber(); }
#endif

  /// The stack has no frame, and lies in this memory.
  void clear(const void *memory, std::size_t numBytes) {
    bottom = memory;
    size = numBytes;
#ifdef __SANITIZE_ADDRESS__
    frames = nullptr;
    __asan_unpoison_memory_region(memory, numBytes);
#endif
#ifdef __SANITIZE_THREAD__
    destroyFiber();
    fiber = created = __tsan_create_fiber(0);
#endif
  }

  /// The frames on the stack are replaced; no marks of the new ones are known.
  void replace() {
#ifdef __SANITIZE_ADDRESS__
    __asan_unpoison_memory_region(bottom, size);
#endif
  }

  /// The thread is about to go on with another stack; `forever` says that it
  /// does not come back to the frames that are here. Part of its caller, as the
  /// thread sanitizer keeps the calls of each stack: this one would begin on
  /// one and return on the other.
  [[gnu::always_inline]] inline void leaveFor(SanitizedStack &other,
                                              bool forever = false) {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(forever ? nullptr : &frames, other.bottom,
                                   other.size);
#endif
#ifdef __SANITIZE_THREAD__
    fiber = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(other.fiber, 0);
#endif
  }

  /// The thread has just come from another stack.
  void arriveFrom(SanitizedStack &other) {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(frames, &other.bottom, &other.size);
#endif
  }

private:
  const void *bottom = nullptr;
  std::size_t size = 0;
#ifdef __SANITIZE_ADDRESS__
  void *frames = nullptr;
#endif
#ifdef __SANITIZE_THREAD__
  void destroyFiber() {
    if (created)
      __tsan_destroy_fiber(created);
  }

  void *fiber = nullptr, *created = nullptr;
#endif
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_SANITIZEDSTACK_H
