//===- ClusterLaunch.cpp - Clusters that have not begun -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {
namespace {

constexpr int64_t kAnswerBytes = 16;

/// The address of the answer; null with an error where it is not in shared
/// memory.
Value createAnswerAddress(Operation *op, Value answer, Lowering &lowering) {
  const View &view = lowering.getView(answer);
  if (view.storage->kind != Storage::Kind::Shared) {
    op->emitError("expected an answer in shared memory, got ")
        << answer.getType();
    return nullptr;
  }
  SmallVector<Value> first(view.dims.size(),
                           createI32(lowering.builder, op->getLoc(), 0));
  return lowering.createAddress(op->getLoc(), view, first);
}

/// The first warpgroup of each block waits for the answer, the others arrive,
/// unless each asks for itself; the first block asks for all blocks of the
/// cluster.
LogicalResult lowerTryCancel(warpgroup::TryClusterCancelOp op,
                             Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  Value answer = createAnswerAddress(op, op.getAnswer(), lowering);
  if (!answer)
    return failure();
  Value barrier =
      lowering.createAddress(loc, lowering.getView(op.getBarrier()), {});
  lowering.createForLeader(loc, Value(), [&] {
    // Other chips do not support cancellation: each cluster runs.
    if (!lowering.chip.hasTensorMemory) {
      NVVM::MBarrierArriveOp::create(builder, loc, builder.getI64Type(),
                                     barrier, Value());
      return;
    }
    lowering.cancelsClusters = true;
    Value zero = createI32(builder, loc, 0);
    Value bytes = createI32(builder, loc, kAnswerBytes), asks;
    if (!op.getAlone()) {
      asks = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                   lowering.getWarpgroup(), zero);
      bytes = arith::SelectOp::create(builder, loc, asks, bytes, zero);
    }
    NVVM::MBarrierArriveExpectTxOp::create(builder, loc, Type(), barrier, bytes,
                                           NVVM::MemScopeKind::CTA,
                                           /*relaxed=*/false, Value());
    Value isFirst =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                              lowering.getClusterRank(), zero);
    asks = asks ? arith::AndIOp::create(builder, loc, asks, isFirst).getResult()
                : isFirst;
    auto guard = scf::IfOp::create(builder, loc, asks);
    OpBuilder::InsertionGuard insertion(builder);
    builder.setInsertionPointToStart(guard.thenBlock());
    NVVM::ClusterLaunchControlTryCancelOp::create(
        builder, loc, /*multicast=*/lowering.clusterSize > 1, answer, barrier);
  });
  return success();
}

/// The answer has the first block of the cluster.
LogicalResult lowerQueryCancel(warpgroup::QueryClusterCancelOp op,
                               Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  if (!lowering.chip.hasTensorMemory) {
    for (Value result : op.getResults())
      lowering.set(result, {createZero(builder, loc, result.getType())});
    return success();
  }
  Value address = createAnswerAddress(op, op.getAnswer(), lowering);
  if (!address)
    return failure();
  Value answer = LLVM::LoadOp::create(builder, loc, builder.getIntegerType(128),
                                      address, kAnswerBytes);
  auto query = [&](NVVM::ClusterLaunchControlQueryType what,
                   Type type) -> Value {
    return NVVM::ClusterLaunchControlQueryCancelOp::create(builder, loc, type,
                                                           what, answer);
  };
  lowering.set(op.getFound(),
               {query(NVVM::ClusterLaunchControlQueryType::IS_CANCELED,
                      builder.getI1Type())});
  Value cluster = query(NVVM::ClusterLaunchControlQueryType::GET_FIRST_CTA_ID_X,
                        builder.getI32Type());
  cluster = arith::DivUIOp::create(
      builder, loc, cluster, createI32(builder, loc, lowering.clusterSize));
  for (auto [axis, coord] : llvm::zip_equal(
           op.getAxes().getAsRange<StringAttr>(), op.getCoordinates())) {
    std::optional<unsigned> dim = lowering.kernel.findDim(axis);
    if (!dim || lowering.kernel.getDim(*dim).getKind() != grid::DimKind::Grid)
      return op.emitError("expected an axis of the grid, got ")
             << axis.getValue();
    lowering.set(coord, {lowering.createGridCoord(loc, cluster, *dim)});
  }
  return success();
}

} // namespace

void addClusterLaunchLowerings(Handlers &handlers) {
  handlers.add(lowerTryCancel);
  handlers.add(lowerQueryCancel);
}

} // namespace gridir::warpgroup_to_nvvm
