//===- Rings.cpp - Shared memory that a producer warpgroup fills ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks that matrix units read are in rings of shared memory. A producer
// warpgroup issues bulk copies into free stages of a ring, and the consumers
// wait for a stage, read it and release it. Without a producer, the consumers
// copy (ThreadRings.cpp). There are rings for the blocks of each step of a CTA,
// and for the windows that a loop of the body loads. The producer repeats those
// loops in the order of the body, so both sides count the same stages. Loops
// may be nested.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToWarpgroup/ProgramBody.h"

#include "dialects/Support/Builders.h"
#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "dialects/Warpgroup/Transforms/MatrixUnits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::grid_to_warpgroup;

/// The attribute for dropped dimensions; null for none.
DenseI64ArrayAttr
gridir::grid_to_warpgroup::toOptional(Builder &builder,
                                      ArrayRef<int64_t> dims) {
  return dims.empty() ? DenseI64ArrayAttr()
                      : builder.getDenseI64ArrayAttr(dims);
}

/// Finds the Refs of `shared` operands that the body loads.
void ProgramBody::findRings() {
  llvm::SmallSetVector<Value, 4> seen;
  auto visit = [&](bool isInLoop) {
    kernel.getBodyRegion().walk([&](grid::LoadOp load) {
      auto match = warpgroup::matchSharedLoad(load);
      if (!match || static_cast<bool>(match->loop) != isInLoop ||
          !llvm::is_contained(schedule.getShared(), match->input) ||
          !seen.insert(load.getRef()))
        return;
      bool isOfThread = dependsOnThread(*match) ||
                        llvm::any_of(threadDims, [&](unsigned dim) {
                          return maps[match->input].isFunctionOfDim(dim);
                        });
      getGroup(match->loop)
          .rings.push_back({match->input, load.getRef(),
                            isOfThread ? numConsumers : 1, Value()});
    });
  };
  // The blocks of a step come before the windows of loops.
  visit(/*isInLoop=*/false);
  visit(/*isInLoop=*/true);
}

/// True if the warpgroups of a CTA load windows at different offsets.
bool ProgramBody::dependsOnThread(warpgroup::SharedLoad load) const {
  llvm::SetVector<Operation *> ops;
  if (!load.window || failed(warpgroup::collectComputation(
                          load.window.getOffsets(), load.loop, ops)))
    return false;
  return llvm::any_of(ops, [&](Operation *op) {
    auto id = dyn_cast<grid::ProgramIdOp>(op);
    return id && llvm::is_contained(threadDims, findDim(id.getAxis()));
  });
}

ProgramBody::RingGroup &ProgramBody::getGroup(scf::ForOp loop) {
  for (RingGroup &group : groups)
    if (group.loop == loop)
      return group;
  bool isRepeated = loop || numSteps > 1;
  return groups.emplace_back(
      RingGroup{loop, isRepeated ? schedule.getStages() : 1, {}, {}, {}});
}

ArrayAttr gridir::grid_to_warpgroup::getMatrixTransforms(Type element) {
  MLIRContext *context = element.getContext();
  int64_t rowElements = warpgroup::kRowBits / element.getIntOrFloatBitWidth();
  return Builder(context).getArrayAttr(
      {grid::TransformAttr::get(context, grid::TransformKind::Unswizzle,
                                {warpgroup::kRowBits / 8}),
       grid::TransformAttr::get(context, grid::TransformKind::Untiling,
                                {warpgroup::kGroupRows, rowElements})});
}

/// True if only contractions read the blocks of a group.
bool ProgramBody::isReadByProducts(const RingGroup &group) {
  return llvm::all_of(group.rings, [](const Ring &ring) {
    return llvm::all_of(ring.loaded.getUsers(), [](Operation *user) {
      return isa<grid::LoadOp>(user) &&
             llvm::all_of(user->getUsers(), llvm::IsaPred<grid::DotOp>);
    });
  });
}

