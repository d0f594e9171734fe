//===- CPUTarget.h - What a CPU can hold ------------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TARGET_CPUTARGET_H
#define GRIDIR_DIALECTS_CPU_TARGET_CPUTARGET_H

#include "dialects/Grid/Target/Target.h"

namespace gridir::cpu {

/// A CPU: it can address elements of any array, so blocks are accessed in
/// place.
class CPUTarget : public grid::Target {
public:
  llvm::StringRef getName() const override { return "cpu"; }
  llvm::StringRef getNoun() const override { return "the CPU"; }
  bool isElementType(mlir::Type type) const override;
  llvm::LogicalResult checkBlocks(grid::KernelOp kernel,
                                  unsigned operand) const override;
};

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TARGET_CPUTARGET_H
