//===- Sync.cpp - Barriers of the threads of a warpgroup or a CTA ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

void Lowering::createSync(Location loc) {
  exchangePending = false;
  if (inWarps) {
    NVVM::SyncWarpOp::create(builder, loc, createI32(builder, loc, -1));
    return;
  }
  if (numWarpgroups == 1) {
    NVVM::BarrierOp::create(builder, loc);
    return;
  }
  // Barrier 0 belongs to the CTA. A constant number needs no register.
  Value number =
      onlyWarpgroup ? createI32(builder, loc, *onlyWarpgroup) : warpgroup;
  Value id =
      arith::AddIOp::create(builder, loc, number, createI32(builder, loc, 1));
  NVVM::BarrierOp::create(builder, loc, TypeRange(), id,
                          createI32(builder, loc, kNumThreads),
                          NVVM::BarrierReductionAttr(), Value());
}

Value Lowering::createAll(Location loc, Value condition) {
  if (!inWarps)
    return createUniform(loc, condition);
  exchangePending = false;
  return NVVM::VoteSyncOp::create(builder, loc, builder.getI1Type(),
                                  createI32(builder, loc, -1), condition,
                                  NVVM::VoteSyncKind::all);
}

Value Lowering::createOfWarp(Location loc, Value value) {
  return NVVM::ShflOp::create(
      builder, loc, value.getType(), createI32(builder, loc, -1), value, zero,
      createI32(builder, loc, 31), NVVM::ShflKind::idx, UnitAttr());
}

Value Lowering::createElect(Location loc) {
  if (!chip.hasBulkCopies) {
    Value lane = arith::AndIOp::create(
        builder, loc, thread, createI32(builder, loc, (1 << kNumLaneBits) - 1));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane,
                                 zero);
  }
  return NVVM::ElectSyncOp::create(builder, loc, builder.getI1Type(), Value());
}

LogicalResult
Lowering::lowerWarps(Location loc,
                     function_ref<LogicalResult(Value warp)> body) {
  createSync(loc);
  Value leader = createElect(loc);
  std::swap(isLeader, leader);
  inWarps = true;
  LogicalResult result = body(warp);
  inWarps = false;
  std::swap(isLeader, leader);
  createSync(loc);
  return result;
}

void Lowering::createBlockSync(Location loc) {
  exchangePending = false;
  NVVM::BarrierOp::create(builder, loc);
}

void Lowering::createClusterSync(Location loc) {
  exchangePending = false;
  UnitAttr aligned = builder.getUnitAttr();
  NVVM::ClusterArriveOp::create(builder, loc, aligned);
  NVVM::ClusterWaitOp::create(builder, loc, aligned);
}

void Lowering::beginExchange(Location loc) {
  if (!exchangePending)
    return;
  isUnordered |= !hasExchanged;
  createSync(loc);
}

void Lowering::endStores(Location loc) {
  createSync(loc);
  hasExchanged = exchangePending = true;
}

namespace {

LogicalResult lowerSync(warpgroup::SyncOp op, Lowering &lowering) {
  switch (op.getScope()) {
  case warpgroup::SyncScope::Warp:
    NVVM::SyncWarpOp::create(lowering.builder, op.getLoc(),
                             createI32(lowering.builder, op.getLoc(), -1));
    break;
  case warpgroup::SyncScope::Warpgroup:
    lowering.createSync(op.getLoc());
    break;
  case warpgroup::SyncScope::Block:
    lowering.createBlockSync(op.getLoc());
    break;
  }
  return success();
}

} // namespace

void addSyncLowerings(Handlers &handlers) { handlers.add(lowerSync); }

} // namespace gridir::warpgroup_to_nvvm
