//===- TaskPrograms.cpp - Programs that wait for one another --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/TaskPrograms.h"

#include "dialects/Grid/Analysis/GridParallelism.h"

using namespace mlir;

namespace gridir::grid {

kernel::TasksAttr getTasks(KernelOp kernel) {
  return kernel->getAttrOfType<kernel::TasksAttr>(kTasksAttrName);
}

std::optional<int64_t> getNumDevices(KernelOp kernel) {
  auto count = kernel->getAttrOfType<IntegerAttr>(kDevicesAttrName);
  return count ? std::optional(count.getInt()) : std::nullopt;
}

DeviceUse getDeviceUse(KernelOp kernel) {
  DeviceUse use = DeviceUse::None;
  kernel.getBodyRegion().walk(
      [&](ProgramOpInterface op) { use = std::max(use, op.getDeviceUse()); });
  return use;
}

bool isCoreDim(KernelOp kernel, unsigned dim) {
  DimKind kind = kernel.getDim(dim).getKind();
  return kind == DimKind::Core || kind == DimKind::Subcore;
}

bool isMeshDim(KernelOp kernel, unsigned dim) {
  return kernel.getDim(dim).getKind() != DimKind::Grid;
}

bool isConcurrent(KernelOp kernel, unsigned dim, DimSemantics claim) {
  return isMeshDim(kernel, dim) || isParallel(claim);
}

Operation *findTaskOp(KernelOp kernel) {
  Operation *found = nullptr;
  kernel.getBodyRegion().walk([&](ProgramOpInterface op) {
    if (!op.needsTask())
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

bool isOfSparseCore(MemRefType ref) { return getSpace(ref).isOfSubcores(); }

bool isSharedByPrograms(KernelOp kernel, MemRefType ref, ArrayAttr collective) {
  if (collective && !collective.empty())
    return true;
  SpaceSharing sharing = getSpace(ref).getSharing();
  if (sharing != SpaceSharing::Chip)
    return sharing == SpaceSharing::Kernel;
  // The cores of a mesh belong to one chip; other programs each have their own
  // chip.
  return llvm::any_of(llvm::seq(kernel.getRank()),
                      [&](unsigned dim) { return isCoreDim(kernel, dim); });
}

Operation *findSynchronization(KernelOp kernel) {
  auto isSharedSemaphore = [&](Type type, ArrayAttr collective) {
    auto ref = cast<MemRefType>(type);
    return isa<SemaphoreType>(ref.getElementType()) &&
           isSharedByPrograms(kernel, ref, collective);
  };
  for (BlockArgument scratch : kernel.getScratchRefs())
    if (isSharedSemaphore(scratch.getType(), {}))
      return kernel;
  Operation *synchronization = nullptr;
  kernel.getBodyRegion().walk([&](Operation *op) {
    bool synchronizes = false;
    if (auto program = dyn_cast<ProgramOpInterface>(op))
      synchronizes = program.meetsOtherPrograms();
    else if (auto scoped = dyn_cast<ScopedOp>(op))
      synchronizes =
          llvm::any_of(scoped.getBody().getArgumentTypes(), [&](Type type) {
            return isSharedSemaphore(
                type, scoped.getCollective().value_or(ArrayAttr()));
          });
    if (!synchronizes)
      return WalkResult::advance();
    synchronization = op;
    return WalkResult::interrupt();
  });
  return synchronization;
}

} // namespace gridir::grid
