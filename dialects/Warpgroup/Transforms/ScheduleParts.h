//===- ScheduleParts.h - Parts of the blocks of a kernel -------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_SCHEDULEPARTS_H
#define GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_SCHEDULEPARTS_H

#include "dialects/GPU/Target/Chip.h"
#include "dialects/Grid/Analysis/BlockAxes.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"

#include <string>
#include <variant>

namespace gridir::warpgroup {

/// Warps of a warpgroup.
constexpr int64_t kWarps = kNumThreads / kNumLanes;

/// A schedule, or the reason why there is none.
using ChosenSchedule = std::variant<ScheduleAttr, std::string>;

/// A division of the first output of a kernel into equal parts, and the
/// memory that parts need. Initially a part is the whole block.
struct ScheduleParts {
  ScheduleParts(grid::KernelOp kernel, const gpu::Chip &chip);

  /// The shape of a Ref or an array.
  static llvm::ArrayRef<int64_t> getShape(mlir::Value value);

  /// The number of elements of a value that one part of `sizes` accesses.
  int64_t countElements(mlir::Value value, llvm::ArrayRef<int64_t> sizes) const;

  /// The bytes of scratch in shared memory of a part.
  int64_t countScratchBytes(llvm::ArrayRef<int64_t> sizes);

  /// The bytes of shared memory for scratch and copies of operands.
  int64_t getSharedLimit() const;

  grid::KernelOp kernel;
  const gpu::Chip &chip;
  grid::BlockAxes axes;
  mlir::Value output;
  /// Sizes of the part of a CTA.
  llvm::SmallVector<int64_t> part;
};

/// Chooses the schedule of a kernel with contractions.
ChosenSchedule chooseForProducts(const ScheduleParts &parts,
                                 llvm::ArrayRef<grid::DotOp> dots);

} // namespace gridir::warpgroup

#endif // GRIDIR_DIALECTS_WARPGROUP_TRANSFORMS_SCHEDULEPARTS_H
