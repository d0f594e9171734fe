//===- MemorySpaces.cpp - Facts about memory spaces -----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/MemorySpaces.h"

using namespace mlir;

namespace gridir::grid {

SpaceFacts getFacts(MemorySpace space) {
  switch (space) {
  case MemorySpace::Any:
  case MemorySpace::Host:
  case MemorySpace::TpuHbm:
    return {.sharing = SpaceSharing::Chip, .isOutsideOfCores = true};
  case MemorySpace::TpuVmemShared:
    return {.sharing = SpaceSharing::Chip, .isOfSubcores = true};
  case MemorySpace::GpuGmem:
    return {.sharing = SpaceSharing::Kernel,
            .isOutsideOfCores = true,
            .isOfWarpgroups = true};
  case MemorySpace::GpuSmem:
  case MemorySpace::GpuTmem:
  case MemorySpace::GpuRegs:
    return {.isOfWarpgroups = true};
  case MemorySpace::Default:
  case MemorySpace::Error:
  case MemorySpace::Index:
  case MemorySpace::Key:
  case MemorySpace::TpuVmem:
  case MemorySpace::TpuSmem:
  case MemorySpace::TpuCmem:
  case MemorySpace::TpuSemaphoreMem:
    return {};
  }
  llvm_unreachable("every memory space has a case");
}

SpaceFacts getSpaceFacts(MemRefType ref) {
  auto space = dyn_cast_if_present<MemorySpaceAttr>(ref.getMemorySpace());
  return space ? getFacts(space.getValue()) : SpaceFacts();
}

} // namespace gridir::grid
