//===- Frame.h - What generated code knows of the thread that it runs as --===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_FRAME_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_FRAME_H

#include <cstdint>

namespace gridir::ptx {

/// Indices in `Frame::special`. Those of three dimensions take three.
enum SpecialRegister : unsigned {
  ThreadId = 0,
  BlockSize = 3,
  BlockId = 6,
  GridSize = 9,
  ClusterBlockId = 12,
  ClusterSize = 15,
  ClusterId = 18,
  NumClusters = 21,
  LaneId = 24,
  WarpId,
  NumWarps,
  ClusterRank,
  ClusterRanks,
  LaneMaskEq,
  LaneMaskLe,
  LaneMaskLt,
  LaneMaskGe,
  LaneMaskGt,
  DynamicShared,
  TotalShared,
  /// Special registers with only one value here: the multiprocessor and the
  /// grid.
  Zero,
  One,
  NumSpecialRegisters
};

/// The range of the last allowed access: addresses from `begin` on; an access
/// of this instruction may start at `starts` of them.
struct AllowedRange {
  uint64_t begin = 0;
  uint64_t starts = 0;
  /// The same of the accesses that are not noted; 0 where all are.
  uint64_t unnoted = 0;
};

/// Generated code reads this at fixed offsets.
struct Frame {
  uint32_t special[NumSpecialRegisters];
  /// The base of shared address 0 of the CTA's cluster.
  char *window;
  /// The shared addresses of the block.
  uint64_t sharedBegin, sharedBytes;
  /// The shared address of external arrays.
  uint64_t dynamicBegin;
  char *parameters;
  /// The thread's own memory.
  char *local;
  uint64_t localBytes;
  /// For each instruction that has an address.
  AllowedRange *ranges;
  /// Branches back until the thread must let others run.
  int64_t fuel;
  /// Where it is profiled: how often the thread has executed each instruction,
  /// and how many in all, with those that it waited for others to execute.
  uint64_t *executed;
  uint64_t clock;
  /// Where undefined values are tracked: the instruction that the thread
  /// executes.
  uint32_t site;
};

/// Bits of a shared address that are the offset in a block; those above are the
/// block's rank in its cluster.
constexpr unsigned kBlockWindowBits = 24;
/// Of all blocks of a cluster.
constexpr uint64_t kClusterWindow = uint64_t(16) << kBlockWindowBits;
/// Shared memory that the system has at the beginning of each block's.
constexpr uint64_t kReservedShared = 1024;

/// Where an address points to.
enum class Space : uint32_t { Generic, Shared, Local };

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_FRAME_H
