//===- Accesses.cpp - Loads, stores, copies and views of Mosaic as grid's --===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/TPUToLoops/Raising.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gridir::tpu_to_loops {
namespace {

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// A window of a Ref; the Ref itself where it is all of it.
Value createSlice(Raising &raising, Location loc, Value ref, ValueRange indices,
                  ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
                  ArrayRef<int64_t> dropped) {
  auto type = cast<MemRefType>(ref.getType());
  SmallVector<Value> offsets;
  SmallVector<int64_t> staticOffsets, shape;
  bool isWhole = dropped.empty() && sizes == type.getShape();
  for (Value index : indices) {
    std::optional<int64_t> constant = getConstantIntValue(index);
    isWhole &= constant == 0;
    staticOffsets.push_back(constant.value_or(ShapedType::kDynamic));
    if (!constant)
      offsets.push_back(raising.get(index));
  }
  if (isWhole)
    return ref;
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!llvm::is_contained(dropped, dim))
      shape.push_back(size);
  auto result =
      MemRefType::get(shape, type.getElementType(), MemRefLayoutAttrInterface(),
                      type.getMemorySpace());
  return grid::SliceRefOp::create(raising.builder, loc, result, ref, offsets,
                                  staticOffsets, sizes, strides, dropped);
}

/// The window of an access to a vector of `shape`, which may leave out leading
/// dimensions.
Value createWindow(Raising &raising, Operation *op, Value base,
                   ValueRange indices, ArrayRef<int64_t> shape,
                   ArrayRef<int32_t> strides = {}) {
  auto type = cast<MemRefType>(base.getType());
  int64_t lead = type.getRank() - static_cast<int64_t>(shape.size());
  SmallVector<int64_t> sizes(lead, 1), steps(type.getRank(), 1);
  llvm::append_range(sizes, shape);
  if (!strides.empty())
    steps.assign(strides.begin(), strides.end());
  auto dropped = llvm::to_vector(llvm::seq<int64_t>(0, lead));
  return createSlice(raising, op->getLoc(), raising.get(base), indices, sizes,
                     steps, dropped);
}

//===----------------------------------------------------------------------===//
// Between a Ref of bools and vectors of i32
//===----------------------------------------------------------------------===//

Type withElement(Type type, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(tensor.getShape(), element);
  return element;
}

bool holdsBools(Value ref) {
  return cast<MemRefType>(ref.getType()).getElementType().isInteger(1);
}

Value createLoad(Raising &raising, Location loc, Value window, Type type) {
  OpBuilder &builder = raising.builder;
  if (!holdsBools(window))
    return grid::LoadOp::create(builder, loc, type, window, Value(), Value());
  Value bools =
      grid::LoadOp::create(builder, loc, withElement(type, builder.getI1Type()),
                           window, Value(), Value());
  return arith::ExtUIOp::create(builder, loc, type, bools);
}

void createStore(Raising &raising, Location loc, Value value, Value window,
                 Value mask) {
  OpBuilder &builder = raising.builder;
  if (holdsBools(window)) {
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(value.getType()));
    value = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                  zero);
  }
  grid::StoreOp::create(builder, loc, value, window, mask);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

LogicalResult raiseLoad(vector::LoadOp op, Raising &raising) {
  Value window = createWindow(raising, op, op.getBase(), op.getIndices(),
                              op.getVectorType().getShape());
  raising.set(op.getResult(),
              createLoad(raising, op.getLoc(), window,
                         raising.convertType(op.getVectorType())));
  return success();
}

LogicalResult raiseVectorLoad(tpu::VectorLoadOp op, Raising &raising) {
  auto type = cast<VectorType>(op.getType());
  Value window =
      createWindow(raising, op, op.getBase(), op.getIndices(), type.getShape());
  // What the mask hides is unspecified, so that it may be read.
  raising.set(op.getResult(), createLoad(raising, op.getLoc(), window,
                                         raising.convertType(type)));
  return success();
}

LogicalResult raiseStridedLoad(tpu::StridedLoadOp op, Raising &raising) {
  auto type = cast<VectorType>(op.getType());
  Value window = createWindow(raising, op, op.getBase(), op.getIndices(),
                              type.getShape(), op.getStrides());
  raising.set(op.getResult(), createLoad(raising, op.getLoc(), window,
                                         raising.convertType(type)));
  return success();
}

LogicalResult raiseStore(vector::StoreOp op, Raising &raising) {
  Value window = createWindow(raising, op, op.getBase(), op.getIndices(),
                              op.getVectorType().getShape());
  createStore(raising, op.getLoc(), raising.get(op.getValueToStore()), window,
              Value());
  return success();
}

LogicalResult raiseVectorStore(tpu::VectorStoreOp op, Raising &raising) {
  auto type = cast<VectorType>(op.getValueToStore().getType());
  Value window =
      createWindow(raising, op, op.getBase(), op.getIndices(), type.getShape());
  Value value = raising.get(op.getValueToStore());
  Value mask = op.getMask() ? raising.get(op.getMask()) : Value();
  if (op.getAdd())
    grid::AccumulateOp::create(raising.builder, op.getLoc(), value, window,
                               mask);
  else
    createStore(raising, op.getLoc(), value, window, mask);
  return success();
}

LogicalResult raiseStridedStore(tpu::StridedStoreOp op, Raising &raising) {
  auto type = cast<VectorType>(op.getValueToStore().getType());
  Value window = createWindow(raising, op, op.getBase(), op.getIndices(),
                              type.getShape(), op.getStrides());
  createStore(raising, op.getLoc(), raising.get(op.getValueToStore()), window,
              Value());
  return success();
}

