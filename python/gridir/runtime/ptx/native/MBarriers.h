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

/// The events that an arrival orders before waits for the phase.
enum class Telling {
  Nothing,
  /// The events before the last fence.
  Fenced,
  /// All that comes before it.
  All
};

/// Subtracts arrivals from the expected count of a barrier, and bytes from its
/// count of transactions; the phase ends when both are zero. The actor is the
/// unit or, if it is null, the thread.
void updateMBarrier(const Group &group, uint64_t address, int64_t arrivals,
                    int64_t bytes, Telling telling = Telling::All,
                    const AsyncUnitRef &unit = nullptr);

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_MBARRIERS_H
