//===- TensorCore.cpp - The thread that asks the tensor core --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/TensorCore.h"
#include "dialects/Conversion/WarpgroupToNVVM/TensorMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

LogicalResult checkTensorCore(Operation *op, Lowering &lowering,
                              StringAttr axis) {
  if (!lowering.chip.hasTensorMemory)
    return op->emitError("expected a chip that has tensor memory, got ")
           << lowering.chip.name;
  if (axis && lowering.getRanks().getStride(axis) != 1)
    return op->emitError("expected a pair of blocks along the innermost axis "
                         "of the cluster, got ")
           << axis;
  return success();
}

void createForTensorCore(Lowering &lowering, Location loc, StringAttr axis,
                         function_ref<void()> body) {
  OpBuilder &builder = lowering.builder;
  Value acts;
  if (axis)
    acts = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                 lowering.getRanks().createCoord(loc, axis),
                                 createI32(builder, loc, 0));
  lowering.createForLeader(loc, acts, [&] {
    createFenceAfterSync(builder, loc);
    body();
  });
}

void createTensorCommit(Lowering &lowering, Location loc, Value address,
                        StringAttr axis) {
  OpBuilder &builder = lowering.builder;
  Value mask;
  if (axis) {
    Value both = arith::ShLIOp::create(builder, loc, createI32(builder, loc, 3),
                                       lowering.getClusterRank());
    mask = arith::TruncIOp::create(builder, loc, builder.getI16Type(), both);
  }
  NVVM::Tcgen05CommitOp::create(builder, loc, address, mask,
                                getCtaGroup(axis != nullptr));
}

namespace {

LogicalResult lowerTensorCommit(warpgroup::Tcgen05CommitOp op,
                                Lowering &lowering) {
  Location loc = op.getLoc();
  StringAttr axis = op.getCollectiveAttr();
  if (failed(checkTensorCore(op, lowering, axis)))
    return failure();
  Value barrier =
      lowering.createAddress(loc, lowering.getView(op.getBarrier()), {});
  createForTensorCore(lowering, loc, axis, [&] {
    createTensorCommit(lowering, loc, barrier, axis);
  });
  return success();
}

} // namespace

void addTensorCommitLowerings(Handlers &handlers) {
  handlers.add(lowerTensorCommit);
}

} // namespace gridir::warpgroup_to_nvvm
