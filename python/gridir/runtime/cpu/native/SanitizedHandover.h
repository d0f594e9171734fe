//===- SanitizedHandover.h - Objects that XLA's threads pass on -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// XLA is compiled without the thread sanitizer, which cannot see the queues
// that pass objects between threads. With this information, it still sees the
// unordered accesses of gridir's own code.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_SANITIZEDHANDOVER_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_SANITIZEDHANDOVER_H

#include <functional>
#include <utility>

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace gridir::cpu {

/// XLA gets the object: earlier events of this thread happen before XLA takes
/// it.
inline void giveToXla([[maybe_unused]] void *object) {
#ifdef __SANITIZE_THREAD__
  __tsan_release(object);
#endif
}

/// The object comes from XLA.
inline void takeFromXla([[maybe_unused]] void *object) {
#ifdef __SANITIZE_THREAD__
  __tsan_acquire(object);
#endif
}

/// A function that one of XLA's threads runs. It is made here, moved into the
/// queue, and called there; nothing of it is read before the call.
class QueuedFunction {
public:
  explicit QueuedFunction(std::function<void()> function)
      : function(std::move(function)) {}
  QueuedFunction(QueuedFunction &&other) : function(std::move(other.function)) {
    giveToXla(&queue);
  }

  void operator()() {
    takeFromXla(&queue);
    function();
  }

private:
  /// The address of a function in the queue is not known to its creator.
  inline static char queue = 0;

  std::function<void()> function;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_SANITIZEDHANDOVER_H
