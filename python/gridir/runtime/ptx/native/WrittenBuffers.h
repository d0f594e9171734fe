//===- WrittenBuffers.h - Which buffers a launch writes ---------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads of memory that is never written cannot race, and are most of a kernel's
// accesses: they are not recorded. It is not known in advance which buffers
// will be written. If a buffer is written after reads that were not recorded,
// the launch restarts with the original memory, and records the reads of that
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
  /// True if it has reads that were not recorded.
  bool isRead = false;
  bool isWritten = false;

  bool contains(uint64_t address) const { return address - begin < bytes; }
};

class WrittenBuffers {
public:
  explicit WrittenBuffers(const BufferTable &buffers);

  /// Null where nothing is known of an address: accesses of it are noted.
  BufferUse *find(uint64_t address);
  /// Reports a write to memory; returns false if the launch must restart.
  bool write(uint64_t address);
  /// The same for all memory: later effects of the launch cannot be undone.
  bool writeAll();
  /// True if `write` has returned false.
  bool mustRepeat() const { return isRepeated; }
  /// Restores the memory; nothing has read it.
  void restore();

private:
  bool write(BufferUse &use);

  /// In the order of their addresses.
  std::vector<BufferUse> uses;
  /// The contents of each buffer.
  std::vector<std::vector<char>> contents;
  /// The one that was written last.
  BufferUse *last = nullptr;
  bool isRepeated = false;
};

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_WRITTENBUFFERS_H
