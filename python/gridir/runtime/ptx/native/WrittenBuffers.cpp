//===- WrittenBuffers.cpp - Which buffers a launch writes -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WrittenBuffers.h"

#include "llvm/ADT/STLExtras.h"

namespace gridir::ptx {

/// The most bytes that are kept for a restart. Every access to larger memory is
/// recorded.
static constexpr uint64_t kMaxBytes = uint64_t(1) << 28;

WrittenBuffers::WrittenBuffers(const BufferTable &buffers) {
  uint64_t bytes = 0;
  for (const Buffer &buffer : buffers.getBuffers()) {
    if (!buffer.bytes)
      continue;
    const uint64_t end = buffer.begin + buffer.bytes;
    if (!uses.empty() && uses.back().contains(buffer.begin)) {
      BufferUse &use = uses.back();
      use.bytes = std::max(use.bytes, end - use.begin);
    } else {
      uses.push_back({buffer.begin, buffer.bytes});
    }
  }
  for (const BufferUse &use : uses)
    bytes += use.bytes;
  if (bytes > kMaxBytes)
    uses.clear();
  for (const BufferUse &use : uses) {
    const char *memory = reinterpret_cast<const char *>(use.begin);
    contents.emplace_back(memory, memory + use.bytes);
  }
}

BufferUse *WrittenBuffers::find(uint64_t address) {
  auto next = llvm::upper_bound(uses, address,
                                [](uint64_t address, const BufferUse &use) {
                                  return address < use.begin;
                                });
  return next != uses.begin() && std::prev(next)->contains(address)
             ? &*std::prev(next)
             : nullptr;
}

bool WrittenBuffers::write(BufferUse &use) {
  use.isWritten = true;
  isRepeated |= use.isRead;
  return !isRepeated;
}

bool WrittenBuffers::write(uint64_t address) {
  if (last && last->contains(address))
    return true;
  last = find(address);
  return !last || write(*last);
}

bool WrittenBuffers::writeAll() {
  for (BufferUse &use : uses)
    write(use);
  return !isRepeated;
}

void WrittenBuffers::restore() {
  for (auto [use, content] : llvm::zip_equal(uses, contents)) {
    if (use.isWritten)
      llvm::copy(content, reinterpret_cast<char *>(use.begin));
    use.isRead = false;
  }
  last = nullptr;
  isRepeated = false;
}

} // namespace gridir::ptx
