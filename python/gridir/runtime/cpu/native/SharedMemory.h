//===- SharedMemory.h - Memory of tasks that live together -----*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_SHAREDMEMORY_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_SHAREDMEMORY_H

#include "Kernel.h"
#include "Memory.h"

#include <map>
#include <vector>

namespace gridir::cpu {

/// Memory that consecutive work items of one device share: all of them, or
/// groups of a size, such as the warpgroups of a CTA. Each group has its own
/// memory, allocated at the first request and zeroed.
class SharedMemory {
public:
  SharedMemory(SharedBytes info, int64_t numItems)
      : info(info), numItems(numItems) {}

  int64_t getNumBytes() const { return info.bytes; }
  /// The number of work items that share one memory; 0 for all.
  int64_t getNumMembers() const { return info.members; }
  /// The first work item of a group.
  int64_t getFirstItem(int64_t item) const {
    return item - item % getGroupSize();
  }

  /// The memory of a work item's group, which is made where `isNew` is set, or
  /// null where the system has no more.
  char *get(int64_t item, bool &isNew);
  /// The same; null if it has not been requested.
  char *find(int64_t item) const;

  /// Marks a work item as ended. Returns the memory of its group if that was
  /// the last one of it; memory that all share lives as long as the call.
  char *leave(int64_t item);
  /// Releases the memory of a group that has ended.
  void recycle(int64_t item);

private:
  struct Group {
    Array<char> memory;
    int64_t numDone = 0;
  };
  int64_t getGroupSize() const;

  SharedBytes info;
  int64_t numItems;
  std::map<int64_t, Group> groups;
  std::vector<Array<char>> idle;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_SHAREDMEMORY_H
