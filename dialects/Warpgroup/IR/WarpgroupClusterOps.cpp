//===- WarpgroupClusterOps.cpp - Verifiers of ops between blocks ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/IR/Warpgroup.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

namespace {

/// An array of the shape of the Ref.
LogicalResult verifyWhole(Operation *op, Value ref, Value value) {
  auto refType = cast<MemRefType>(ref.getType());
  auto expected =
      RankedTensorType::get(refType.getShape(), refType.getElementType());
  // The layout of the array does not affect the Ref.
  if (cast<RankedTensorType>(value.getType()).dropEncoding() != expected)
    return op->emitOpError("expected an array of type ")
           << expected << ", got " << value.getType();
  return success();
}

/// One coordinate for each axis.
LogicalResult verifyPeer(Operation *op, ArrayAttr axes, ValueRange coordinates,
                         Value ref, Value value) {
  if (axes.size() != coordinates.size() || axes.empty())
    return op->emitOpError("expected a coordinate for each of the axes, got ")
           << coordinates.size() << " of " << axes;
  return verifyWhole(op, ref, value);
}

/// A device is a number, or coordinates in a mesh.
LogicalResult verifyDevice(Operation *op, ValueRange device, Value ref,
                           Value value) {
  if (device.empty())
    return op->emitOpError("expected another device, got none");
  return verifyWhole(op, ref, value);
}

/// An answer is 128 bits.
LogicalResult verifyAnswer(Operation *op, Value answer) {
  auto type = cast<MemRefType>(answer.getType());
  if (!type.getElementType().isIntOrFloat() || !type.hasStaticShape() ||
      type.getNumElements() * type.getElementTypeBitWidth() != 128)
    return op->emitOpError("expected an answer of 128 bits, got ") << type;
  return success();
}

} // namespace

LogicalResult ClusterLoadOp::verify() {
  return verifyPeer(*this, getAxes(), getCoordinates(), getRef(), getResult());
}

LogicalResult ClusterStoreOp::verify() {
  return verifyPeer(*this, getAxes(), getCoordinates(), getRef(), getValue());
}

LogicalResult DeviceLoadOp::verify() {
  return verifyDevice(*this, getDevice(), getRef(), getResult());
}

LogicalResult DeviceStoreOp::verify() {
  return verifyDevice(*this, getDevice(), getRef(), getValue());
}

LogicalResult TryClusterCancelOp::verify() {
  return verifyAnswer(*this, getAnswer());
}

LogicalResult QueryClusterCancelOp::verify() {
  if (getAxes().size() != getCoordinates().size())
    return emitOpError("expected a coordinate for each of the axes, got ")
           << getCoordinates().size() << " of " << getAxes();
  return verifyAnswer(*this, getAnswer());
}

LogicalResult WarpsOp::verifyRegions() {
  Block &body = getBody().front();
  if (body.getNumArguments() != 1 ||
      !body.getArgument(0).getType().isInteger(32))
    return emitOpError("expected a region whose argument is the number of the "
                       "warp, an i32");
  WalkResult nested = body.walk([&](WarpsOp inner) {
    inner.emitOpError(
        "expected an enclosing warpgroup program, got single-warp code");
    return WalkResult::interrupt();
  });
  return failure(nested.wasInterrupted());
}
