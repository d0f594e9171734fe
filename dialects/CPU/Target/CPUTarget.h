//===- CPUTarget.h - the CPU as a target ------------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TARGET_CPUTARGET_H
#define GRIDIR_DIALECTS_CPU_TARGET_CPUTARGET_H

#include "dialects/Grid/Target/LoopsTarget.h"

namespace gridir::cpu {

/// The CPU. LLVM knows its chips.
class CPUTarget : public grid::LoopsTarget {
public:
  llvm::StringRef getName() const override { return "cpu"; }
  llvm::StringRef getNoun() const override { return "the CPU"; }
};

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TARGET_CPUTARGET_H
