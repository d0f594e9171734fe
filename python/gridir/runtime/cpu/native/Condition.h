//===- Condition.h - What a task waits for ---------------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_CONDITION_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_CONDITION_H

#include "Counter.h"

#include <array>

namespace gridir::cpu {

/// What a task waits for: something about one synchronization object, which
/// other tasks and copies change. It lives on the stack of the task that waits.
class Condition {
public:
  /// Identifies the object; tasks that change it wake those that wait for it.
  virtual const void *getObject() const = 0;
  virtual bool holds() const = 0;
  /// What the wait itself does to the object, once the condition holds.
  virtual void consume() = 0;
  /// What a message says of a wait that nothing can end: the state of the
  /// object, and the state that is waited for.
  virtual std::array<int64_t, 2> describe() const = 0;

protected:
  ~Condition() = default;
};

/// A semaphore is at least `amount`, which the wait takes unless it keeps it.
class CounterCondition final : public Condition {
public:
  CounterCondition(Counter counter, int64_t amount, bool keep)
      : counter(counter), amount(amount), keep(keep) {}

  const void *getObject() const override { return counter.getAddress(); }
  bool holds() const override { return counter.holds(amount); }
  void consume() override {
    if (!keep)
      counter.add(-amount);
  }
  std::array<int64_t, 2> describe() const override {
    return {counter.get(), amount};
  }

private:
  Counter counter;
  int64_t amount;
  bool keep;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_CONDITION_H
