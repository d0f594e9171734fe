//===- MemorySpaces.cpp - The memory spaces of no target ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/MemorySpaces.h"

#include "dialects/Grid/IR/Grid.h"

using namespace mlir;
using namespace gridir::grid;

#include "dialects/Grid/IR/GridSpaceInterface.cpp.inc"

StringRef MemorySpaceAttr::getSpaceName() const {
  return stringifyMemorySpace(getValue());
}

SpaceSharing MemorySpaceAttr::getSharing() const {
  return isOutsideOfCores() ? SpaceSharing::Chip : SpaceSharing::None;
}

bool MemorySpaceAttr::isOutsideOfCores() const {
  return getValue() == MemorySpace::Any || getValue() == MemorySpace::Host;
}

MemorySpaceAttrInterface gridir::grid::getDefaultSpace(MLIRContext *context) {
  return MemorySpaceAttr::get(context, MemorySpace::Default);
}

bool gridir::grid::isDefaultSpace(MemorySpaceAttrInterface space) {
  auto neutral = dyn_cast<MemorySpaceAttr>(space);
  return neutral && neutral.getValue() == MemorySpace::Default;
}

MemorySpaceAttrInterface gridir::grid::getSpace(MemRefType ref) {
  auto space =
      dyn_cast_if_present<MemorySpaceAttrInterface>(ref.getMemorySpace());
  return space ? space : getDefaultSpace(ref.getContext());
}

MemorySpaceAttrInterface gridir::grid::findSpace(MLIRContext *context,
                                                 StringRef name) {
  if (std::optional<MemorySpace> space = symbolizeMemorySpace(name))
    return MemorySpaceAttr::get(context, *space);
  for (Dialect *dialect : context->getLoadedDialects())
    if (auto *spaces = dialect->getRegisteredInterface<MemorySpacesInterface>())
      if (MemorySpaceAttrInterface space = spaces->findSpace(name))
        return space;
  return {};
}