/// Opens the scope of the rings and their barriers, which all warpgroups share.
void ProgramBody::createRings() {
  MLIRContext *context = kernel.getContext();
  SmallVector<Type> types;
  SmallVector<Attribute> transforms, origins;
  auto addBarriers = [&](StringRef name, int64_t stages, int64_t arrivals,
                         bool ordersTensorCore) {
    types.push_back(getRefType(
        {stages},
        warpgroup::BarrierType::get(context, arrivals, ordersTensorCore,
                                    /*cluster=*/{}, /*leader_tracked=*/false),
        warpgroup::Space::Smem));
    transforms.push_back(builder.getArrayAttr({}));
    origins.push_back(builder.getStringAttr(name));
  };
  for (RingGroup &group : groups) {
    int64_t copies = 0;
    for (Ring &ring : group.rings) {
      auto ref = cast<MemRefType>(ring.loaded.getType());
      SmallVector<int64_t> shape{group.stages};
      if (ring.copies > 1)
        shape.push_back(ring.copies);
      llvm::append_range(shape, ref.getShape());
      types.push_back(
          getRefType(shape, ref.getElementType(), warpgroup::Space::Smem));
      transforms.push_back(getMatrixTransforms(ref.getElementType()));
      origins.push_back(builder.getStringAttr(specs[ring.input].getName("")));
      copies += ring.copies;
    }
    if (!hasProducer())
      continue;
    group.isReadLater = tensorBarrier && isReadByProducts(group);
    addBarriers("full", group.stages, copies, /*ordersTensorCore=*/false);
    addBarriers("empty", group.stages, numConsumers, group.isReadLater);
  }
  auto scope = grid::ScopedOp::create(
      builder, loc, TypeRange(), getWarpgroupAxes(),
      builder.getArrayAttr(transforms), builder.getArrayAttr(origins));
  Block *block = builder.createBlock(&scope.getBody(), {}, types,
                                     SmallVector<Location>(types.size(), loc));
  auto argument = block->args_begin();
  for (RingGroup &group : groups) {
    for (Ring &ring : group.rings)
      ring.buffer = *argument++;
    if (!hasProducer())
      continue;
    group.full = *argument++;
    group.empty = *argument++;
  }
  grid::YieldOp::create(builder, loc);
  builder.setInsertionPointToStart(block);
}

