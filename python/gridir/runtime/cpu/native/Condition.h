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
#include "Races.h"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace gridir::cpu {

/// A use of a synchronization object that is wrong.
struct Misuse {
  /// Index into `KernelInfo::accesses`, as that of the other one that the
  /// message names, if any.
  int64_t site;
  std::string reason;
  std::optional<int64_t> other = {};
  /// An additional sentence about the object.
  std::string note = {};
};

/// The condition of a wait: a state of one synchronization object, which other
/// tasks and copies change.
class Condition {
public:
  /// Identifies the object; tasks that change it wake those that wait for it.
  virtual const void *getObject() const = 0;
  virtual bool holds() const = 0;
  /// Applies the effect of the wait to the object, once the condition holds.
  /// Returns the misuse, if any.
  virtual std::optional<Misuse> consume() = 0;
  /// The thread whose wait ends now happens after what made the condition hold;
  /// called before `consume`.
  virtual void order(RaceDetector &races, RaceDetector::Thread thread) const {
    races.acquire(thread, getObject());
  }
  /// Returns the state of the object and the required state, for the message
  /// about a wait that cannot end.
  virtual std::array<int64_t, 2> describe() const = 0;
  /// Returns an addition to the message: a text, and the site that it ends
  /// with, if any.
  virtual std::pair<std::string, std::optional<int64_t>> explain() const {
    return {};
  }

  virtual ~Condition() = default;
};

/// A semaphore is at least `amount`, which the wait takes unless it keeps it.
class CounterCondition final : public Condition {
public:
  CounterCondition(Counter counter, int64_t amount, bool keep)
      : counter(counter), amount(amount), keep(keep) {}

  const void *getObject() const override { return counter.getAddress(); }
  bool holds() const override { return counter.holds(amount); }
  std::optional<Misuse> consume() override {
    if (!keep)
      counter.add(-amount);
    return std::nullopt;
  }
  void order(RaceDetector &races, RaceDetector::Thread thread) const override {
    races.wait(thread, counter.getAddress(), amount, keep, counter.getExact());
  }
  std::array<int64_t, 2> describe() const override {
    return {counter.get(), amount};
  }

private:
  Counter counter;
  int64_t amount;
  bool keep;
};

/// A count of a task that must become zero.
class NothingLeft final : public Condition {
public:
  NothingLeft(const void *object, std::function<int64_t()> count)
      : object(object), count(std::move(count)) {}

  const void *getObject() const override { return object; }
  bool holds() const override { return count() == 0; }
  std::optional<Misuse> consume() override { return std::nullopt; }
  std::array<int64_t, 2> describe() const override { return {count(), 0}; }

private:
  const void *object;
  std::function<int64_t()> count;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_CONDITION_H
