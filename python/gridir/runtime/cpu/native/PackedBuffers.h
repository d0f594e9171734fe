//===- PackedBuffers.h - XLA's packed buffers, a byte for each element ----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// XLA packs elements of 1, 2 and 4 bits, the first into the lowest bits of a
// byte. A kernel holds one in each byte: two threads that write neighbouring
// elements would otherwise write one byte. A call therefore unpacks such
// operands before, and packs its results after. An operand that does not begin
// where the kernel needs it is copied in the same way, 8 bits at a time.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_PACKEDBUFFERS_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_PACKEDBUFFERS_H

#include "Memory.h"

#include <cstdint>
#include <vector>

namespace gridir::cpu {

/// The packed operands of one call, and the bytes that stand for them.
class PackedBuffers {
public:
  /// Bytes that hold the `count` elements of `bits` bits each at `packed`, with
  /// their signs. One buffer that is passed twice, as an operand and the result
  /// that it is aliased with, stays one. Null when the system has no memory.
  void *unpack(void *packed, int64_t count, int bits, bool isSigned);

  /// Bytes for a result that `pack` converts to the buffer at `packed`.
  void *unpackResult(void *packed, int64_t count, int bits, bool isSigned);

  /// Writes all results back.
  void pack() const;

private:
  struct Buffer {
    void *packed;
    int64_t count;
    int bits;
    bool isResult;
    Array<int8_t> bytes;
  };
  Buffer *find(void *packed, int64_t count);

  std::vector<Buffer> buffers;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_PACKEDBUFFERS_H
