//===- WrittenBuffers.h - Which buffers a launch writes ---------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads of what nobody writes are in no race, and are most of what a kernel
// does: they are not noted. Whether anybody will write a buffer is not known
// before; where it is written after reads that were not noted, the launch
// begins anew, from the memory that it found, and notes the reads of that
// buffer, too.
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_WRITTENBUFFERS_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_WRITTENBUFFERS_H

#include "Buffers.h"

namespace gridir::ptx {

/// A buffer, or several that overlap.
struct BufferUse {
  uint64_t begin = 0, bytes = 0;
  /// Whether it has reads that were not noted.
  bool isRead = false;
  bool isWritten = false;

  bool contains(uint64_t address) const { return address - begin < bytes; }
};

class WrittenBuffers {
public:
  explicit WrittenBuffers(const BufferTable &buffers);

  /// Null where nothing is known of an address: accesses of it are noted.
  BufferUse *find(uint64_t address);
  /// Says that memory is written; false where the launch must begin anew.
  bool write(uint64_t address);
  /// The same for all memory: what the launch does next cannot be undone.
  bool writeAll();
  /// True once somebody was told so.
  bool mustRepeat() const { return isRepeated; }
  /// The memory is as it was, and nobody has read it.
  void restore();

private:
  bool write(BufferUse &use);

  /// In the order of their addresses.
  std::vector<BufferUse> uses;
  /// What each of them held.
  std::vector<std::vector<char>> contents;
  /// The one that was written last.
  BufferUse *last = nullptr;
  bool isRepeated = false;
};

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_WRITTENBUFFERS_H
