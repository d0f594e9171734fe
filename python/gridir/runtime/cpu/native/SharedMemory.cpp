//===- SharedMemory.cpp - Memory of tasks that live together --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"

#include <algorithm>
#include <cstring>

namespace gridir::cpu {

int64_t SharedMemory::getGroupSize() const {
  return std::max<int64_t>(info.members ? info.members : numItems, 1);
}

char *SharedMemory::get(int64_t item, bool &isNew) {
  Group &group = groups[item / getGroupSize()];
  isNew = !group.memory;
  if (isNew && idle.empty()) {
    group.memory = allocateArray<char>(info.bytes);
  } else if (isNew) {
    group.memory = std::move(idle.back());
    idle.pop_back();
    std::memset(group.memory.get(), 0, info.bytes);
  }
  return group.memory.get();
}

char *SharedMemory::find(int64_t item) const {
  auto found = groups.find(item / getGroupSize());
  return found == groups.end() ? nullptr : found->second.memory.get();
}

char *SharedMemory::leave(int64_t item) {
  if (!info.members)
    return nullptr;
  Group &group = groups[item / getGroupSize()];
  return ++group.numDone == getGroupSize() ? group.memory.get() : nullptr;
}

void SharedMemory::recycle(int64_t item) {
  auto group = groups.find(item / getGroupSize());
  idle.push_back(std::move(group->second.memory));
  groups.erase(group);
}

} // namespace gridir::cpu
