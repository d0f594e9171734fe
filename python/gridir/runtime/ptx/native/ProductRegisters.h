//===- ProductRegisters.h - Registers of products in flight ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_PRODUCTREGISTERS_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_PRODUCTREGISTERS_H

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace gridir::ptx {

/// The registers of one thread that asynchronous MMAs use. Before the wait for
/// an MMA its result must not be accessed, and its operands must not be
/// written; a fence must separate a write from an MMA.
class ProductRegisters {
public:
  /// An instruction reads or writes a register. Gives the product that still
  /// uses it.
  std::optional<unsigned> touch(unsigned number, bool writes, unsigned site);
  /// A move between two names that a compiler gives to one register.
  void move(unsigned from, unsigned to);
  /// An MMA uses a register. Returns the write without a later fence.
  std::optional<unsigned> use(unsigned number, bool isResult, unsigned site);
  void fence();
  void commit() { ++committed; }
  void wait(uint64_t last) {
    done = std::max(done, committed - std::min(committed, last));
  }

private:
  struct State {
    /// The group of the product that uses it, counted from 1; 0 for none.
    uint64_t group = 0;
    bool isResult = false;
    unsigned product = 0;
    /// The last write without a later fence.
    std::optional<unsigned> write;
  };

  State &get(unsigned number) {
    if (number >= states.size())
      states.resize(number + 1);
    return states[number];
  }

  std::vector<State> states;
  uint64_t committed = 0, done = 0;
};

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_PRODUCTREGISTERS_H