/// The number of stages that were filled before, as i32. `loop` is the copy of
/// the group's loop around the current position; null for a group of steps.
Value ProgramBody::createNumber(RingGroup &group, Value step, scf::ForOp loop) {
  if (!loop)
    return toI32(builder, loc, step ? step : createIndex(0));
  // All but the outermost loop have a constant number of iterations, and that
  // one has in programs with several steps.
  Value number;
  int64_t inner = 1;
  auto add = [&](Value iteration) {
    iteration = toI32(builder, loc, iteration);
    if (inner != 1)
      iteration = arith::MulIOp::create(builder, loc, iteration,
                                        createI32(builder, loc, inner));
    number =
        number
            ? arith::AddIOp::create(builder, loc, iteration, number).getResult()
            : iteration;
  };
  for (scf::ForOp original = group.loop; original;
       original = dyn_cast<scf::ForOp>(original->getParentOp())) {
    add(createNumber(
        Round{loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
        loop.getInductionVar()));
    if (auto count = original.getStaticTripCount())
      inner *= count->getSExtValue();
    loop = dyn_cast<scf::ForOp>(loop->getParentOp());
  }
  if (numSteps > 1)
    add(step);
  return number;
}

/// The stage that has a number.
Value ProgramBody::createSlot(const RingGroup &group, Value number) {
  return arith::RemSIOp::create(builder, loc, number,
                                createI32(builder, loc, group.stages));
}

Value ProgramBody::createBarrier(Value barriers, Value slot) {
  auto type = cast<MemRefType>(barriers.getType());
  return grid::SliceRefOp::create(
      builder, loc,
      getRefType({}, type.getElementType(), warpgroup::Space::Smem), barriers,
      slot, ArrayRef<int64_t>{ShapedType::kDynamic}, ArrayRef<int64_t>{1},
      ArrayRef<int64_t>{1}, ArrayRef<int64_t>{0});
}

/// The buffer of a stage; of `warpgroup` where each consumer has its own.
Value ProgramBody::createBlock(const Ring &ring, Value slot, Value warpgroup) {
  auto type = cast<MemRefType>(ring.buffer.getType());
  SmallVector<Value> offsets{slot};
  SmallVector<int64_t> dropped{0};
  if (ring.copies > 1) {
    offsets.push_back(warpgroup);
    dropped.push_back(1);
  }
  SmallVector<int64_t> statics(type.getRank(), 0), sizes(type.getShape());
  for (int64_t dim : dropped) {
    statics[dim] = ShapedType::kDynamic;
    sizes[dim] = 1;
  }
  return grid::SliceRefOp::create(
      builder, loc,
      getRefType(type.getShape().drop_front(dropped.size()),
                 type.getElementType(), warpgroup::Space::Smem),
      ring.buffer, offsets, statics, sizes,
      SmallVector<int64_t>(sizes.size(), 1), dropped);
}

void ProgramBody::createProducer() {
  if (numConsumers > 1 && chip.hasSetMaxRegisters)
    warpgroup::SetMaxRegistersOp::create(builder, loc, 40,
                                         /*increase=*/false);
  createLoop(0, numSteps, [&](Value step) {
    if (!groups.front().loop)
      createFill(groups.front(), step, /*loop=*/{});
    createFills(oldBody, step, /*copy=*/{});
  });
}

/// Repeats those loops of a block of the author's body that have rings. `copy`
/// is the copy of the loop around the block.
void ProgramBody::createFills(Block *block, Value step, scf::ForOp copy) {
  auto around = dyn_cast<scf::ForOp>(block->getParentOp());
  for (auto loop : block->getOps<scf::ForOp>()) {
    if (llvm::none_of(groups, [&](const RingGroup &group) {
          return group.loop && loop->isAncestor(group.loop);
        }))
      continue;
    SmallVector<Value> bounds = createCopyOf(
        {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()},
        createIds(/*warpgroup=*/{}, step), around, getIterations(around, copy));
    auto repeated =
        scf::ForOp::create(builder, loc, bounds[0], bounds[1], bounds[2]);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(repeated.getBody());
    for (RingGroup &group : groups)
      if (group.loop == loop)
        createFill(group, step, repeated);
    createFills(loop.getBody(), step, repeated);
  }
}

/// Fills the next stage of a group once all consumers have released it.
void ProgramBody::createFill(RingGroup &group, Value step, scf::ForOp loop) {
  Value number = createNumber(group, step, loop);
  Value slot = createSlot(group, number);
  Value isReused =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, number,
                            createI32(builder, loc, group.stages));
  auto branch = scf::IfOp::create(builder, loc, isReused,
                                  /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    warpgroup::BarrierWaitOp::create(builder, loc,
                                     createBarrier(group.empty, slot));
  }
  SmallVector<Value> iterations = getIterations(group.loop, loop);
  for (const Ring &ring : group.rings)
    for (int64_t copy = 0; copy < ring.copies; ++copy) {
      Value consumer = createI32(builder, loc, copy);
      CopyWindow window =
          createCopyWindow(group, ring, createIds(consumer, step), iterations);
      warpgroup::TmaLoadOp::create(
          builder, loc, newBody->getArgument(ring.input), window.dynamics,
          window.statics, window.sizes, toOptional(builder, window.dropped),
          createBlock(ring, slot, consumer), createBarrier(group.full, slot),
          /*collective=*/ArrayAttr(), /*leader_tracked=*/false);
    }
}

