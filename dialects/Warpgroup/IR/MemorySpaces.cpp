//===- MemorySpaces.cpp - The memory spaces of a GPU ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/IR/Warpgroup.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

namespace {

/// The name with the owner, since `smem` means two things.
StringRef getName(Space space) {
  switch (space) {
  case Space::Gmem:
    return "gpu.gmem";
  case Space::Smem:
    return "gpu.smem";
  case Space::Tmem:
    return "gpu.tmem";
  case Space::Regs:
    return "gpu.regs";
  }
  llvm_unreachable("all memory spaces are handled");
}

struct Spaces : grid::MemorySpacesInterface {
  using MemorySpacesInterface::MemorySpacesInterface;

  grid::MemorySpaceAttrInterface findSpace(StringRef name) const override {
    for (Space space : {Space::Gmem, Space::Smem, Space::Tmem, Space::Regs})
      if (getName(space) == name)
        return SpaceAttr::get(getContext(), space);
    return {};
  }
};

} // namespace

void WarpgroupDialect::registerMemorySpaces() { addInterfaces<Spaces>(); }

StringRef SpaceAttr::getSpaceName() const { return getName(getValue()); }

grid::SpaceSharing SpaceAttr::getSharing() const {
  return isOutsideOfCores() ? grid::SpaceSharing::Kernel
                            : grid::SpaceSharing::None;
}

bool SpaceAttr::isOutsideOfCores() const { return getValue() == Space::Gmem; }

bool SpaceAttr::isOfWarpgroups() const { return true; }

std::optional<Space> warpgroup::getMemorySpace(MemRefType ref) {
  auto space = dyn_cast_if_present<SpaceAttr>(ref.getMemorySpace());
  return space ? std::optional(space.getValue()) : std::nullopt;
}

bool warpgroup::isInSpace(Type ref, Space space) {
  auto type = dyn_cast<MemRefType>(ref);
  return type && getMemorySpace(type) == space;
}
