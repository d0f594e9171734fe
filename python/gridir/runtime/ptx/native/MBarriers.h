//===- MBarriers.h - Barriers in shared memory that count arrivals and bytes ===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_MBARRIERS_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_MBARRIERS_H

#include "Collectives.h"

namespace gridir::ptx {

/// What an arrival tells those who wait for the phase.
enum class Telling {
  Nothing,
  /// What comes before the last fence.
  Fenced,
  /// All that comes before it.
  All
};

/// Subtracts arrivals from what a barrier waits for, and bytes from its count
/// of transactions; the phase ends where neither is left. It is the unit, or
/// where it is null the thread, that does so.
void updateMBarrier(const Group &group, uint64_t address, int64_t arrivals,
                    int64_t bytes, Telling telling = Telling::All,
                    const AsyncUnitRef &unit = nullptr);

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_MBARRIERS_H
