//===- Accesses.cpp - Loads and stores ------------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToTPU/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace gridir::grid_to_tpu {
namespace {

//===----------------------------------------------------------------------===//
// Scalar memory
//===----------------------------------------------------------------------===//

bool isInScalarMemory(const View &view) {
  return tpu::getMemorySpace(view.getBaseType()) == tpu::MemorySpace::Smem;
}

/// Loads and stores move vectors of VMEM and numbers of SMEM.
LogicalResult verifyAccess(Operation *op, const View &view, Type value) {
  std::optional<tpu::MemorySpace> space =
      tpu::getMemorySpace(view.getBaseType());
  if (space == tpu::MemorySpace::Smem) {
    if (isa<RankedTensorType>(value))
      return op->emitError("expected one number of a Ref in SMEM, got ")
             << value << "; index every dimension, or place the Ref in VMEM";
    return success();
  }
  if (space != tpu::MemorySpace::Vmem)
    return op->emitError("expected a Ref in VMEM or SMEM, got one in ")
           << tpu::stringifyMemorySpace(*space)
           << "; copy it to VMEM first, with pltpu.async_copy";
  if (view.getBaseType().getRank() == 0)
    return op->emitError("expected a Ref of one dimension or more in VMEM, got "
                         "one of none; place it in SMEM, or give it a "
                         "dimension of size 1");
  return success();
}

SmallVector<Value> getIndices(Lowering &lowering, Location loc,
                              const View &view) {
  return llvm::map_to_vector(view.offsets, [&](OpFoldResult offset) {
    return toIndex(lowering.builder, loc, offset);
  });
}

//===----------------------------------------------------------------------===//
// Between what memory holds and what a value is
//===----------------------------------------------------------------------===//

/// A bool in memory is an i32 that is not zero.
Value fromStorage(Lowering &lowering, Location loc, Value value,
                  Type elementType) {
  if (!elementType.isInteger(1))
    return value;
  Value zero = createZero(lowering.builder, loc, value.getType());
  return arith::CmpIOp::create(lowering.builder, loc, arith::CmpIPredicate::ne,
                               value, zero);
}

Value toStorage(Lowering &lowering, Location loc, Value value) {
  if (!getElementTypeOrSelf(value).isInteger(1))
    return value;
  return arith::ExtUIOp::create(
      lowering.builder, loc,
      withElementType(value.getType(), lowering.builder.getI32Type()), value);
}

/// The value of a Ref from that of its window, and back.
Value windowToRef(Lowering &lowering, Location loc, const View &view,
                  Value value) {
  Type element = getElementTypeOrSelf(value);
  OpBuilder &builder = lowering.builder;
  auto typeOf = [&](ArrayRef<int64_t> shape) -> Type {
    return shape.empty() ? element : VectorType::get(shape, element);
  };
  value = createShapeCast(builder, loc, value, typeOf(view.getKeptShape()));
  value = createTranspose(builder, loc, value, view.permutation);
  if (view.reshaped)
    value = createShapeCast(builder, loc, value, typeOf(*view.reshaped));
  return value;
}

Value refToWindow(Lowering &lowering, Location loc, const View &view,
                  Value value) {
  Type element = getElementTypeOrSelf(value);
  OpBuilder &builder = lowering.builder;
  SmallVector<int64_t> kept = view.getKeptShape();
  SmallVector<int64_t> permuted = llvm::map_to_vector(
      view.permutation, [&](int64_t dim) { return kept[dim]; });
  if (!permuted.empty())
    value = createShapeCast(builder, loc, value,
                            VectorType::get(permuted, element));
  if (view.isPermuted())
    value = createTranspose(builder, loc, value,
                            invertPermutationVector(view.permutation));
  return createShapeCast(builder, loc, value,
                         VectorType::get(view.sizes, element));
}

//===----------------------------------------------------------------------===//
// The ops
//===----------------------------------------------------------------------===//

Value createLoad(Lowering &lowering, Location loc, const View &view) {
  OpBuilder &builder = lowering.builder;
  SmallVector<Value> indices = getIndices(lowering, loc, view);
  Value value;
  if (isInScalarMemory(view)) {
    value = memref::LoadOp::create(builder, loc, view.base, indices);
    return fromStorage(lowering, loc, value, view.elementType);
  }
  auto type = VectorType::get(view.sizes, view.getBaseType().getElementType());
  if (view.hasUnitStrides()) {
    value = vector::LoadOp::create(builder, loc, type, view.base, indices);
  } else {
    SmallVector<int32_t> strides(view.strides.begin(), view.strides.end());
    value = tpu::StridedLoadOp::create(builder, loc, type, view.base, indices,
                                       strides);
  }
  value = fromStorage(lowering, loc, value, view.elementType);
  return windowToRef(lowering, loc, view, value);
}

LogicalResult createStore(Lowering &lowering, Operation *op, const View &view,
                          Value value, Value mask) {
  OpBuilder &builder = lowering.builder;
  Location loc = op->getLoc();
  SmallVector<Value> indices = getIndices(lowering, loc, view);
  if (isInScalarMemory(view)) {
    if (mask)
      return op->emitError("expected no mask for a number in SMEM");
    memref::StoreOp::create(builder, loc, toStorage(lowering, loc, value),
                            view.base, indices);
    return success();
  }
  value = refToWindow(lowering, loc, view, toStorage(lowering, loc, value));
  if (mask)
    mask = refToWindow(lowering, loc, view, mask);
  if (view.hasUnitStrides()) {
    tpu::VectorStoreOp::create(builder, loc, value, view.base, indices,
                               ArrayRef<int32_t>(), mask);
    return success();
  }
  if (mask)
    return op->emitError("expected no mask for a store with strides");
  SmallVector<int32_t> strides(view.strides.begin(), view.strides.end());
  tpu::StridedStoreOp::create(builder, loc, value, view.base, indices, strides);
  return success();
}

LogicalResult lowerLoad(grid::LoadOp op, Lowering &lowering) {
  const View &view = lowering.getView(op.getRef());
  if (failed(verifyAccess(op, view, op.getResult().getType())))
    return failure();
  Value value = createLoad(lowering, op.getLoc(), view);
  // A window lies inside its Ref: what the mask hides is read and not used.
  if (op.getMask() && op.getOther())
    value = arith::SelectOp::create(lowering.builder, op.getLoc(),
                                    lowering.get(op.getMask()), value,
                                    lowering.get(op.getOther()));
  lowering.set(op.getResult(), value);
  return success();
}

LogicalResult lowerStore(grid::StoreOp op, Lowering &lowering) {
  const View &view = lowering.getView(op.getRef());
  if (failed(verifyAccess(op, view, op.getValue().getType())))
    return failure();
  return createStore(lowering, op, view, lowering.get(op.getValue()),
                     op.getMask() ? lowering.get(op.getMask()) : Value());
}

LogicalResult lowerAccumulate(grid::AccumulateOp op, Lowering &lowering) {
  const View &view = lowering.getView(op.getRef());
  if (failed(verifyAccess(op, view, op.getValue().getType())))
    return failure();
  Value held = createLoad(lowering, op.getLoc(), view);
  Value value = lowering.get(op.getValue());
  Value sum = createAdd(lowering.builder, op.getLoc(), held, value);
  return createStore(lowering, op, view, sum,
                     op.getMask() ? lowering.get(op.getMask()) : Value());
}

} // namespace

void addAccessLowerings(Handlers &handlers) {
  handlers.add(lowerLoad);
  handlers.add(lowerStore);
  handlers.add(lowerAccumulate);
}

} // namespace gridir::grid_to_tpu
