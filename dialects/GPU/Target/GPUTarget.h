//===- GPUTarget.h - What a GPU can hold ------------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GPU_TARGET_GPUTARGET_H
#define GRIDIR_DIALECTS_GPU_TARGET_GPUTARGET_H

#include "dialects/CPU/Target/CPUTarget.h"

namespace gridir::gpu {

/// A GPU whose kernels share the loops of the CPU path, and therefore its
/// blocks. `gpu-legalize-kernel` checks the other limits of a chip.
class GPUTarget : public cpu::CPUTarget {
public:
  llvm::StringRef getName() const override { return "gpu"; }
  llvm::StringRef getNoun() const override { return "a GPU"; }
};

} // namespace gridir::gpu

#endif // GRIDIR_DIALECTS_GPU_TARGET_GPUTARGET_H
