//===- ThreadRings.cpp - Shared memory that the consumers fill ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without a producer, the consumers start the copies for a later turn before
// they compute, and synchronize after they have computed. One barrier per turn
// makes the next stage visible to all and the last one free:
//
//     fill all stages but the last
//     wait for the first stage
//     for each turn:
//       fill the stage that the last turn has read
//       compute
//       wait for the next stage
//
// With a single stage, each turn fills it, waits, computes and synchronizes.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToWarpgroup/ProgramBody.h"

#include "dialects/Support/Builders.h"
#include "dialects/Warpgroup/Transforms/MatrixUnits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::grid_to_warpgroup;

bool ProgramBody::hasProducer() const {
  return !groups.empty() && schedule.getProducers() != 0;
}

/// The iterations of a loop, or without one the steps of the CTA.
ProgramBody::Round ProgramBody::createRound(const RingGroup &group,
                                            scf::ForOp loop) {
  if (!loop)
    return {createIndex(0), createIndex(numSteps), createIndex(1)};
  auto parentOf = [](scf::ForOp inner) {
    return dyn_cast<scf::ForOp>(inner->getParentOp());
  };
  return {loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
          getIterations(parentOf(group.loop), parentOf(loop))};
}

/// The number of a turn in its round, as i32.
Value ProgramBody::createNumber(const Round &round, Value turn) {
  if (!isConstantIntValue(round.first, 0))
    turn = arith::SubIOp::create(builder, loc, turn, round.first);
  if (!isConstantIntValue(round.distance, 1))
    turn = arith::DivUIOp::create(builder, loc, turn, round.distance);
  return toI32(builder, loc, turn);
}

/// The turn that comes this many turns later.
Value ProgramBody::createLaterTurn(const Round &round, Value turn,
                                   int64_t count) {
  Value factor = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(turn.getType(), count));
  return arith::AddIOp::create(
      builder, loc, turn,
      arith::MulIOp::create(builder, loc, round.distance, factor));
}

/// Starts the copies for a turn, if the round has it. The copies of each turn
/// are a group, which is empty otherwise.
void ProgramBody::createThreadFill(const RingGroup &group, Value warpgroup,
                                   Value step, const Round &round, Value turn) {
  auto exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                      turn, round.end);
  auto branch =
      scf::IfOp::create(builder, loc, exists, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value slot = createSlot(group, createNumber(round, turn));
    if (!warpgroup)
      warpgroup = createI32(builder, loc, 0);
    Ids ids = createIds(warpgroup, group.loop ? step : turn);
    SmallVector<Value> iterations;
    if (group.loop)
      iterations.push_back(turn);
    llvm::append_range(iterations, round.around);
    for (const Ring &ring : group.rings)
      createThreadCopies(group, ring, warpgroup, ids, slot, iterations);
  }
  warpgroup::CpAsyncCommitOp::create(builder, loc);
}

/// Each consumer copies its own block, or some rows of one that all share.
void ProgramBody::createThreadCopies(const RingGroup &group, const Ring &ring,
                                     Value warpgroup, const Ids &ids,
                                     Value slot, ValueRange iterations) {
  CopyWindow window = createCopyWindow(group, ring, ids, iterations);
  Value dest = createBlock(ring, slot, warpgroup);
  auto type = cast<MemRefType>(dest.getType());
  auto copy = [&] {
    warpgroup::CpAsyncOp::create(builder, loc, newBody->getArgument(ring.input),
                                 window.dynamics, window.statics, window.sizes,
                                 toOptional(builder, window.dropped), dest,
                                 /*in_bounds=*/overhangs[ring.input].empty());
  };
  if (ring.copies == numConsumers)
    return copy();
  int64_t rows = type.getDimSize(0);
  if (rows % (numConsumers * warpgroup::kGroupRows) != 0) {
    auto isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         warpgroup, createI32(builder, loc, 0));
    auto branch =
        scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    return copy();
  }
  rows /= numConsumers;
  Value first = arith::MulIOp::create(builder, loc, warpgroup,
                                      createI32(builder, loc, rows));
  SmallVector<OpFoldResult> offsets =
      getMixedValues(window.statics, window.dynamics, builder);
  unsigned dim = 0;
  while (llvm::is_contained(window.dropped, dim))
    ++dim;
  offsets[dim] = createSum(offsets[dim], OpFoldResult(first));
  window.sizes[dim] = rows;
  window.statics.clear();
  window.dynamics.clear();
  dispatchIndexOpFoldResults(offsets, window.dynamics, window.statics);
  SmallVector<int64_t> sizes(type.getShape());
  sizes[0] = rows;
  dest = grid::SliceRefOp::create(
      builder, loc,
      getRefType(sizes, type.getElementType(), warpgroup::Space::Smem), dest,
      first, ArrayRef<int64_t>{ShapedType::kDynamic, 0}, sizes,
      ArrayRef<int64_t>{1, 1}, ArrayRef<int64_t>());
  copy();
}

/// A barrier of all consumers. Those below belong to the CTA and to the
/// warpgroups.
void ProgramBody::createThreadSync() {
  warpgroup::NamedBarrierOp::create(
      builder, loc, createI32(builder, loc, numConsumers + 1),
      numConsumers * warpgroup::kNumThreads, /*arrive=*/false);
}

/// Fills all stages but the last, and waits for the first.
void ProgramBody::beginRound(const RingGroup &group, Value warpgroup,
                             Value step, const Round &round) {
  if (group.stages == 1)
    return;
  for (int64_t stage = 0; stage + 1 < group.stages; ++stage)
    createThreadFill(group, warpgroup, step, round,
                     createLaterTurn(round, round.first, stage));
  warpgroup::CpAsyncWaitOp::create(builder, loc, group.stages - 2);
  createThreadSync();
}

/// Returns the stage of a turn once it is filled.
Value ProgramBody::beginTurn(RingGroup &group, Value warpgroup, Value step,
                             scf::ForOp loop) {
  if (hasProducer()) {
    Value slot = createSlot(group, createNumber(group, step, loop));
    warpgroup::BarrierWaitOp::create(builder, loc,
                                     createBarrier(group.full, slot));
    return slot;
  }
  Round round = createRound(group, loop);
  Value turn = loop ? loop.getInductionVar() : step;
  createThreadFill(group, warpgroup, step, round,
                   createLaterTurn(round, turn, group.stages - 1));
  if (group.stages == 1) {
    warpgroup::CpAsyncWaitOp::create(builder, loc, 0);
    createThreadSync();
  }
  return createSlot(group, createNumber(round, turn));
}

/// Releases the stage of a turn.
void ProgramBody::endTurn(const RingGroup &group, Value slot) {
  if (group.isReadLater) {
    // The stage is free when the MMAs are complete that were started so far.
    warpgroup::Tcgen05CommitOp::create(builder, loc,
                                       createBarrier(group.empty, slot),
                                       /*collective=*/StringAttr());
    return;
  }
  if (tensorBarrier)
    createTensorWait(builder, loc, tensorBarrier);
  if (hasProducer()) {
    warpgroup::BarrierArriveOp::create(builder, loc,
                                       createBarrier(group.empty, slot));
    return;
  }
  if (group.stages > 1)
    warpgroup::CpAsyncWaitOp::create(builder, loc, group.stages - 2);
  if (group.loop || numSteps > 1)
    createThreadSync();
}
