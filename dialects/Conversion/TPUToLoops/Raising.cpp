//===- Raising.cpp - From Mosaic's form of a kernel to grid's -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/TPUToLoops/Raising.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace gridir::tpu_to_loops {

grid::MemorySpace getGridSpace(tpu::MemorySpace space) {
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

Raising::Raising(OpBuilder &builder) : builder(builder) {
  addAccessRaisings(*this);
  addArithmeticRaisings(*this);
  addVectorRaisings(*this);
  addLookupRaisings(*this);
  addProgramRaisings(*this);
}

SmallVector<Value> Raising::get(ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return get(value); });
}

Type Raising::convertType(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return type;
  return RankedTensorType::get(vector.getShape(), vector.getElementType());
}

MemRefType Raising::convertRef(MemRefType type) {
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

LogicalResult Raising::raiseBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    auto handler = handlers.find(op.getName().getStringRef());
    if (handler != handlers.end()) {
      if (failed(handler->second(&op)))
        return failure();
      continue;
    }
    bool vectors =
        llvm::any_of(op.getResultTypes(), llvm::IsaPred<ShapedType>) ||
        llvm::any_of(op.getOperandTypes(), llvm::IsaPred<ShapedType>);
    if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op) ||
        (vectors && !OpTrait::hasElementwiseMappableTraits(&op)))
      return op.emitError("'")
             << op.getName() << "' is not supported in a module to execute";
    OperationState state(op.getLoc(), op.getName());
    state.addOperands(get(op.getOperands()));
    for (Type type : op.getResultTypes())
      state.addTypes(convertType(type));
    state.addAttributes(op.getDiscardableAttrDictionary().getValue());
    state.propertiesAttr = op.getPropertiesAsAttribute();
    for (auto [from, to] :
         llvm::zip_equal(op.getResults(), builder.create(state)->getResults()))
      set(from, to);
  }
  return success();
}

Value createEmpty(Raising &raising, Location loc, RankedTensorType type) {
  return tensor::EmptyOp::create(raising.builder, loc, type.getShape(),
                                 type.getElementType());
}

Value createReshape(Raising &raising, Location loc, Value value,
                    ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  OpBuilder &builder = raising.builder;
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

Value createFill(Raising &raising, Location loc, Value value,
                 RankedTensorType type) {
  return linalg::FillOp::create(raising.builder, loc, value,
                                createEmpty(raising, loc, type))
      .getResult(0);
}

} // namespace gridir::tpu_to_loops
