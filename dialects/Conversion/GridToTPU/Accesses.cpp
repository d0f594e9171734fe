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
      return op->emitError("expected one element of a Ref in SMEM, got ")
             << value << "; index every dimension, or place the Ref in VMEM";
    return success();
  }
  if (space != tpu::MemorySpace::Vmem)
    return op->emitError("expected a Ref in VMEM or SMEM, got one in ")
           << tpu::stringifyMemorySpace(*space)
           << "; copy it to VMEM first, with pltpu.async_copy";
  if (view.getBaseType().getRank() == 0)
    return op->emitError("expected a Ref of rank 1 or more in VMEM, got rank "
                         "0; place it in SMEM, or add a dimension of size 1");
  return success();
}

SmallVector<Value> getIndices(Lowering &lowering, Location loc,
                              const View &view) {
  return llvm::map_to_vector(view.offsets, [&](OpFoldResult offset) {
    return toIndex(lowering.builder, loc, offset);
  });
}

//===----------------------------------------------------------------------===//
// Conversions between values in memory and vectors
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
  value = createTranspose(builder, loc, value, view.getPermutation());
  if (view.reshaped)
    value = createShapeCast(builder, loc, value, typeOf(*view.reshaped));
  return value;
}

Value refToWindow(Lowering &lowering, Location loc, const View &view,
                  Value value) {
  Type element = getElementTypeOrSelf(value);
  OpBuilder &builder = lowering.builder;
  if (!view.sizes.empty())
    value = createShapeCast(builder, loc, value,
                            VectorType::get(view.sizes, element));
  if (view.isPermuted())
    value = createTranspose(builder, loc, value,
                            invertPermutationVector(view.getPermutation()));
  return createShapeCast(builder, loc, value,
                         VectorType::get(view.getMemorySizes(), element));
}

//===----------------------------------------------------------------------===//
// The ops
//===----------------------------------------------------------------------===//

/// True if Mosaic supports strided accesses to rows of a Ref: rows of one
/// register with 32-bit elements.
bool hasStridedAccess(const View &view) {
  MemRefType type = view.getBaseType();
  return view.strides.back() == 1 && type.getShape().back() == 128 &&
         type.getElementTypeBitWidth() == 32;
}

/// A view of all from the first element to the last.
View getSpan(const View &view) {
  View span = view;
  for (auto [dim, size] : llvm::zip_equal(span.dims, span.sizes))
    size = (size - 1) * span.strides[dim] + 1;
  span.strides.assign(span.strides.size(), 1);
  return span;
}

Value createVectorLoad(OpBuilder &builder, Location loc, const View &view,
                       ValueRange indices) {
  SmallVector<int64_t> sizes = view.getMemorySizes();
  auto type = VectorType::get(sizes, view.getBaseType().getElementType());
  if (view.hasUnitStrides())
    return vector::LoadOp::create(builder, loc, type, view.base, indices);
  if (hasStridedAccess(view))
    return tpu::StridedLoadOp::create(
        builder, loc, type, view.base, indices,
        llvm::to_vector_of<int32_t>(view.strides));
  Value value = createVectorLoad(builder, loc, getSpan(view), indices);
  for (auto [dim, stride] : llvm::enumerate(view.strides))
    if (stride != 1)
      value =
          createStridedPart(builder, loc, value, dim, 0, sizes[dim], stride);
  return value;
}

void createVectorStore(OpBuilder &builder, Location loc, Value value,
                       const View &view, ValueRange indices) {
  if (view.hasUnitStrides()) {
    tpu::VectorStoreOp::create(builder, loc, value, view.base, indices,
                               ArrayRef<int32_t>(), /*mask=*/Value());
    return;
  }
  if (hasStridedAccess(view)) {
    tpu::StridedStoreOp::create(builder, loc, value, view.base, indices,
                                llvm::to_vector_of<int32_t>(view.strides));
    return;
  }
  // The elements in between are stored unchanged.
  View span = getSpan(view);
  Value old = createVectorLoad(builder, loc, span, indices);
  SmallVector<Value> starts(view.offsets.size(), createI32(builder, loc, 0));
  createVectorStore(
      builder, loc,
      createInserted(builder, loc, value, old, starts, view.strides), span,
      indices);
}

Value createLoad(Lowering &lowering, Location loc, const View &view) {
  OpBuilder &builder = lowering.builder;
  SmallVector<Value> indices = getIndices(lowering, loc, view);
  Value value;
  if (isInScalarMemory(view)) {
    value = memref::LoadOp::create(builder, loc, view.base, indices);
    return fromStorage(lowering, loc, value, view.elementType);
  }
  value = createVectorLoad(builder, loc, view, indices);
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
      return op->emitError("expected no mask for an element in SMEM");
    memref::StoreOp::create(builder, loc, toStorage(lowering, loc, value),
                            view.base, indices);
    return success();
  }
  value = refToWindow(lowering, loc, view, toStorage(lowering, loc, value));
  if (!mask) {
    createVectorStore(builder, loc, value, view, indices);
    return success();
  }
  mask = refToWindow(lowering, loc, view, mask);
  Type element = getElementTypeOrSelf(value), wide = getWideElement(element);
  if (view.hasUnitStrides() && wide == element) {
    tpu::VectorStoreOp::create(builder, loc, value, view.base, indices,
                               ArrayRef<int32_t>(), mask);
    return success();
  }
  // Mosaic supports masks of consecutive words. Other masked elements are
  // stored unchanged.
  Value old = createVectorLoad(builder, loc, view, indices);
  Value chosen = arith::SelectOp::create(
      builder, loc, mask, createElementCast(builder, loc, value, wide),
      createElementCast(builder, loc, old, wide));
  createVectorStore(builder, loc,
                    createElementCast(builder, loc, chosen, element), view,
                    indices);
  return success();
}

LogicalResult lowerLoad(grid::LoadOp op, Lowering &lowering) {
  const View &view = lowering.getView(op.getRef());
  if (failed(verifyAccess(op, view, op.getResult().getType())))
    return failure();
  Value value = createLoad(lowering, op.getLoc(), view);
  // A window lies inside its Ref: masked elements are read and not used.
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
