//===- Buffers.h - The memory that a launch may touch ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_BUFFERS_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_BUFFERS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gridir::ptx {

/// Global memory: a piece of this process.
struct Buffer {
  uint64_t begin = 0, bytes = 0;
  std::string name;
  /// True if it holds no values when the launch begins, and none that the
  /// launch leaves are read.
  bool isTemporary = false;
};

/// All global memory of a launch.
class BufferTable {
public:
  void add(Buffer buffer);
  /// The buffer that an access is in as a whole; null where there is none.
  const Buffer *find(uint64_t address, uint64_t bytes) const;
  /// Where an address is, as "4 bytes after the 64 bytes of 'x'".
  std::string describe(uint64_t address) const;
  /// In the order of their addresses.
  const std::vector<Buffer> &getBuffers() const { return buffers; }

private:
  std::vector<Buffer> buffers;
};

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_BUFFERS_H
