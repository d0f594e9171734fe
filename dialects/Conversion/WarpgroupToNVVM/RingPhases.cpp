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

/// The barriers that an op waits for; null where they are not known yet.
static Storage *getBarriers(Operation *op, Lowering &lowering) {
  Value ref = op->getOperand(0);
  while (auto slice = ref.getDefiningOp<grid::SliceRefOp>())
    ref = slice.getSource();
  return lowering.hasView(ref) ? lowering.getView(ref).storage.get() : nullptr;
}

llvm::SetVector<Storage *> getAwaited(Operation *op, Lowering &lowering) {
  llvm::SetVector<Storage *> result;
  op->walk([&](Operation *inner) {
    if (isa<warpgroup::BarrierWaitOp, warpgroup::BarrierTestOp>(inner))
      if (Storage *barriers = getBarriers(inner, lowering))
        result.insert(barriers);
  });
  return result;
}

/// True if an op runs in each iteration of a loop up to some iteration, and in
/// none after it.
static bool runsFromFirst(Operation *op, scf::ForOp loop) {
  for (Operation *parent = op->getParentOp(); parent != loop;
       op = parent, parent = parent->getParentOp()) {
    if (isa<grid::ScopedOp>(parent))
      continue;
    auto branch = dyn_cast<scf::IfOp>(parent);
    auto compare = branch ? branch.getCondition().getDefiningOp<arith::CmpIOp>()
                          : arith::CmpIOp();
    if (!compare || op->getParentRegion() != &branch.getThenRegion() ||
        compare.getPredicate() != arith::CmpIPredicate::slt ||
        !getStepDistance(compare.getLhs(), loop) ||
        !loop.isDefinedOutsideOfLoop(compare.getRhs()))
      return false;
  }
  return true;
}

RingPhases::RingPhases(scf::ForOp loop, Lowering &lowering)
    : loop(loop), lowering(lowering) {
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
  if (!first || *first < 0 || getConstantIntValue(loop.getStep()) != 1)
    return;
  begin = *first;
  llvm::MapVector<Storage *, SmallVector<Operation *>> ofBarriers;
  loop->walk([&](Operation *op) {
    if (isa<warpgroup::BarrierWaitOp, warpgroup::BarrierTestOp>(op))
      ofBarriers[getBarriers(op, lowering)].push_back(op);
  });
  for (auto &[barriers, ops] : ofBarriers)
    if (barriers && ops.size() == 1)
      if (auto wait = dyn_cast<warpgroup::BarrierWaitOp>(ops.front()))
        add(wait, *barriers);
}

/// Matches a wait for barrier `(i + distance) mod size` in iteration `i`. Its
/// phase is the parity of `(i + distance) / size`, possibly inverted, if the
/// initial phases agree with that for every barrier of the ring.
void RingPhases::add(warpgroup::BarrierWaitOp op, Storage &barriers) {
  auto slice = op.getBarrier().getDefiningOp<grid::SliceRefOp>();
  if (!slice || barriers.shape.size() != 1 || !barriers.knownPhases ||
      !runsFromFirst(op, loop))
    return;
  auto type = cast<MemRefType>(slice.getSource().getType());
  int64_t size = barriers.shape.front();
  Operation *remainder = slice.getOffsets().size() == 1
                             ? slice.getOffsets().front().getDefiningOp()
                             : nullptr;
  if (type.getShape() != ArrayRef(barriers.shape) ||
      !isa_and_nonnull<arith::RemSIOp, arith::RemUIOp>(remainder) ||
      getConstantIntValue(remainder->getOperand(1)) != size)
    return;
  std::optional<int64_t> distance =
      getStepDistance(remainder->getOperand(0), loop);
  if (!distance || *distance < 0 || *distance > 1)
    return;
  // The first round may start within the ring; then earlier barriers are one
  // round ahead.
  int64_t start = (begin + *distance) % size;
  auto isOdd = [&](int64_t number) {
    return (*barriers.knownPhases >> number & 1) != 0;
  };
  bool phase = isOdd(start);
  for (int64_t i = 0; i < size; ++i)
    if (isOdd(i) != (i < start ? !phase : phase))
      return;
  bool round = (begin + *distance) / size % 2;
  waits.push_back({op, size, *distance, phase != round});
}

void RingPhases::createBefore() {
  for (const Wait &wait : waits) {
    auto [entry, isNew] = rounds.insert({wait.size, Value()});
    if (!isNew)
      continue;
    OpBuilder &builder = lowering.builder;
    Location loc = loop.getLoc();
    entry->second = lowering.createVariable(loc, builder.getI32Type());
    LLVM::StoreOp::create(builder, loc,
                          createI32(builder, loc, begin / wait.size % 2),
                          entry->second);
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
    for (const Wait &wait : waits) {
      if (wait.size != size)
        continue;
      Value phase = wait.distance ? next : now;
      if (wait.isInverted)
        phase = arith::XOrIOp::create(builder, loc, phase,
                                      createI32(builder, loc, 1));
      lowering.ringPhases[wait.op] = phase;
    }
  }
}

} // namespace gridir::warpgroup_to_nvvm
