//===- Accesses.cpp - Loads, stores, copies and views of Mosaic as grid's --===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/TPUToGrid/Raising.h"
#include "dialects/Support/Builders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gridir::tpu_to_grid {
namespace {

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Creates a window of a Ref, or returns the Ref if the window is all of it.
Value createSlice(OpBuilder &builder, Location loc, Value ref,
                  ValueRange indices, ArrayRef<int64_t> sizes,
                  ArrayRef<int64_t> strides, ArrayRef<int64_t> dropped) {
  auto type = cast<MemRefType>(ref.getType());
  SmallVector<Value> offsets;
  SmallVector<int64_t> staticOffsets, shape;
  bool isWhole = dropped.empty() && sizes == type.getShape();
  for (Value index : indices) {
    std::optional<int64_t> constant = getConstantIntValue(index);
    isWhole &= constant == 0;
    staticOffsets.push_back(constant.value_or(ShapedType::kDynamic));
    if (!constant)
      offsets.push_back(index);
  }
  if (isWhole)
    return ref;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!llvm::is_contained(dropped, dim))
      shape.push_back(size);
  auto result =
      MemRefType::get(shape, type.getElementType(), MemRefLayoutAttrInterface(),
                      type.getMemorySpace());
  return grid::SliceRefOp::create(builder, loc, result, ref, offsets,
                                  staticOffsets, sizes, strides, dropped);
}

/// Returns the window of an access to a vector of `shape`, which may omit
/// leading dimensions, or null if the memref is not a Ref.
Value createWindow(OpBuilder &builder, Location loc, Value base,
                   ValueRange indices, ArrayRef<int64_t> shape,
                   ArrayRef<int32_t> strides = {}) {
  Value ref = getRef(base);
  if (!ref)
    return {};
  int64_t rank = cast<MemRefType>(ref.getType()).getRank();
  int64_t lead = rank - static_cast<int64_t>(shape.size());
  SmallVector<int64_t> sizes(lead, 1), steps(rank, 1);
  llvm::append_range(sizes, shape);
  if (!strides.empty())
    steps.assign(strides.begin(), strides.end());
  auto dropped = llvm::to_vector(llvm::seq<int64_t>(0, lead));
  return createSlice(builder, loc, ref, indices, sizes, steps, dropped);
}

//===----------------------------------------------------------------------===//
// Between a Ref of bools and vectors of i32
//===----------------------------------------------------------------------===//

