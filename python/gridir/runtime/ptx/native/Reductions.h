//===- Reductions.h - What asynchronous units add to memory ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_REDUCTIONS_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_REDUCTIONS_H

#include "Emitter.h"

namespace gridir::ptx {

/// The combination of a value in memory and a value that is written to it.
enum class ReductionOp : uint64_t {
  /// The new one, which is no reduction.
  Replace,
  Add,
  Min,
  Max,
  Inc,
  Dec,
  And,
  Or,
  Xor
};

struct Reduction {
  ReductionOp op = ReductionOp::Replace;
  ScalarType element = {};

  bool isReplacing() const { return op == ReductionOp::Replace; }
  /// As one argument of a collective.
  uint64_t pack() const;
  static Reduction unpack(uint64_t word);
  /// True if the reduction exists for the element type.
  bool isKnown() const;
  /// How that touches memory, as `AccessFlag`.
  uint32_t getAccess(const char *to, const char *from, uint64_t bytes) const;
  /// Combines elements of memory with new ones.
  void run(char *to, const char *from, uint64_t bytes) const;
};

/// The operation among the modifiers of an instruction, which is taken.
ReductionOp takeReductionOp(Emitter &emitter);

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_REDUCTIONS_H
