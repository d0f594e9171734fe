//===- RingPhases.cpp - Phases of barriers that a loop goes round ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/RingPhases.h"

#include "dialects/Support/StepDistance.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

RingPhases::RingPhases(scf::ForOp loop, Lowering &lowering)
    : loop(loop), lowering(lowering) {
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
  if (!first || *first < 0 || getConstantIntValue(loop.getStep()) != 1)
    return;
  begin = *first;
  loop->walk([&](warpgroup::BarrierWaitOp wait) {
    if (wait.getPhaseAttr() && wait->getParentOfType<scf::ForOp>() == loop)
      waits.push_back(wait);
  });
}

void RingPhases::createBefore() {
  for (warpgroup::BarrierWaitOp wait : waits) {
    int64_t size = wait.getPhaseAttr().getSize();
    auto [entry, isNew] = rounds.insert({size, Value()});
    if (!isNew)
      continue;
    OpBuilder &builder = lowering.builder;
    Location loc = loop.getLoc();
    entry->second = lowering.createVariable(loc, builder.getI32Type());
    LLVM::StoreOp::create(
        builder, loc, createI32(builder, loc, begin / size % 2), entry->second);
  }
}

void RingPhases::createInBody(Value step) {
  OpBuilder &builder = lowering.builder;
  Location loc = loop.getLoc();
  Type i32 = builder.getI32Type();
  for (auto [size, variable] : rounds) {
    Value now = LLVM::LoadOp::create(builder, loc, i32, variable);
    // Emitted in the same form as in typical kernels, so that CSE merges the
    // two.
    Value place = arith::RemSIOp::create(
        builder, loc, toI32(builder, loc, step), createI32(builder, loc, size));
    Value isLast =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, place,
                              createI32(builder, loc, size - 1));
    Value next = arith::XOrIOp::create(
        builder, loc, now, arith::ExtUIOp::create(builder, loc, i32, isLast));
    LLVM::StoreOp::create(builder, loc, next, variable);
    for (warpgroup::BarrierWaitOp wait : waits) {
      warpgroup::RingPhaseAttr ring = wait.getPhaseAttr();
      if (ring.getSize() != size)
        continue;
      Value phase = ring.getDistance() ? next : now;
      if (ring.getInverted())
        phase = arith::XOrIOp::create(builder, loc, phase,
                                      createI32(builder, loc, 1));
      lowering.ringPhases[wait] = phase;
    }
  }
}

} // namespace gridir::warpgroup_to_nvvm