bool holdsBools(Value ref) {
  return cast<MemRefType>(ref.getType()).getElementType().isInteger(1);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

LogicalResult replaceByLoad(Rewriter &rewriter, Operation *op, Value window) {
  if (!window)
    return failure();
  Type type = raiseType(op->getResultTypes().front());
  if (!holdsBools(window)) {
    rewriter.replaceOpWithNewOp<grid::LoadOp>(op, type, window, Value(),
                                              Value());
    return success();
  }
  Value bools = grid::LoadOp::create(
      rewriter, op->getLoc(), withElementType(type, rewriter.getI1Type()),
      window, Value(), Value());
  rewriter.replaceOpWithNewOp<arith::ExtUIOp>(op, type, bools);
  return success();
}

LogicalResult replaceByStore(Rewriter &rewriter, Operation *op, Value value,
                             Value window, Value mask = {}) {
  if (!window)
    return failure();
  if (holdsBools(window))
    value = arith::CmpIOp::create(
        rewriter, op->getLoc(), arith::CmpIPredicate::ne, value,
        createZero(rewriter, op->getLoc(), value.getType()));
  rewriter.replaceOpWithNewOp<grid::StoreOp>(op, value, window, mask);
  return success();
}

/// Masked elements of a load are unspecified, so they may be read.
template <typename OpT>
LogicalResult raiseLoad(OpT op, typename OpT::Adaptor adaptor,
                        Rewriter &rewriter) {
  auto type = cast<VectorType>(op.getResult().getType());
  return replaceByLoad(rewriter, op,
                       createWindow(rewriter, op.getLoc(), adaptor.getBase(),
                                    adaptor.getIndices(), type.getShape()));
}

LogicalResult raiseStridedLoad(tpu::StridedLoadOp op,
                               tpu::StridedLoadOp::Adaptor adaptor,
                               Rewriter &rewriter) {
  auto type = cast<VectorType>(op.getType());
  return replaceByLoad(rewriter, op,
                       createWindow(rewriter, op.getLoc(), adaptor.getBase(),
                                    adaptor.getIndices(), type.getShape(),
                                    op.getStrides()));
}

LogicalResult raiseScalarLoad(memref::LoadOp op,
                              memref::LoadOp::Adaptor adaptor,
                              Rewriter &rewriter) {
  return replaceByLoad(rewriter, op,
                       createWindow(rewriter, op.getLoc(), adaptor.getMemref(),
                                    adaptor.getIndices(), {}));
}

LogicalResult raiseStore(vector::StoreOp op, vector::StoreOp::Adaptor adaptor,
                         Rewriter &rewriter) {
  return replaceByStore(rewriter, op, adaptor.getValueToStore(),
                        createWindow(rewriter, op.getLoc(), adaptor.getBase(),
                                     adaptor.getIndices(),
                                     op.getVectorType().getShape()));
}

LogicalResult raiseVectorStore(tpu::VectorStoreOp op,
                               tpu::VectorStoreOp::Adaptor adaptor,
                               Rewriter &rewriter) {
  auto type = cast<VectorType>(op.getValueToStore().getType());
  Value window = createWindow(rewriter, op.getLoc(), adaptor.getBase(),
                              adaptor.getIndices(), type.getShape());
  if (!op.getAdd())
    return replaceByStore(rewriter, op, adaptor.getValueToStore(), window,
                          adaptor.getMask());
  if (!window)
    return failure();
  rewriter.replaceOpWithNewOp<grid::AccumulateOp>(op, adaptor.getValueToStore(),
                                                  window, adaptor.getMask());
  return success();
}

LogicalResult raiseStridedStore(tpu::StridedStoreOp op,
                                tpu::StridedStoreOp::Adaptor adaptor,
                                Rewriter &rewriter) {
  auto type = cast<VectorType>(op.getValueToStore().getType());
  return replaceByStore(rewriter, op, adaptor.getValueToStore(),
                        createWindow(rewriter, op.getLoc(), adaptor.getBase(),
                                     adaptor.getIndices(), type.getShape(),
                                     op.getStrides()));
}

LogicalResult raiseScalarStore(memref::StoreOp op,
                               memref::StoreOp::Adaptor adaptor,
                               Rewriter &rewriter) {
  return replaceByStore(rewriter, op, adaptor.getValue(),
                        createWindow(rewriter, op.getLoc(), adaptor.getMemref(),
                                     adaptor.getIndices(), {}));
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

LogicalResult raiseSlice(tpu::MemRefSliceOp op,
                         tpu::MemRefSliceOp::Adaptor adaptor,
                         Rewriter &rewriter) {
  if (!op.getDynamicSizes().empty())
    return op.emitError(
        "expected a window of static size in an executable module");
  Value ref = getRef(adaptor.getMemRef());
  if (!ref)
    return failure();
  auto type = cast<MemRefType>(op.getResult().getType());
  SmallVector<int64_t> strides(type.getRank(), 1);
  replaceByStandIn(rewriter, op,
                   createSlice(rewriter, op.getLoc(), ref, adaptor.getBaseIdx(),
                               type.getShape(), strides, {}));
  return success();
}

LogicalResult raiseSqueeze(tpu::MemRefSqueezeOp op,
                           tpu::MemRefSqueezeOp::Adaptor adaptor,
                           Rewriter &rewriter) {
  Value ref = getRef(adaptor.getInput());
  if (!ref)
    return failure();
  auto from = cast<MemRefType>(op.getInput().getType());
  auto to = cast<MemRefType>(op.getResult().getType());
  SmallVector<int64_t> dropped, strides(from.getRank(), 1);
  ArrayRef<int64_t> rest = to.getShape();
  for (auto [dim, size] : llvm::enumerate(from.getShape())) {
    if (!rest.empty() && rest.front() == size)
      rest = rest.drop_front();
    else
      dropped.push_back(dim);
  }
  SmallVector<Value> offsets(from.getRank(),
                             createIndex(rewriter, op.getLoc(), 0));
  replaceByStandIn(rewriter, op,
                   createSlice(rewriter, op.getLoc(), ref, offsets,
                               from.getShape(), strides, dropped));
  return success();
}

/// A view that its type describes completely.
template <typename OpT, typename GridOpT>
LogicalResult raiseView(OpT op, typename OpT::Adaptor adaptor,
                        Rewriter &rewriter) {
  Value ref = getRef(adaptor.getInput());
  if (!ref)
    return failure();
  replaceByStandIn(rewriter, op,
                   GridOpT::create(rewriter, op.getLoc(),
                                   convertRef(cast<MemRefType>(op.getType())),
                                   ref));
  return success();
}

//===----------------------------------------------------------------------===//
// Copies and semaphores
//===----------------------------------------------------------------------===//

LogicalResult raiseEnqueue(tpu::EnqueueDMAOp op,
                           tpu::EnqueueDMAOp::Adaptor adaptor,
                           Rewriter &rewriter) {
  if (op.getDeviceId() || op.getCoreId())
    return op.emitError("expected a copy on one core in an executable module");
  Value source = getRef(adaptor.getSource());
  Value target = getRef(adaptor.getTarget());
  Value semaphore = getRef(adaptor.getTargetSemaphore());
  if (!source || !target || !semaphore)
    return failure();
  rewriter.replaceOpWithNewOp<grid::CopyStartOp>(
      op, source, target, semaphore, /*src_sem=*/Value(),
      /*device=*/ValueRange(), /*core=*/Value(), grid::DeviceIdTypeAttr());
  return success();
}

LogicalResult raiseWait(tpu::WaitDMA2Op op, tpu::WaitDMA2Op::Adaptor adaptor,
                        Rewriter &rewriter) {
  if (op.getDeviceId() || op.getCoreId())
    return op.emitError("expected a copy on one core in an executable module");
  Value source = getRef(adaptor.getSrc()), target = getRef(adaptor.getDst());
  Value semaphore = getRef(adaptor.getSemaphore());
  if (!source || !target || !semaphore)
    return failure();
  rewriter.replaceOpWithNewOp<grid::CopyWaitOp>(
      op, source, target, semaphore, ValueRange(), grid::DeviceIdTypeAttr(),
      /*send=*/false);
  return success();
}

LogicalResult raiseSignal(tpu::SemaphoreSignalOp op,
                          tpu::SemaphoreSignalOp::Adaptor adaptor,
                          Rewriter &rewriter) {
  if (op.getDeviceId() || op.getCoreId())
    return op.emitError(
        "expected a signal on one core in an executable module");
  Value semaphore = getRef(adaptor.getSemaphore());
  if (!semaphore)
    return failure();
  rewriter.replaceOpWithNewOp<grid::SemaphoreSignalOp>(
      op, semaphore, adaptor.getAmount(), ValueRange(), Value(),
      grid::DeviceIdTypeAttr());
  return success();
}

LogicalResult raiseSemaphoreWait(tpu::SemaphoreWaitOp op,
                                 tpu::SemaphoreWaitOp::Adaptor adaptor,
                                 Rewriter &rewriter) {
  Value semaphore = getRef(adaptor.getSemaphore());
  if (!semaphore)
    return failure();
  rewriter.replaceOpWithNewOp<grid::SemaphoreWaitOp>(
      op, semaphore, adaptor.getAmount(), /*keep=*/false);
  return success();
}

LogicalResult raiseRead(tpu::SemaphoreReadOp op,
                        tpu::SemaphoreReadOp::Adaptor adaptor,
                        Rewriter &rewriter) {
  Value semaphore = getRef(adaptor.getSemaphore());
  if (!semaphore)
    return failure();
  rewriter.replaceOpWithNewOp<grid::SemaphoreReadOp>(op, op.getType(),
                                                     semaphore);
  return success();
}

} // namespace

void populateAccessPatterns(ConversionPatterns &patterns) {
  patterns.add(raiseLoad<vector::LoadOp>);
  patterns.add(raiseLoad<tpu::VectorLoadOp>);
  patterns.add(raiseStridedLoad);
  patterns.add(raiseScalarLoad);
  patterns.add(raiseStore);
  patterns.add(raiseVectorStore);
  patterns.add(raiseStridedStore);
  patterns.add(raiseScalarStore);
  patterns.add(raiseSlice);
  patterns.add(raiseSqueeze);
  patterns.add(raiseView<tpu::MemRefReshapeOp, grid::ReshapeRefOp>);
  patterns.add(raiseView<tpu::MemRefBitcastOp, grid::BitcastRefOp>);
  patterns.add(raiseEnqueue);
  patterns.add(raiseWait);
  patterns.add(raiseSignal);
  patterns.add(raiseSemaphoreWait);
  patterns.add(raiseRead);
}

} // namespace gridir::tpu_to_grid
