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

/// The space of a Ref: what belongs to no TPU has the name that every target
/// knows.
static Attribute getGridSpace(MLIRContext *context, tpu::MemorySpace space) {
  switch (space) {
  case tpu::MemorySpace::Any:
    return grid::MemorySpaceAttr::get(context, grid::MemorySpace::Any);
  case tpu::MemorySpace::Host:
    return grid::MemorySpaceAttr::get(context, grid::MemorySpace::Host);
  default:
    // Another core's memory is that of all cores in a grid kernel.
    return tpu::MemorySpaceAttr::get(context, space);
  }
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
  return MemRefType::get(
      type.getShape(), element, MemRefLayoutAttrInterface(),
      getGridSpace(context,
                   tpu::getMemorySpace(type).value_or(tpu::MemorySpace::Vmem)));
}

bool isRefType(BaseMemRefType type) {
  // `convertRef` changes all memrefs of Mosaic that differ from Refs.
  auto memref = dyn_cast<MemRefType>(type);
  return memref &&
         isa_and_present<grid::MemorySpaceAttrInterface>(
             memref.getMemorySpace()) &&
         (isa<grid::MemorySpaceAttr>(memref.getMemorySpace()) ||
          convertRef(memref) == memref);
}

Value getRef(Value memref) {
  // A memref whose type is that of a Ref has no cast.
  Value ref = lookThroughStandIn(memref);
  if (!ref)
    ref = memref;
  auto type = dyn_cast<MemRefType>(ref.getType());
  return type && isRefType(type) ? ref : Value();
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
