//===- Fiber.h - A stackful coroutine -------------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_FIBER_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_FIBER_H

#include "SanitizedStack.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace gridir::cpu {

/// A stackful coroutine: a separate stack, on which functions run one after
/// another. A function that suspends continues when it is resumed, on the same
/// thread. One that is never resumed again is dropped with its stack; no
/// destructors of objects on it run.
class Fiber {
public:
  /// Null if the system has no memory for a stack of this size. A stack that
  /// overflows faults and does not overwrite other memory.
  static std::unique_ptr<Fiber> create(int64_t stackBytes);
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// Sets the function of the fiber; the previous one must have returned.
  void start(std::function<void()> function);

  /// Runs the function until it suspends or ends.
  void resume();

  /// Switches back to the caller of `resume`. Called by the running function.
  void suspend();

  bool isDone() const { return done; }

  /// The frames on the stack of a suspended function.
  struct Frames {
    void *top = nullptr;
    std::vector<char> bytes;
  };

  /// The frames of the function that has suspended. It continues with them each
  /// time they are restored, so that one function can continue in several ways,
  /// each with separate locals at the same addresses.
  Frames save() const;
  void restore(const Frames &frames);

private:
  Fiber(void *stack, std::size_t size) : stack(stack), size(size) {}
  [[noreturn]] static void enter();

  /// The memory of the stack; its first page is a guard page.
  void *stack;
  std::size_t size;
  /// The stack pointer of each stack while it is switched out; its callee-saved
  /// registers are on top of it.
  void *own = nullptr, *resumer = nullptr;
  SanitizedStack ownFrames, resumerFrames;
  std::function<void()> body;
  bool done = true;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_FIBER_H
