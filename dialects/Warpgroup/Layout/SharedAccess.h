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

/// How often a warp's access of `bytes` at an offset each occupies the banks of
/// shared memory, 32 words of 4 bytes at a time: at best once for each 128
/// bytes, more often where lanes that are served together ask for different
/// words of one bank.
int64_t getNumWavefronts(llvm::ArrayRef<int64_t> offsets, int64_t bytes);

/// How a warpgroup moves an array between its registers and shared memory, in
/// runs of `vector` registers.
struct SharedAccess {
  /// Instructions of each thread.
  int64_t instructions = 0;
  /// Accesses beyond those that as many bytes need, of the warp that has most.
  int64_t conflicts = 0;
};

/// Counts the access of an array that lies in shared memory at byte offsets
/// `getOffset` of its elements; runs of `vector` registers are contiguous
/// there.
SharedAccess countSharedAccess(const Layout &layout, Shape shape,
                               int64_t vector, unsigned elementBits,
                               llvm::function_ref<int64_t(int64_t)> getOffset);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_LAYOUT_SHAREDACCESS_H
