//===- RegisterTargets.cpp - The one list of targets ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Register/Register.h"

#include "dialects/CPU/Target/CPUTarget.h"
#include "dialects/GPU/Target/GPUTarget.h"
#include "dialects/TPU/Target/TPUTarget.h"

void gridir::registerAllTargets() {
  grid::registerTarget(std::make_unique<cpu::CPUTarget>());
  grid::registerTarget(std::make_unique<gpu::GPUTarget>());
  for (const gpu::Chip &chip : gpu::getChips())
    grid::registerTarget(std::make_unique<gpu::GPUTarget>(&chip));
  grid::registerTarget(std::make_unique<tpu::TPUTarget>());
  for (const tpu::Chip &chip : tpu::getChips())
    grid::registerTarget(std::make_unique<tpu::TPUTarget>(&chip));
}
