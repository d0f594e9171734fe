//===- AsyncOps.cpp - Verification of copies, semaphores and regions ------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/IR/TPU.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace gridir::tpu;

/// An op works on one semaphore, a memref of rank 0.
static LogicalResult verifyOne(Operation *op, StringRef name, Value semaphore) {
  if (!semaphore)
    return success();
  auto type = cast<MemRefType>(semaphore.getType());
  if (type.getRank() != 0)
    return op->emitOpError("expected ")
           << name << " to be of rank 0, got " << type;
  return success();
}

static LogicalResult verifyCopy(Operation *op, Value source, Value target) {
  auto from = cast<MemRefType>(source.getType());
  auto to = cast<MemRefType>(target.getType());
  if (from.getElementType() != to.getElementType() ||
      from.getShape() != to.getShape())
    return op->emitOpError("expected source and target of one shape and "
                           "element type, got ")
           << from << " and " << to;
  return success();
}

LogicalResult EnqueueDMAOp::verify() {
  if (!getTargetSemaphore())
    return emitOpError("expected a target semaphore, got none");
  if (failed(verifyCopy(*this, getSource(), getTarget())) ||
      failed(verifyOne(*this, "the target semaphore", getTargetSemaphore())) ||
      failed(verifyOne(*this, "the source semaphore", getSourceSemaphore())))
    return failure();
  bool remote = getDeviceId() || getCoreId();
  if (getSourceSemaphore() && !remote)
    return emitOpError(
        "expected a device or a core with the source semaphore, got none");
  if (remote && !getSourceSemaphore())
    return emitOpError("expected a source semaphore for a copy to another "
                       "device or core, got none");
  if (getSubcoreId() && !getCoreId())
    return emitOpError("expected a core with the subcore, got none");
  if (static_cast<int32_t>(getPriority()) < 0)
    return emitOpError("expected a priority of at least 0, got ")
           << static_cast<int32_t>(getPriority());
  return success();
}

LogicalResult WaitDMA2Op::verify() {
  return verifyOne(*this, "the semaphore", getSemaphore());
}

LogicalResult WaitDMAOp::verify() {
  Value waited = getWaitTarget() ? getTargetSemaphore() : getSourceSemaphore();
  if (!waited)
    return emitOpError("expected the ")
           << (getWaitTarget() ? "target" : "source")
           << " semaphore that it waits for, got none";
  if (failed(verifyOne(*this, "the target semaphore", getTargetSemaphore())))
    return failure();
  return verifyOne(*this, "the source semaphore", getSourceSemaphore());
}

LogicalResult SemaphoreSignalOp::verify() {
  if (getSubcoreId() && !getCoreId())
    return emitOpError("expected a core with the subcore, got none");
  return verifyOne(*this, "the semaphore", getSemaphore());
}

LogicalResult SemaphoreWaitOp::verify() {
  return verifyOne(*this, "the semaphore", getSemaphore());
}

LogicalResult GetBarrierSemaphoreOp::verify() {
  return verifyOne(*this, "the semaphore", getSemaphore());
}

LogicalResult AssumeMultipleOp::verify() {
  auto multiple = static_cast<int32_t>(getMultiple());
  if (multiple < 1)
    return emitOpError("expected a multiple of at least 1, got ") << multiple;
  IntegerAttr value;
  if (matchPattern(getValue(), m_Constant(&value)) &&
      value.getValue().getSExtValue() % multiple != 0)
    return emitOpError("expected a multiple of ")
           << multiple << ", got " << value.getValue().getSExtValue();
  return success();
}

/// The operands of the region's terminator become the results of the op. It is
/// known to have a terminator by now.
static LogicalResult verifyYield(Operation *op) {
  Operation *yield = op->getRegion(0).front().getTerminator();
  if (yield->getOperandTypes() != op->getResultTypes())
    return op->emitOpError("expected to yield ")
           << op->getResultTypes() << ", got " << yield->getOperandTypes();
  return success();
}

LogicalResult RegionOp::verifyRegions() { return verifyYield(*this); }

LogicalResult TraceOp::verifyRegions() { return verifyYield(*this); }
