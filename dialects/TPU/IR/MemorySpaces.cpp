//===- MemorySpaces.cpp - The memory spaces of a TPU ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/IR/MemorySpaces.h"

#include "dialects/Grid/IR/Grid.h"
#include "dialects/TPU/IR/TPU.h"

using namespace mlir;
using namespace gridir;

namespace {

constexpr tpu::MemorySpace kSpaces[] = {
    tpu::MemorySpace::Any,        tpu::MemorySpace::Vmem,
    tpu::MemorySpace::Smem,       tpu::MemorySpace::Hbm,
    tpu::MemorySpace::Cmem,       tpu::MemorySpace::SemaphoreMem,
    tpu::MemorySpace::VmemShared, tpu::MemorySpace::Host};

/// The name with the owner, since `smem` means two things.
StringRef getName(tpu::MemorySpace space) {
  switch (space) {
  case tpu::MemorySpace::Any:
    return "tpu.any";
  case tpu::MemorySpace::Vmem:
    return "tpu.vmem";
  case tpu::MemorySpace::Smem:
    return "tpu.smem";
  case tpu::MemorySpace::Hbm:
    return "tpu.hbm";
  case tpu::MemorySpace::Cmem:
    return "tpu.cmem";
  case tpu::MemorySpace::SemaphoreMem:
    return "tpu.semaphore_mem";
  case tpu::MemorySpace::VmemShared:
    return "tpu.vmem_shared";
  case tpu::MemorySpace::Host:
    return "tpu.host";
  }
  llvm_unreachable("every space of Mosaic is listed");
}

struct MemorySpaceModel
    : grid::MemorySpaceAttrInterface::ExternalModel<MemorySpaceModel,
                                                    tpu::MemorySpaceAttr> {
  StringRef getSpaceName(Attribute space) const {
    return getName(getValue(space));
  }
  grid::SpaceSharing getSharing(Attribute space) const {
    return isOutsideOfCores(space) || isOfSubcores(space)
               ? grid::SpaceSharing::Chip
               : grid::SpaceSharing::None;
  }
  bool isOutsideOfCores(Attribute space) const {
    tpu::MemorySpace value = getValue(space);
    return value == tpu::MemorySpace::Hbm || value == tpu::MemorySpace::Any ||
           value == tpu::MemorySpace::Host;
  }
  bool isOfSubcores(Attribute space) const {
    return getValue(space) == tpu::MemorySpace::VmemShared;
  }

private:
  static tpu::MemorySpace getValue(Attribute space) {
    return cast<tpu::MemorySpaceAttr>(space).getValue();
  }
};

struct Spaces : grid::MemorySpacesInterface {
  using MemorySpacesInterface::MemorySpacesInterface;

  grid::MemorySpaceAttrInterface findSpace(StringRef name) const override {
    for (tpu::MemorySpace space : kSpaces)
      if (getName(space) == name)
        return cast<grid::MemorySpaceAttrInterface>(
            Attribute(tpu::MemorySpaceAttr::get(getContext(), space)));
    return {};
  }
};

} // namespace

void tpu::registerMemorySpaces(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TPUDialect *dialect) {
    MemorySpaceAttr::attachInterface<MemorySpaceModel>(*context);
    dialect->addInterfaces<Spaces>();
  });
}
