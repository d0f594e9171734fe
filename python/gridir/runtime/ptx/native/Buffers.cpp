//===- Buffers.cpp - The memory that a launch may touch -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"

#include "llvm/ADT/STLExtras.h"

namespace gridir::ptx {

void BufferTable::add(Buffer buffer) {
  auto position =
      llvm::upper_bound(buffers, buffer, [](const Buffer &x, const Buffer &y) {
        return x.begin < y.begin;
      });
  buffers.insert(position, std::move(buffer));
}

const Buffer *BufferTable::find(uint64_t address, uint64_t bytes) const {
  auto next =
      llvm::upper_bound(buffers, address, [](uint64_t x, const Buffer &buffer) {
        return x < buffer.begin;
      });
  // Buffers may overlap, as an output in the memory of an input does.
  while (next != buffers.begin()) {
    --next;
    const uint64_t offset = address - next->begin;
    if (offset <= next->bytes && bytes <= next->bytes - offset)
      return &*next;
  }
  return nullptr;
}

std::string BufferTable::describe(uint64_t address) const {
  const Buffer *nearest = nullptr;
  uint64_t least = ~uint64_t(0);
  bool isAfter = false;
  for (const Buffer &buffer : buffers) {
    const bool after = address >= buffer.begin;
    const uint64_t end = buffer.begin + buffer.bytes;
    const uint64_t distance = !after           ? buffer.begin - address
                              : address >= end ? address - end
                                               : 0;
    if (distance < least) {
      least = distance;
      nearest = &buffer;
      isAfter = after;
    }
  }
  if (!nearest)
    return "no buffer was given";
  const std::string size =
      std::to_string(nearest->bytes) + " bytes of '" + nearest->name + "'";
  if (isAfter && address - nearest->begin < nearest->bytes)
    return "it begins in the last of the " + size;
  // At a larger distance, the nearest buffer is irrelevant.
  if (least > (uint64_t(1) << 30))
    return "no buffer is near";
  return std::to_string(least) + " bytes " +
         (isAfter ? "after the " : "before the ") + size;
}

} // namespace gridir::ptx
