//===- AsyncOps.cpp - Copies, semaphores and barriers ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/Grid.h"

using namespace mlir;
using namespace gridir::grid;

/// An op works on one semaphore, a Ref of rank 0, of a kind that it knows.
static LogicalResult verifySemaphore(Operation *op, Value semaphore,
                                     StringRef name,
                                     ArrayRef<SemaphoreKind> kinds) {
  if (!semaphore)
    return success();
  auto type = cast<MemRefType>(semaphore.getType());
  if (type.getRank() != 0)
    return op->emitOpError("expected ")
           << name << " to be one semaphore, got " << type;
  SemaphoreKind kind = cast<SemaphoreType>(type.getElementType()).getKind();
  if (!llvm::is_contained(kinds, kind))
    return op->emitOpError("expected ")
           << name << " not to be a " << stringifySemaphoreKind(kind)
           << " semaphore";
  return success();
}

static LogicalResult verifyCopy(Operation *op, MemRefType source,
                                MemRefType dest) {
  if (source.getShape() != dest.getShape() ||
      source.getElementType() != dest.getElementType())
    return op->emitOpError("expected source and destination of one shape and "
                           "element type, got ")
           << source << " and " << dest;
  if (isa<SemaphoreType>(source.getElementType()))
    return op->emitOpError("expected a copy of numbers, got one of ") << source;
  return success();
}

static LogicalResult verifyDevice(Operation *op, OperandRange device,
                                  std::optional<DeviceIdType> type) {
  if (device.empty() != !type)
    return op->emitOpError(
        "expected device_id_type if and only if a device is given");
  if (type == DeviceIdType::Logical && device.size() != 1)
    return op->emitOpError("expected one logical device number, got ")
           << device.size();
  return success();
}

LogicalResult CopyStartOp::verify() {
  bool isRemote = getCore() || !getDevice().empty();
  if (isRemote != static_cast<bool>(getSrcSem()))
    return emitOpError(
        "expected src_sem if and only if a device or a core is given");
  return success(
      succeeded(
          verifyCopy(*this, getSource().getType(), getDest().getType())) &&
      succeeded(
          verifySemaphore(*this, getSem(), "sem", {SemaphoreKind::Dma})) &&
      succeeded(verifySemaphore(*this, getSrcSem(), "src_sem",
                                {SemaphoreKind::Dma})) &&
      succeeded(verifyDevice(*this, getDevice(), getDeviceIdType())));
}

LogicalResult CopyWaitOp::verify() {
  return success(
      succeeded(
          verifyCopy(*this, getSource().getType(), getDest().getType())) &&
      succeeded(
          verifySemaphore(*this, getSem(), "sem", {SemaphoreKind::Dma})) &&
      succeeded(verifyDevice(*this, getDevice(), getDeviceIdType())));
}

LogicalResult SemaphoreSignalOp::verify() {
  return success(
      succeeded(
          verifySemaphore(*this, getSem(), "sem",
                          {SemaphoreKind::Regular, SemaphoreKind::Barrier})) &&
      succeeded(verifyDevice(*this, getDevice(), getDeviceIdType())));
}

LogicalResult SemaphoreWaitOp::verify() {
  return verifySemaphore(
      *this, getSem(), "sem",
      {SemaphoreKind::Regular, SemaphoreKind::Barrier, SemaphoreKind::Dma});
}

LogicalResult SemaphoreReadOp::verify() {
  return verifySemaphore(
      *this, getSem(), "sem",
      {SemaphoreKind::Regular, SemaphoreKind::Barrier, SemaphoreKind::Dma});
}
