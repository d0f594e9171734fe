//===- PackedBuffers.cpp - XLA's packed buffers, a byte for each element --===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedBuffers.h"

#include "Kernel.h"

#include <algorithm>
#include <limits>

namespace gridir::cpu {

/// Bytes that begin where a kernel may need its operands to; null when the
/// system has no memory.
static Array<int8_t> allocateAligned(int64_t count) {
  constexpr int64_t kAlignment = kOperandAlignment;
  if (count > std::numeric_limits<int64_t>::max() - kAlignment)
    return nullptr;
  // A multiple of the alignment, and never 0.
  int64_t bytes = (count / kAlignment + 1) * kAlignment;
  return Array<int8_t>(
      static_cast<int8_t *>(std::aligned_alloc(kAlignment, bytes)));
}

PackedBuffers::Buffer *PackedBuffers::find(void *packed, int64_t count) {
  auto found =
      std::find_if(buffers.begin(), buffers.end(), [&](const Buffer &b) {
        return b.packed == packed && b.count == count;
      });
  return found == buffers.end() ? nullptr : &*found;
}

void *PackedBuffers::unpack(void *packed, int64_t count, int bits,
                            bool isSigned) {
  if (Buffer *known = find(packed, count))
    return known->bytes.get();
  Array<int8_t> bytes = allocateAligned(count);
  if (!bytes)
    return nullptr;
  auto *source = static_cast<const uint8_t *>(packed);
  const int perByte = 8 / bits, unused = 8 - bits;
  for (int64_t i = 0; i < count; ++i) {
    // The element moves to the top of a byte, and down again with its sign.
    auto high = static_cast<uint8_t>(
        source[i / perByte] << (unused - static_cast<int>(i % perByte) * bits));
    bytes[i] = isSigned ? static_cast<int8_t>(high) >> unused : high >> unused;
  }
  buffers.push_back(
      {packed, count, bits, /*isResult=*/false, std::move(bytes)});
  return buffers.back().bytes.get();
}

void *PackedBuffers::unpackResult(void *packed, int64_t count, int bits,
                                  bool isSigned) {
  // Elements that a kernel does not write keep the contents of the buffer, as
  // for other types, and never expose data of another call.
  void *bytes = unpack(packed, count, bits, isSigned);
  if (bytes)
    find(packed, count)->isResult = true;
  return bytes;
}

void PackedBuffers::pack() const {
  for (const Buffer &buffer : buffers) {
    if (!buffer.isResult)
      continue;
    auto *target = static_cast<uint8_t *>(buffer.packed);
    const int perByte = 8 / buffer.bits, mask = (1 << buffer.bits) - 1;
    for (int64_t start = 0; start < buffer.count; start += perByte) {
      int64_t end = std::min(start + perByte, buffer.count);
      int packed = 0;
      for (int64_t i = start; i < end; ++i)
        packed |= (buffer.bytes[i] & mask) << ((i - start) * buffer.bits);
      target[start / perByte] = static_cast<uint8_t>(packed);
    }
  }
}

} // namespace gridir::cpu
