//===- Counter.h - The memory of a semaphore ------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_COUNTER_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_COUNTER_H

#include <algorithm>
#include <cstdint>
#include <optional>

namespace gridir::cpu {

/// A semaphore: a number of 64 bits, or of 16 in an array of the call, as XLA
/// has it. A copy counts bytes, which may exceed 16 bits: the largest 16-bit
/// number stands for any larger count.
class Counter {
public:
  Counter() = default;
  Counter(void *address, int64_t bits) : address(address), bits(bits) {}

  void *getAddress() const { return address; }

  int64_t get() const {
    return bits == 16 ? *static_cast<int16_t *>(address)
                      : *static_cast<int64_t *>(address);
  }
  /// The number, unless it stands for a larger one.
  std::optional<int64_t> getExact() const {
    return isFull() ? std::nullopt : std::optional(get());
  }
  bool holds(int64_t amount) const { return isFull() || get() >= amount; }
  void add(int64_t amount) {
    if (!isFull())
      set(get() + amount);
  }

private:
  static constexpr int64_t kFull = INT16_MAX;

  bool isFull() const { return bits == 16 && get() == kFull; }
  void set(int64_t count) {
    if (bits == 16)
      *static_cast<int16_t *>(address) = std::min(count, kFull);
    else
      *static_cast<int64_t *>(address) = count;
  }

  void *address = nullptr;
  int64_t bits = 64;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_COUNTER_H
