//===- LoopsTarget.h - targets of kernels as loops --------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_TARGET_LOOPSTARGET_H
#define GRIDIR_DIALECTS_GRID_TARGET_LOOPSTARGET_H

#include "dialects/Grid/Target/Target.h"

namespace gridir::grid {

/// A target whose kernels become loops over arrays. It can address the elements
/// of any array, so blocks are accessed in place.
class LoopsTarget : public Target {
public:
  bool isElementType(mlir::Type type) const override;
  llvm::LogicalResult checkBlocks(KernelOp kernel,
                                  unsigned operand) const override;
};

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_TARGET_LOOPSTARGET_H
