//===- Fiber.h - A function that can be left and gone on with -------------===//
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

/// A stack of its own, on which one function after another runs. A function
/// that suspends goes on where it was when it is resumed, on the same thread.
/// One that is never resumed again is forgotten with its stack; nothing on it
/// is destroyed.
class Fiber {
public:
  /// Null when the system has no memory left for a stack of so many bytes. One
  /// that overflows all the same faults rather than writes elsewhere.
  static std::unique_ptr<Fiber> create(int64_t stackBytes);
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// Gives the fiber a function to run; the last one must have ended.
  void start(std::function<void()> function);

  /// Runs the function until it suspends or ends.
  void resume();

  /// Goes back to who resumed the fiber. Called by the function that runs.
  void suspend();

  bool isDone() const { return done; }

  /// What is on the stack of a function that has suspended.
  struct Frames {
    void *top = nullptr;
    std::vector<char> bytes;
  };

  /// The frames of the function that has suspended. It goes on with them each
  /// time that they are restored, so that one function can go on several ways,
  /// each with locals of its own at the same addresses.
  Frames save() const;
  void restore(const Frames &frames);

private:
  Fiber(void *stack, std::size_t size) : stack(stack), size(size) {}
  [[noreturn]] static void enter();

  /// The memory of the stack, the first page of which nobody can touch.
  void *stack;
  std::size_t size;
  /// Where the stack that is not running was left: its top, below which are
  /// the registers that it goes on with.
  void *own = nullptr, *resumer = nullptr;
  SanitizedStack ownFrames, resumerFrames;
  std::function<void()> body;
  bool done = true;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_FIBER_H
