//===- GPUTarget.h - an NVIDIA GPU as a target ------------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GPU_TARGET_GPUTARGET_H
#define GRIDIR_DIALECTS_GPU_TARGET_GPUTARGET_H

#include "dialects/GPU/Target/Chip.h"
#include "dialects/Grid/Target/LoopsTarget.h"

namespace gridir::gpu {

/// True if a kernel is a warpgroup program: its operands are whole arrays in
/// global memory.
bool isProgram(grid::KernelOp kernel);

/// True if the author of a warpgroup kernel set `approx_math`.
bool allowsApproximations(grid::KernelOp kernel);

/// An NVIDIA GPU. `gpu-legalize-kernel` checks the types of a chip.
class GPUTarget : public grid::LoopsTarget {
public:
  /// Creates the target of a chip, or of all chips if `chip` is null.
  explicit GPUTarget(const Chip *chip = nullptr) : chip(chip) {}

  llvm::StringRef getName() const override { return "gpu"; }
  llvm::StringRef getNoun() const override { return "a GPU"; }
  llvm::StringRef getChip() const override {
    return chip ? llvm::StringRef(chip->name) : "";
  }
  /// The shared memory of a CTA. That of a warpgroup program has no limit here,
  /// since `warpgroup-plan-memory` lets Refs share bytes.
  grid::SpaceBytes getCapacities(grid::KernelOp kernel) const override;
  llvm::json::Object describeChip() const override;

private:
  const Chip *chip;
};

/// Attaches `ParamsAttrInterface` to the parameters of backends for a GPU.
void registerParamsModels(mlir::DialectRegistry &registry);

} // namespace gridir::gpu

#endif // GRIDIR_DIALECTS_GPU_TARGET_GPUTARGET_H
