//===- Async.cpp - Copies and semaphores ----------------------------------===//
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

FailureOr<Value> getMemRef(Lowering &lowering, Operation *op, Value ref) {
  return createMemRef(lowering, op, lowering.getView(ref));
}

/// The logical number of a remote device; none for a copy on this one.
FailureOr<Value> getDevice(Lowering &lowering, Operation *op, ValueRange device,
                           std::optional<grid::DeviceIdType> type) {
  if (device.empty())
    return Value();
  if (type != grid::DeviceIdType::Logical)
    return op->emitError("expected a logical device number on a TPU, got mesh "
                         "coordinates; use DeviceIdType.LOGICAL");
  return toI32(lowering.builder, op->getLoc(), lowering.get(device.front()));
}

LogicalResult lowerCopyStart(grid::CopyStartOp op, Lowering &lowering) {
  if (op.getAdd())
    return op.emitError("expected a copy without add on a TensorCore");
  FailureOr<Value> source = getMemRef(lowering, op, op.getSource());
  FailureOr<Value> target = getMemRef(lowering, op, op.getDest());
  FailureOr<Value> semaphore = getMemRef(lowering, op, op.getSem());
  FailureOr<Value> sourceSemaphore = Value();
  if (op.getSrcSem())
    sourceSemaphore = getMemRef(lowering, op, op.getSrcSem());
  FailureOr<Value> device =
      getDevice(lowering, op, op.getDevice(), op.getDeviceIdType());
  if (failed(source) || failed(target) || failed(semaphore) ||
      failed(sourceSemaphore) || failed(device))
    return failure();
  tpu::EnqueueDMAOp::create(
      lowering.builder, op.getLoc(), *source, *sourceSemaphore, *target,
      *semaphore, *device, op.getCore() ? lowering.get(op.getCore()) : Value(),
      /*subcore_id=*/Value(), static_cast<uint32_t>(op.getPriority()),
      /*strict_ordering=*/false);
  return success();
}

LogicalResult lowerCopyWait(grid::CopyWaitOp op, Lowering &lowering) {
  FailureOr<Value> source = getMemRef(lowering, op, op.getSource());
  FailureOr<Value> target = getMemRef(lowering, op, op.getDest());
  FailureOr<Value> semaphore = getMemRef(lowering, op, op.getSem());
  FailureOr<Value> device =
      getDevice(lowering, op, op.getDevice(), op.getDeviceIdType());
  if (failed(source) || failed(target) || failed(semaphore) || failed(device))
    return failure();
  // A semaphore counts the bytes of the source that were sent.
  if (op.getSend())
    std::swap(*source, *target);
  tpu::WaitDMA2Op::create(lowering.builder, op.getLoc(), *semaphore, *source,
                          *target, *device, /*core_id=*/Value(),
                          /*strict_ordering=*/false);
  return success();
}

LogicalResult lowerSignal(grid::SemaphoreSignalOp op, Lowering &lowering) {
  FailureOr<Value> semaphore = getMemRef(lowering, op, op.getSem());
  FailureOr<Value> device =
      getDevice(lowering, op, op.getDevice(), op.getDeviceIdType());
  if (failed(semaphore) || failed(device))
    return failure();
  Value core = op.getCore() ? lowering.get(op.getCore()) : Value();
  tpu::SemaphoreSignalOp::create(lowering.builder, op.getLoc(), *semaphore,
                                 lowering.get(op.getAmount()), *device, core,
                                 /*subcore_id=*/Value());
  return success();
}

LogicalResult lowerWait(grid::SemaphoreWaitOp op, Lowering &lowering) {
  if (op.getKeep())
    return op.emitError(
        "expected a wait that decrements the semaphore on a TPU");
  FailureOr<Value> semaphore = getMemRef(lowering, op, op.getSem());
  if (failed(semaphore))
    return failure();
  auto type = cast<MemRefType>(semaphore->getType());
  if (!isa<tpu::SemaphoreType>(type.getElementType()))
    return op.emitError("expected a regular semaphore, got one of copies; wait "
                        "for the copy instead");
  tpu::SemaphoreWaitOp::create(lowering.builder, op.getLoc(), *semaphore,
                               lowering.get(op.getAmount()));
  return success();
}

LogicalResult lowerRead(grid::SemaphoreReadOp op, Lowering &lowering) {
  FailureOr<Value> semaphore = getMemRef(lowering, op, op.getSem());
  if (failed(semaphore))
    return failure();
  lowering.set(op.getResult(), tpu::SemaphoreReadOp::create(
                                   lowering.builder, op.getLoc(),
                                   lowering.builder.getI32Type(), *semaphore));
  return success();
}

LogicalResult lowerBarrier(grid::BarrierSemaphoreOp op, Lowering &lowering) {
  FailureOr<MemRefType> type =
      lowering.convertRef(op, op.getResult().getType());
  if (failed(type))
    return failure();
  Value semaphore =
      tpu::GetBarrierSemaphoreOp::create(lowering.builder, op.getLoc(), *type);
  lowering.setView(op.getResult(),
                   getWholeView(semaphore, type->getElementType()));
  return success();
}

LogicalResult lowerDeviceId(grid::DeviceIdOp op, Lowering &lowering) {
  lowering.set(op.getResult(),
               tpu::DeviceIdOp::create(lowering.builder, op.getLoc(),
                                       lowering.builder.getI32Type()));
  return success();
}

LogicalResult lowerDelay(grid::DelayOp op, Lowering &lowering) {
  tpu::DelayOp::create(lowering.builder, op.getLoc(),
                       lowering.get(op.getNanos()));
  return success();
}

} // namespace

void addAsyncLowerings(Handlers &handlers) {
  handlers.add(lowerCopyStart);
  handlers.add(lowerCopyWait);
  handlers.add(lowerSignal);
  handlers.add(lowerWait);
  handlers.add(lowerRead);
  handlers.add(lowerBarrier);
  handlers.add(lowerDeviceId);
  handlers.add(lowerDelay);
}

} // namespace gridir::grid_to_tpu
