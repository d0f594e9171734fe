//===- KernelEffects.cpp - C API of what a kernel does outside ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CAPI/KernelEffects.h"

#include "dialects/Grid/Analysis/TaskPrograms.h"
#include "mlir/CAPI/IR.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace gridir::grid;

static KernelOp toKernel(MlirOperation op) {
  return cast<KernelOp>(unwrap(op));
}

bool gridirKernelKnowsDevices(MlirOperation kernel) {
  return getDeviceUse(toKernel(kernel)) >= DeviceUse::Number;
}

bool gridirKernelAccessesDevices(MlirOperation kernel) {
  return getDeviceUse(toKernel(kernel)) >= DeviceUse::Access;
}

bool gridirKernelHasOutput(MlirOperation kernel) {
  auto writesOutput = [](MemoryEffectOpInterface op) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffectsOnResource(OutputResource::get(), effects);
    return effects.empty() ? WalkResult::advance() : WalkResult::interrupt();
  };
  return toKernel(kernel).getBodyRegion().walk(writesOutput).wasInterrupted();
}
