//===- Peers.h - Memory of other programs ----------------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_WARPGROUPTOLOOPS_PEERS_H
#define GRIDIR_DIALECTS_CONVERSION_WARPGROUPTOLOOPS_PEERS_H

#include "dialects/Conversion/GridToLoops/LocalRefs.h"
#include "dialects/Conversion/GridToLoops/Views.h"
#include "dialects/Conversion/WarpgroupToLoops/Patterns.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

namespace gridir {

/// A pattern of an op on a Ref of another block or device.
template <typename OpT> class PeerPattern : public LoweringPattern<OpT> {
public:
  using LoweringPattern<OpT>::LoweringPattern;

protected:
  mlir::FailureOr<mlir::Value> getMemory(mlir::OpBuilder &builder,
                                         OpT op) const {
    if (mlir::Value memref =
            createStridedMemRef(builder, op.getLoc(), op.getRef()))
      return memref;
    return mlir::LogicalResult(this->lowering.fail(
        op, "expected a strided Ref of another block or device"));
  }

  /// Loads from an address in the memory of another program, with the shape and
  /// the strides of a memref.
  mlir::Value createLoad(mlir::OpBuilder &builder, OpT op, mlir::Value there,
                         mlir::Value memref) const {
    mlir::Location loc = op.getLoc();
    mlir::Value copy = createCopy(builder, op);
    createMove(builder, op, copy, there, memref, /*isLoad=*/true);
    mlir::Value value = readRef(builder, loc, copy, /*mayOverwrite=*/true);
    // The next load here goes to the same memory.
    return mlir::bufferization::AllocTensorOp::create(
        builder, loc, mlir::cast<mlir::RankedTensorType>(value.getType()),
        mlir::ValueRange(), value);
  }

  /// Replaces that by the value of the op.
  void createStore(mlir::OpBuilder &builder, OpT op, mlir::Value there,
                   mlir::Value memref) const {
    mlir::Value copy = createCopy(builder, op);
    writeRef(builder, op.getLoc(), op.getValue(), copy);
    // The value was written, wherever it comes from.
    if (this->lowering.recordsAccesses())
      createMemoryState(builder, op.getLoc(), this->lowering, getMemRef(copy),
                        /*defined=*/true);
    createMove(builder, op, copy, there, memref, /*isLoad=*/false);
  }

private:
  /// Memory for the contents of a Ref, as a Ref of its own.
  mlir::Value createCopy(mlir::OpBuilder &builder, OpT op) const {
    auto type = mlir::cast<mlir::MemRefType>(op.getRef().getType());
    mlir::Value memory = this->lowering.allocate(op.getLoc(), type.getShape(),
                                                 type.getElementType());
    return createRef(builder, op.getLoc(), memory, type);
  }

  /// Copies between a Ref of this block and the one of another.
  void createMove(mlir::OpBuilder &builder, OpT op, mlir::Value own,
                  mlir::Value there, mlir::Value memref, bool isLoad) const {
    KernelLowering &lowering = this->lowering;
    mlir::Location loc = op.getLoc();
    mlir::Value local = getMemRef(own),
                address = createAddress(builder, loc, local);
    std::string name = lowering.getName(op.getRef());
    if (lowering.recordsAccesses()) {
      mlir::Value site = createSite(builder, lowering, op,
                                    (isLoad ? "read of " : "write of ") + name);
      createRuntimeCall(builder, loc, lowering, "gridirTaskSites",
                        {site, site});
    }
    createCopyDims(builder, loc, lowering, isLoad ? memref : local,
                   isLoad ? local : memref);
    createRuntimeCall(
        builder, loc, lowering, "gridirTaskMove",
        {isLoad ? there : address, isLoad ? address : there,
         createI64(builder, loc, getBytesPerElement(memref)),
         createI64(builder, loc, op->hasAttr(warpgroup::kUpdateAttr))});
  }
};

} // namespace gridir

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTOLOOPS_PEERS_H
