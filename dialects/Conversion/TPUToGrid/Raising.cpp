//===- Raising.cpp - From Mosaic's form of a kernel to grid's -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/TPUToGrid/Raising.h"
#include "dialects/Support/Elements.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace gridir::tpu_to_grid {

static grid::MemorySpace getGridSpace(tpu::MemorySpace space) {
  switch (space) {
  case tpu::MemorySpace::Any:
    return grid::MemorySpace::Any;
  case tpu::MemorySpace::Vmem:
    return grid::MemorySpace::TpuVmem;
  case tpu::MemorySpace::Smem:
    return grid::MemorySpace::TpuSmem;
  case tpu::MemorySpace::Hbm:
    return grid::MemorySpace::TpuHbm;
  case tpu::MemorySpace::Cmem:
    return grid::MemorySpace::TpuCmem;
  case tpu::MemorySpace::SemaphoreMem:
    return grid::MemorySpace::TpuSemaphoreMem;
  case tpu::MemorySpace::VmemShared:
    return grid::MemorySpace::TpuVmemShared;
  case tpu::MemorySpace::Host:
    return grid::MemorySpace::Host;
  }
  llvm_unreachable("every space of Mosaic is listed");
}

RaisingTypes::RaisingTypes() { addConversion(raiseType); }

Type raiseType(Type type) {
  return isa<VectorType>(type) ? getTensorType(type) : type;
}

RankedTensorType getTensorType(Type vector) {
  auto type = cast<VectorType>(vector);
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

MemRefType convertRef(MemRefType type) {
  MLIRContext *context = type.getContext();
  Type element = type.getElementType();
  if (isa<tpu::SemaphoreType>(element))
    element = grid::SemaphoreType::get(context, grid::SemaphoreKind::Regular);
  else if (isa<tpu::DMASemaphoreType>(element))
    element = grid::SemaphoreType::get(context, grid::SemaphoreKind::Dma);
  grid::MemorySpace space =
      getGridSpace(tpu::getMemorySpace(type).value_or(tpu::MemorySpace::Vmem));
  return MemRefType::get(type.getShape(), element, MemRefLayoutAttrInterface(),
                         grid::MemorySpaceAttr::get(context, space));
}

Value getRef(Value memref) {
  Value ref = lookThroughStandIn(memref);
  auto type = ref ? dyn_cast<MemRefType>(ref.getType()) : MemRefType();
  return type && isa<grid::MemorySpaceAttr>(type.getMemorySpace()) ? ref
                                                                   : Value();
}

Value createReshape(OpBuilder &builder, Location loc, Value value,
                    ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  auto all = [](int64_t rank) {
    return SmallVector<ReassociationIndices>{
        llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))};
  };
  // Through one dimension, which every shape collapses to.
  if (type.getRank() > 1)
    value = tensor::CollapseShapeOp::create(
        builder, loc,
        RankedTensorType::get({type.getNumElements()}, type.getElementType()),
        value, all(type.getRank()));
  if (shape.size() == 1)
    return value;
  return tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), value,
      all(shape.size()));
}

Value createFill(OpBuilder &builder, Location loc, Value value,
                 RankedTensorType type) {
  return linalg::FillOp::create(builder, loc, value,
                                createEmpty(builder, loc, type))
      .getResult(0);
}

} // namespace gridir::tpu_to_grid
