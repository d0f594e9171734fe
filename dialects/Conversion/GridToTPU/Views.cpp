//===- Views.cpp - Refs as windows of memrefs -----------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToTPU/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gridir::grid_to_tpu {
namespace {

/// Returns the view of a Ref as a window of its base. Another shape of a window
/// is a memref of its own, or no memref at all.
FailureOr<View> getUnreshapedView(Lowering &lowering, Operation *op,
                                  Value ref) {
  const View &view = lowering.getView(ref);
  if (!view.reshaped)
    return view;
  FailureOr<Value> memref = createMemRef(lowering, op, view);
  if (failed(memref))
    return failure();
  return getWholeView(*memref, view.elementType);
}

LogicalResult lowerSliceRef(grid::SliceRefOp op, Lowering &lowering) {
  FailureOr<View> view = getUnreshapedView(lowering, op, op.getSource());
  if (failed(view))
    return failure();
  view->slice(lowering.builder, op,
              [&](Value offset) { return lowering.get(offset); });
  lowering.setView(op.getResult(), std::move(*view));
  return success();
}

LogicalResult lowerTransposeRef(grid::TransposeRefOp op, Lowering &lowering) {
  FailureOr<View> view = getUnreshapedView(lowering, op, op.getSource());
  if (failed(view))
    return failure();
  view->transpose(op.getPermutation());
  lowering.setView(op.getResult(), std::move(*view));
  return success();
}

LogicalResult lowerReshapeRef(grid::ReshapeRefOp op, Lowering &lowering) {
  View view = lowering.getView(op.getSource());
  ArrayRef<int64_t> shape = op.getResult().getType().getShape();
  view.reshaped = SmallVector<int64_t>(shape);
  lowering.setView(op.getResult(), std::move(view));
  return success();
}

LogicalResult lowerBitcastRef(grid::BitcastRefOp op, Lowering &lowering) {
  View view = lowering.getView(op.getSource());
  FailureOr<Value> memref = createMemRef(lowering, op, view);
  if (failed(memref))
    return failure();
  auto type = cast<MemRefType>(memref->getType());
  if (type.getRank() < 2)
    return op.emitError("expected a Ref of two dimensions or more for a "
                        "bitcast on a TPU, got ")
           << op.getSource().getType();
  if (view.elementType.isInteger(1))
    return op.emitError("expected a Ref of numbers for a bitcast on a TPU, got "
                        "one of bools");
  MemRefType result = op.getResult().getType();
  auto bitcast = tpu::MemRefBitcastOp::create(
      lowering.builder, op.getLoc(),
      MemRefType::get(result.getShape(), result.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace()),
      *memref);
  lowering.setView(op.getResult(),
                   getWholeView(bitcast, result.getElementType()));
  return success();
}

} // namespace

FailureOr<Value> createMemRef(Lowering &lowering, Operation *op,
                              const View &view) {
  if (!view.hasUnitStrides() || view.isPermuted())
    return op->emitError("expected a window without strides or transposes on a "
                         "TPU; load the Ref and transform the value instead");
  OpBuilder &builder = lowering.builder;
  Location loc = op->getLoc();
  MemRefType base = view.getBaseType();
  auto typeOf = [&](ArrayRef<int64_t> shape) {
    return MemRefType::get(shape, base.getElementType(),
                           MemRefLayoutAttrInterface(), base.getMemorySpace());
  };
  Value memref = view.base;
  SmallVector<int64_t> shape(base.getShape());
  SmallVector<OpFoldResult> offsets = view.offsets;
  SmallVector<int64_t> sizes = view.getMemorySizes();
  SmallVector<Value> dynamicSizes = llvm::to_vector(llvm::make_filter_range(
      view.dynamicSizes, [](Value size) { return static_cast<bool>(size); }));
  auto slice = [&](ArrayRef<OpFoldResult> starts, ArrayRef<int64_t> extents) {
    auto values = llvm::map_to_vector(starts, [&](OpFoldResult offset) {
      return toI32(builder, loc, offset);
    });
    memref = tpu::MemRefSliceOp::create(
        builder, loc, typeOf(extents), memref, values,
        ShapedType::isDynamicShape(extents) ? ValueRange(dynamicSizes)
                                            : ValueRange());
  };
  // Leading indices are applied one by one, so that windows with equal leading
  // indices share a memref and Mosaic's checks.
  int64_t numLeading = 0;
  const int64_t rank = base.getRank();
  while (numLeading + 2 < rank && !llvm::is_contained(view.dims, numLeading) &&
         !getConstantIntValue(offsets.front())) {
    SmallVector<OpFoldResult> starts(shape.size(),
                                     builder.getI32IntegerAttr(0));
    starts.front() = offsets.front();
    shape.front() = 1;
    slice(starts, shape);
    shape.erase(shape.begin());
    memref = tpu::MemRefSqueezeOp::create(builder, loc, typeOf(shape), memref);
    offsets.erase(offsets.begin());
    sizes.erase(sizes.begin());
    ++numLeading;
  }
  if (sizes != shape)
    slice(offsets, sizes);
  SmallVector<int64_t> kept = view.getKeptShape();
  if (kept.size() != sizes.size())
    memref = tpu::MemRefSqueezeOp::create(builder, loc, typeOf(kept), memref);
  if (view.reshaped && ArrayRef(*view.reshaped) != ArrayRef(kept)) {
    ArrayRef<int64_t> shape = *view.reshaped;
    if (kept.size() < 2 || shape.size() < 2 || kept.back() != shape.back())
      return op->emitError("expected a reshape of a Ref that keeps its last "
                           "dimension, got ")
             << typeOf(kept) << " to " << typeOf(shape)
             << "; load the Ref and reshape the value instead";
    memref = tpu::MemRefReshapeOp::create(builder, loc, typeOf(shape), memref);
  }
  return memref;
}

void addViewLowerings(Handlers &handlers) {
  handlers.add(lowerSliceRef);
  handlers.add(lowerTransposeRef);
  handlers.add(lowerReshapeRef);
  handlers.add(lowerBitcastRef);
}

} // namespace gridir::grid_to_tpu
