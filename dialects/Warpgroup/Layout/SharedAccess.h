//===- SharedAccess.h - Bank conflicts of shared memory --------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_LAYOUT_SHAREDACCESS_H
#define GRIDIR_DIALECTS_WARPGROUP_LAYOUT_SHAREDACCESS_H

#include "dialects/Warpgroup/Layout/Layout.h"

namespace gridir::warpgroup {

/// Another order of memory: to the bits of an offset from `to` on, those from
/// `from` on are added by exclusive or, `numBits` of them.
struct Swizzle {
  unsigned from = 0, to = 0, numBits = 0;

  int64_t apply(int64_t offset) const {
    return offset ^ ((offset >> from & ((int64_t(1) << numBits) - 1)) << to);
  }
};

/// Returns the number of shared memory transactions of a warp whose lanes each
/// access `bytes` at an offset. The 32 banks serve one 4-byte word each per
/// transaction: at best one transaction for 128 bytes, more if lanes access
/// different words of one bank.
int64_t getNumWavefronts(llvm::ArrayRef<int64_t> offsets, int64_t bytes);

/// The cost of moving an array between the registers of a warpgroup and shared
/// memory, in runs of `vector` registers.
struct SharedAccess {
  /// Instructions of each thread.
  int64_t instructions = 0;
  /// Bank conflicts: accesses beyond the minimum for the bytes, of the worst
  /// warp.
  int64_t conflicts = 0;
};

/// Adds the access of an array in shared memory whose elements are at byte
/// offsets `getOffset`; runs of `vector` registers are contiguous there.
SharedAccess countSharedAccess(const Layout &layout, Shape shape,
                               int64_t vector, unsigned elementBits,
                               llvm::function_ref<int64_t(int64_t)> getOffset);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_LAYOUT_SHAREDACCESS_H