LogicalResult raiseScalarLoad(memref::LoadOp op, Raising &raising) {
  Value window = createWindow(raising, op, op.getMemRef(), op.getIndices(), {});
  raising.set(op.getResult(),
              createLoad(raising, op.getLoc(), window, op.getType()));
  return success();
}

LogicalResult raiseScalarStore(memref::StoreOp op, Raising &raising) {
  Value window = createWindow(raising, op, op.getMemRef(), op.getIndices(), {});
  createStore(raising, op.getLoc(), raising.get(op.getValueToStore()), window,
              Value());
  return success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

LogicalResult raiseSlice(tpu::MemRefSliceOp op, Raising &raising) {
  if (!op.getDynamicSizes().empty())
    return op.emitError("expected a window of static size in a module to "
                        "execute");
  auto type = cast<MemRefType>(op.getResult().getType());
  SmallVector<int64_t> strides(type.getRank(), 1);
  raising.set(op.getResult(),
              createSlice(raising, op.getLoc(), raising.get(op.getMemRef()),
                          op.getBaseIdx(), type.getShape(), strides, {}));
  return success();
}

LogicalResult raiseSqueeze(tpu::MemRefSqueezeOp op, Raising &raising) {
  auto from = cast<MemRefType>(op.getInput().getType());
  auto to = cast<MemRefType>(op.getResult().getType());
  Value source = raising.get(op.getInput());
  SmallVector<int64_t> dropped, offsets(from.getRank(), 0),
      strides(from.getRank(), 1);
  ArrayRef<int64_t> rest = to.getShape();
  for (auto [dim, size] : llvm::enumerate(from.getShape())) {
    if (!rest.empty() && rest.front() == size)
      rest = rest.drop_front();
    else
      dropped.push_back(dim);
  }
  auto type = cast<MemRefType>(source.getType());
  raising.set(
      op.getResult(),
      grid::SliceRefOp::create(
          raising.builder, op.getLoc(),
          MemRefType::get(to.getShape(), type.getElementType(),
                          MemRefLayoutAttrInterface(), type.getMemorySpace()),
          source, ValueRange(), offsets, from.getShape(), strides, dropped));
  return success();
}

LogicalResult raiseReshape(tpu::MemRefReshapeOp op, Raising &raising) {
  raising.set(op.getResult(),
              grid::ReshapeRefOp::create(
                  raising.builder, op.getLoc(),
                  raising.convertRef(cast<MemRefType>(op.getType())),
                  raising.get(op.getInput())));
  return success();
}

LogicalResult raiseBitcast(tpu::MemRefBitcastOp op, Raising &raising) {
  raising.set(op.getResult(),
              grid::BitcastRefOp::create(
                  raising.builder, op.getLoc(),
                  raising.convertRef(cast<MemRefType>(op.getType())),
                  raising.get(op.getInput())));
  return success();
}

//===----------------------------------------------------------------------===//
// Copies and semaphores
//===----------------------------------------------------------------------===//

LogicalResult raiseEnqueue(tpu::EnqueueDMAOp op, Raising &raising) {
  if (op.getDeviceId() || op.getCoreId())
    return op.emitError("expected a copy on one core in a module to execute");
  grid::CopyStartOp::create(
      raising.builder, op.getLoc(), raising.get(op.getSource()),
      raising.get(op.getTarget()), raising.get(op.getTargetSemaphore()),
      /*src_sem=*/Value(), /*device=*/ValueRange(), /*core=*/Value(),
      grid::DeviceIdTypeAttr());
  return success();
}

LogicalResult raiseWait(tpu::WaitDMA2Op op, Raising &raising) {
  if (op.getDeviceId() || op.getCoreId())
    return op.emitError("expected a copy on one core in a module to execute");
  grid::CopyWaitOp::create(raising.builder, op.getLoc(),
                           raising.get(op.getSrc()), raising.get(op.getDst()),
                           raising.get(op.getSemaphore()), ValueRange(),
                           grid::DeviceIdTypeAttr(), /*send=*/false);
  return success();
}

LogicalResult raiseSignal(tpu::SemaphoreSignalOp op, Raising &raising) {
  if (op.getDeviceId() || op.getCoreId())
    return op.emitError("expected a signal on one core in a module to execute");
  grid::SemaphoreSignalOp::create(raising.builder, op.getLoc(),
                                  raising.get(op.getSemaphore()),
                                  raising.get(op.getAmount()), ValueRange(),
                                  Value(), grid::DeviceIdTypeAttr());
  return success();
}

LogicalResult raiseSemaphoreWait(tpu::SemaphoreWaitOp op, Raising &raising) {
  grid::SemaphoreWaitOp::create(raising.builder, op.getLoc(),
                                raising.get(op.getSemaphore()),
                                raising.get(op.getAmount()), /*keep=*/false);
  return success();
}

LogicalResult raiseRead(tpu::SemaphoreReadOp op, Raising &raising) {
  raising.set(op.getResult(), grid::SemaphoreReadOp::create(
                                  raising.builder, op.getLoc(), op.getType(),
                                  raising.get(op.getSemaphore())));
  return success();
}

} // namespace

void addAccessRaisings(Raising &raising) {
  raising.add(raiseLoad);
  raising.add(raiseVectorLoad);
  raising.add(raiseStridedLoad);
  raising.add(raiseStore);
  raising.add(raiseVectorStore);
  raising.add(raiseStridedStore);
  raising.add(raiseScalarLoad);
  raising.add(raiseScalarStore);
  raising.add(raiseSlice);
  raising.add(raiseSqueeze);
  raising.add(raiseReshape);
  raising.add(raiseBitcast);
  raising.add(raiseEnqueue);
  raising.add(raiseWait);
  raising.add(raiseSignal);
  raising.add(raiseSemaphoreWait);
  raising.add(raiseRead);
}

} // namespace gridir::tpu_to_loops
