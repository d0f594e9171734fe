//===- ScheduleChoice.h - Schedules of kernels of blocks --------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_SCHEDULECHOICE_H
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_SCHEDULECHOICE_H

#include "dialects/Warpgroup/Transforms/ScheduleParts.h"

namespace gridir::warpgroup {

/// Returns the schedule of a kernel of blocks, or the reason why there is none.
/// `numWarps` is the author's number of warps of a CTA, or 0. A CTA has whole
/// warpgroups.
ChosenSchedule chooseSchedule(grid::KernelOp kernel, const gpu::Chip &chip,
                              int64_t numWarps);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_SCHEDULECHOICE_H