/// The window of an input that the programs with these ids load, in iterations
/// of the group's loop and of the loops around it.
ProgramBody::CopyWindow ProgramBody::createCopyWindow(const RingGroup &group,
                                                      const Ring &ring,
                                                      const Ids &ids,
                                                      ValueRange iterations) {
  CopyWindow result;
  SmallVector<int64_t> squeezed = getSqueezedDims(ring.input);
  result.dropped = squeezed;
  result.sizes = specs[ring.input].getBlockShape();
  SmallVector<OpFoldResult> offsets = createOffsets(ring.input, ids);
  if (auto window = ring.loaded.getDefiningOp<grid::SliceRefOp>()) {
    // The window is one of the dimensions that the block keeps.
    SmallVector<OpFoldResult> inside = getMixedValues(
        window.getStaticOffsets(),
        createCopyOf(window.getOffsets(), ids, group.loop, iterations),
        builder);
    unsigned kept = 0;
    result.dropped.clear();
    for (auto [dim, offset] : llvm::enumerate(offsets)) {
      bool isSqueezed = llvm::is_contained(squeezed, dim);
      if (isSqueezed || llvm::is_contained(window.getDropped(), kept))
        result.dropped.push_back(dim);
      if (isSqueezed)
        continue;
      result.sizes[dim] = window.getSizes()[kept];
      offset = createSum(offset, inside[kept++]);
    }
  }
  for (OpFoldResult &offset : offsets)
    if (auto value = dyn_cast<Value>(offset))
      offset = toI32(builder, loc, value);
  dispatchIndexOpFoldResults(offsets, result.dynamics, result.statics);
  return result;
}

/// The sum of two offsets, as i32 if it is no constant.
OpFoldResult ProgramBody::createSum(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> first = getConstantIntValue(a),
                         second = getConstantIntValue(b);
  if (first && second)
    return builder.getIndexAttr(*first + *second);
  return arith::AddIOp::create(builder, loc, toI32(builder, loc, a),
                               toI32(builder, loc, b))
      .getResult();
}

/// The iterations of a copy of a loop of the author and of those around it, the
/// innermost first. Copies are nested as the loops of the author are.
SmallVector<Value> ProgramBody::getIterations(scf::ForOp from,
                                              scf::ForOp copy) {
  SmallVector<Value> iterations;
  for (; from; from = dyn_cast<scf::ForOp>(from->getParentOp()),
               copy = dyn_cast<scf::ForOp>(copy->getParentOp()))
    iterations.push_back(copy.getInductionVar());
  return iterations;
}

/// A copy of the ops of the author's body that compute values, in iterations of
/// the loop `from` and of those around it, or outside of loops.
SmallVector<Value> ProgramBody::createCopyOf(ValueRange values, const Ids &ids,
                                             scf::ForOp from,
                                             ValueRange iterations) {
  llvm::SetVector<Operation *> ops;
  [[maybe_unused]] LogicalResult found =
      warpgroup::collectComputation(values, from, ops);
  assert(succeeded(found) && "expected a load that a bulk copy can precede");
  IRMapping mapping;
  for (Value iteration : iterations) {
    mapping.map(from.getInductionVar(), iteration);
    from = dyn_cast<scf::ForOp>(from->getParentOp());
  }
  SmallVector<Value> windows;
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (auto ref = dyn_cast<BlockArgument>(operand);
          ref && isa<MemRefType>(ref.getType()) && !mapping.contains(ref)) {
        windows.push_back(createWindow(ref.getArgNumber(), ids));
        mapping.map(ref, windows.back());
      }
  for (Operation *op : ops)
    if (isa<grid::ProgramIdOp, grid::NumProgramsOp>(op))
      mapping.map(op->getResult(0), createAxis(op, ids));
    else
      builder.clone(*op, mapping);
  llvm::for_each(windows, changeSpaceOfViews);
  return llvm::map_to_vector(
      values, [&](Value value) { return mapping.lookup(value); });
}
