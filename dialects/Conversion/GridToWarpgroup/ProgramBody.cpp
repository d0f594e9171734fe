//===- ProgramBody.cpp - The body of a warpgroup program ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToWarpgroup/ProgramBody.h"

#include "dialects/Grid/IR/IndexMaps.h"
#include "dialects/Support/Builders.h"
#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "dialects/Warpgroup/Transforms/MatrixUnits.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::grid_to_warpgroup;

MemRefType gridir::grid_to_warpgroup::getRefType(ArrayRef<int64_t> shape,
                                                 Type element,
                                                 warpgroup::Space space) {
  return MemRefType::get(
      shape, element, MemRefLayoutAttrInterface(),
      warpgroup::SpaceAttr::get(element.getContext(), space));
}

ProgramBody::ProgramBody(grid::KernelOp kernel,
                         warpgroup::ScheduleAttr schedule,
                         const gpu::Chip &chip)
    : kernel(kernel), schedule(schedule), chip(chip),
      builder(kernel.getContext()), loc(kernel.getLoc()),
      oldBody(kernel.getBodyBlock()) {
  for (unsigned dim = 0; dim < kernel.getRank(); ++dim) {
    dims.push_back(kernel.getDim(dim));
    int64_t size = dims.back().getSize();
    if (dims.back().getKind() == grid::DimKind::Thread) {
      threadDims.push_back(dim);
      numConsumers *= size;
    } else if (warpgroup::isSequential(kernel, dim)) {
      loopDims.push_back(dim);
      numSteps *= size;
    } else {
      ctaDims.push_back(dim);
    }
  }
  for (unsigned i = 0; i < kernel.getNumOperandSpecs(); ++i) {
    specs.push_back(kernel.getOperandSpec(i));
    maps.push_back(*kernel.getAffineIndexMap(i));
    overhangs.push_back(warpgroup::getOverhangingDims(kernel, i));
  }
  carried = warpgroup::findCarriedOutputs(kernel);
}

void ProgramBody::convert() {
  findRings();
  changeKernel();
  builder.setInsertionPointToStart(newBody);
  Value warpgroup;
  if (threadName)
    warpgroup = grid::ProgramIdOp::create(builder, loc, builder.getI32Type(),
                                          threadName);
  createStaging();
  if (!groups.empty())
    createRings();
  if (!hasProducer()) {
    createConsumer(warpgroup);
  } else {
    auto consumers = arith::ConstantOp::create(
        builder, loc, builder.getI32IntegerAttr(numConsumers));
    auto createBranch = [&](arith::CmpIPredicate predicate,
                            llvm::function_ref<void()> body) {
      auto condition =
          arith::CmpIOp::create(builder, loc, predicate, warpgroup, consumers);
      auto branch = scf::IfOp::create(builder, loc, condition,
                                      /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      body();
    };
    createBranch(arith::CmpIPredicate::eq, [&] { createProducer(); });
    createBranch(arith::CmpIPredicate::slt, [&] { createConsumer(warpgroup); });
  }
  oldBody->erase();
}

/// Gives the kernel the dimensions and operands of the program, and an empty
/// body with the Refs of whole arrays.
void ProgramBody::changeKernel() {
  MLIRContext *context = kernel.getContext();
  SmallVector<Attribute> newDims, semantics;
  for (unsigned dim : ctaDims) {
    newDims.push_back(dims[dim]);
    semantics.push_back(
        grid::DimSemanticsAttr::get(context, grid::DimSemantics::Parallel));
  }
  int64_t numWarpgroups = numConsumers + hasProducer();
  if (numWarpgroups > 1) {
    std::string name = "warpgroup";
    while (llvm::any_of(dims, [&](grid::DimAttr dim) {
      return dim.getName() && dim.getName().getValue() == name;
    }))
      name += "_";
    threadName = builder.getStringAttr(name);
    newDims.push_back(grid::DimAttr::get(context, numWarpgroups, threadName,
                                         /*vmapped=*/false,
                                         grid::DimKind::Thread));
    semantics.push_back(
        grid::DimSemanticsAttr::get(context, grid::DimSemantics::Arbitrary));
  }
  auto getWhole = [&](grid::OperandAttr spec) -> Attribute {
    return grid::OperandAttr::get(
        context, spec.getElementType(), spec.getShape(), /*block=*/{},
        warpgroup::SpaceAttr::get(context, warpgroup::Space::Gmem),
        grid::PipelineModeAttr(),
        /*transforms=*/{}, spec.getOrigin(), /*indexTree=*/StringAttr());
  };
  ArrayRef<grid::OperandAttr> all(specs);
  Type indexType = warpgroup::getIndexType(kernel);
  unsigned numInputs = kernel.getNumInputs();
  kernel.setDimsAttr(builder.getArrayAttr(newDims));
  kernel.setSemanticsAttr(builder.getArrayAttr(semantics));
  kernel.setInputsAttr(builder.getArrayAttr(
      llvm::map_to_vector(all.take_front(numInputs), getWhole)));
  kernel.setOutputsAttr(builder.getArrayAttr(
      llvm::map_to_vector(all.drop_front(numInputs), getWhole)));
  // These describe the author's dimensions, blocks and scratch memory.
  kernel.removeParamsAttr();
  kernel.removeJaxAttr();
  kernel.removeScratchOriginsAttr();
  kernel->removeAttr(grid::kMemoryPlanAttrName);

  newBody = new Block;
  kernel.getBodyRegion().push_front(newBody);
  for (unsigned i = 0; i < kernel.getNumOperandSpecs(); ++i) {
    grid::OperandAttr spec = kernel.getOperandSpec(i);
    newBody->addArgument(spec.getRefType(), oldBody->getArgument(i).getLoc());
    Region &map = kernel.getIndexMap(i);
    map.front().erase();
    SmallVector<AffineExpr> zeros(spec.getRank(),
                                  builder.getAffineConstantExpr(0));
    grid::buildAffineIndexMap(builder, loc, map,
                              AffineMap::get(newDims.size(), 0, zeros, context),
                              newDims.size(), /*indexRefs=*/{}, indexType);
  }
  builder.setInsertionPointToEnd(newBody);
  grid::YieldOp::create(builder, loc);
}

Value ProgramBody::createIndex(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

SmallVector<OpFoldResult> ProgramBody::createOffsets(unsigned operand,
                                                     const Ids &ids) {
  SmallVector<OpFoldResult> offsets;
  for (auto [number, dim, index] : llvm::enumerate(
           specs[operand].getBlockDims(), maps[operand].getResults())) {
    // An index counts blocks, or elements of the array.
    AffineExpr offset = dim.getKind() == grid::BlockKind::Blocked
                            ? index * dim.getSize()
                            : index;
    auto known = dyn_cast<AffineConstantExpr>(offset);
    // A window at a static offset is inside of the array.
    if (known && !llvm::is_contained(overhangs[operand], number))
      offsets.push_back(builder.getIndexAttr(known.getValue()));
    else
      offsets.push_back(
          affine::expandAffineExpr(builder, loc, offset, ids, {}));
  }
  return offsets;
}

/// Returns the dimensions of an array that are absent from its blocks.
SmallVector<int64_t> ProgramBody::getSqueezedDims(unsigned operand) const {
  SmallVector<int64_t> squeezed;
  for (auto [dim, part] : llvm::enumerate(specs[operand].getBlockDims()))
    if (part.isSqueezed())
      squeezed.push_back(dim);
  return squeezed;
}

/// The block of an operand as a window of its array.
Value ProgramBody::createWindow(unsigned operand, const Ids &ids) {
  SmallVector<int64_t> statics, sizes = specs[operand].getBlockShape();
  SmallVector<Value> dynamics;
  dispatchIndexOpFoldResults(createOffsets(operand, ids), dynamics, statics);
  auto block = cast<MemRefType>(oldBody->getArgument(operand).getType());
  return grid::SliceRefOp::create(
      builder, loc,
      getRefType(block.getShape(), block.getElementType(),
                 warpgroup::Space::Gmem),
      newBody->getArgument(operand), dynamics, statics, sizes,
      SmallVector<int64_t>(sizes.size(), 1), getSqueezedDims(operand));
}

/// A loop over steps of a CTA, from `first` on and before `last`.
void ProgramBody::createLoop(int64_t first, int64_t last,
                             llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(builder, loc, createIndex(first),
                                 createIndex(last), createIndex(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// The axes along which warpgroups share a scope; null for a single warpgroup.
ArrayAttr ProgramBody::getWarpgroupAxes() {
  return threadName ? builder.getArrayAttr({threadName}) : ArrayAttr();
}

/// True for scratch that contractions read.
static bool isOperand(Value ref) {
  return llvm::any_of(ref.getUsers(), [](Operation *user) {
    return isa<grid::LoadOp>(user) &&
           llvm::any_of(user->getUsers(), [&](Operation *reader) {
             auto dot = dyn_cast<grid::DotOp>(reader);
             return dot && dot.getLhs() == user->getResult(0);
           });
  });
}

/// Opens the scope of scratch that matrix units read and write, values that
/// warpgroups compute and accumulators in tensor memory, and of scratch that is
/// accessed in parts. Each warpgroup has its own part.
void ProgramBody::createStaging() {
  SmallVector<Type> types;
  SmallVector<Attribute> transforms, origins;
  auto add = [&](Value ref, warpgroup::Space space, ArrayAttr layout,
                 StringRef origin) {
    auto type = cast<MemRefType>(ref.getType());
    SmallVector<int64_t> shape(type.getShape());
    if (numConsumers > 1)
      shape.insert(shape.begin(), numConsumers);
    types.push_back(getRefType(shape, type.getElementType(), space));
    transforms.push_back(layout);
    origins.push_back(builder.getStringAttr(origin));
    staged[ref] = Value();
  };
  oldBody->walk([&](grid::LoadOp load) {
    if (warpgroup::isStaged(load) && !staged.contains(load.getRef()))
      add(load.getRef(), warpgroup::Space::Smem,
          getMatrixTransforms(getElementTypeOrSelf(load.getRef().getType())),
          "staged");
  });
  bool hasAccumulators = false;
  for (BlockArgument ref : oldBody->getArguments().drop_front(specs.size()))
    if (warpgroup::isInTensorMemory(ref)) {
      add(ref, warpgroup::Space::Tmem, builder.getArrayAttr({}),
          isOperand(ref) ? "operand" : "accumulator");
      hasAccumulators = true;
    } else if (!staged.contains(ref) && warpgroup::isAccessedInParts(ref)) {
      add(ref, warpgroup::Space::Smem, builder.getArrayAttr({}), "scratch");
    }
  if (hasAccumulators) {
    SmallVector<int64_t> shape;
    if (numConsumers > 1)
      shape.push_back(numConsumers);
    types.push_back(getRefType(
        shape,
        warpgroup::BarrierType::get(kernel.getContext(), /*arrivals=*/1,
                                    /*orders_tensor_core=*/true, /*cluster=*/{},
                                    /*leader_tracked=*/false),
        warpgroup::Space::Smem));
    transforms.push_back(builder.getArrayAttr({}));
    origins.push_back(builder.getStringAttr("complete"));
  }
  if (types.empty())
    return;
  auto scope = grid::ScopedOp::create(
      builder, loc, TypeRange(), getWarpgroupAxes(),
      builder.getArrayAttr(transforms), builder.getArrayAttr(origins));
  Block *block = builder.createBlock(&scope.getBody(), {}, types,
                                     SmallVector<Location>(types.size(), loc));
  grid::YieldOp::create(builder, loc);
  builder.setInsertionPointToStart(block);
  for (auto [entry, buffer] :
       llvm::zip_equal(staged, block->getArguments().take_front(staged.size())))
    entry.second = buffer;
  if (hasAccumulators)
    tensorBarrier = block->getArguments().back();
}

/// The element of a buffer along its first dimension.
Value ProgramBody::createElement(Value buffer, Value number) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> statics(type.getRank(), 0), sizes(type.getShape());
  statics[0] = ShapedType::kDynamic;
  sizes[0] = 1;
  return grid::SliceRefOp::create(
      builder, loc,
      MemRefType::get(type.getShape().drop_front(), type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace()),
      buffer, number, statics, sizes, SmallVector<int64_t>(sizes.size(), 1),
      ArrayRef<int64_t>{0});
}

void ProgramBody::createConsumer(Value warpgroup) {
  if (hasProducer() && numConsumers > 1 && chip.hasSetMaxRegisters)
    warpgroup::SetMaxRegistersOp::create(builder, loc, 232, /*increase=*/true);
  SmallVector<Value> refs(oldBody->getArguments().drop_front(specs.size()));
  llvm::erase_if(refs, [&](Value ref) { return staged.contains(ref); });
  for (auto [ref, buffer] : staged) {
    Value own = numConsumers > 1 ? createElement(buffer, warpgroup) : buffer;
    ref.replaceAllUsesWith(own);
    changeSpaceOfViews(own);
  }
  if (tensorBarrier && numConsumers > 1)
    tensorBarrier = createElement(tensorBarrier, warpgroup);
  for (unsigned output : carried)
    refs.push_back(oldBody->getArgument(output));
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> held;
  if (!refs.empty()) {
    auto types = llvm::map_to_vector(refs, [](Value ref) -> Type {
      auto type = cast<MemRefType>(ref.getType());
      return MemRefType::get(type.getShape(), type.getElementType(),
                             MemRefLayoutAttrInterface(),
                             grid::getDefaultSpace(type.getContext()));
    });
    auto scope = grid::ScopedOp::create(builder, loc, TypeRange(), ArrayAttr(),
                                        ArrayAttr(), ArrayAttr());
    Block *block = builder.createBlock(
        &scope.getBody(), {}, types, SmallVector<Location>(types.size(), loc));
    grid::YieldOp::create(builder, loc);
    builder.setInsertionPointToStart(block);
    for (auto [ref, argument] : llvm::zip_equal(refs, block->getArguments()))
      ref.replaceAllUsesWith(argument);
    oldBody->walk([&](grid::DotOp dot) {
      if (std::optional<Accumulator> found = findAccumulator(dot)) {
        auto type = cast<MemRefType>(found->ref.getType());
        found->ref.setType(getRefType(type.getShape(), type.getElementType(),
                                      warpgroup::Space::Regs));
      }
    });
    held.append(block->args_begin(), block->args_end());
  }
  if (loopDims.empty() && groups.empty())
    return createStep(warpgroup, Value());
  if (!hasProducer() && !groups.empty() && !groups.front().loop)
    beginRound(groups.front(), warpgroup, /*step=*/{},
               createRound(groups.front(), {}));
  bool isPeeled = numSteps > 2 && dependsOnStep();
  if (isPeeled)
    createStep(warpgroup, createIndex(0));
  createLoop(isPeeled, numSteps - isPeeled,
             [&](Value step) { createStep(warpgroup, step); });
  if (isPeeled)
    createStep(warpgroup, createIndex(numSteps - 1));
  for (auto [output, ref] :
       llvm::zip_equal(carried, ArrayRef(held).take_back(carried.size()))) {
    auto type = cast<MemRefType>(ref.getType());
    Type loaded = type.getElementType();
    if (type.getRank() != 0)
      loaded = RankedTensorType::get(type.getShape(), loaded);
    Value value = grid::LoadOp::create(builder, loc, loaded, ref,
                                       /*mask=*/Value(), /*other=*/Value());
    Ids ids = createIds(warpgroup, createIndex(0));
    grid::StoreOp::create(builder, loc, value, createWindow(output, ids),
                          createMask(output, ids));
  }
  // Tensor memory must not be freed before.
  if (tensorBarrier)
    createTensorWait(builder, loc, tensorBarrier);
}

/// A copy of the author's body, for one program.
void ProgramBody::createStep(Value warpgroup, Value step) {
  Ids ids = createIds(warpgroup, step);
  IRMapping mapping;
  SmallVector<Value> refs, masks;
  for (unsigned operand = 0; operand < specs.size(); ++operand) {
    refs.push_back(createWindow(operand, ids));
    masks.push_back(createMask(operand, ids));
    mapping.map(oldBody->getArgument(operand), refs.back());
  }
  SmallVector<Value> windows = refs;
  // Windows that are loaded in each step are views, which are copied with the
  // body and then replaced.
  llvm::SmallMapVector<Value, Value, 4> blocks;
  Value slot;
  if (!groups.empty() && !groups.front().loop) {
    RingGroup &group = groups.front();
    slot = beginTurn(group, warpgroup, step, /*loop=*/{});
    for (const Ring &ring : group.rings) {
      Value block = createBlock(ring, slot, warpgroup);
      if (auto whole = dyn_cast<BlockArgument>(ring.loaded)) {
        refs[whole.getArgNumber()] = block;
        mapping.map(whole, block);
      } else {
        blocks[ring.loaded] = block;
      }
    }
  }
  SmallVector<Operation *> copies;
  for (Operation &op : oldBody->without_terminator())
    copies.push_back(builder.clone(op, mapping));
  llvm::for_each(refs, changeSpaceOfViews);
  for (auto [loaded, block] : blocks)
    mapping.lookup(loaded).replaceAllUsesWith(block);
  for (RingGroup &group : groups)
    if (group.loop)
      createLoopStages(group, warpgroup, step, mapping);
  for (auto [operand, window, mask] : llvm::enumerate(windows, masks))
    if (mask)
      addMasks(operand, ids, window, mask);
  replaceAxes(copies, ids);
  if (slot)
    endTurn(groups.front(), slot);
}

/// Lets a copy of a loop of the body read the stages of its group.
void ProgramBody::createLoopStages(RingGroup &group, Value warpgroup,
                                   Value step, const IRMapping &mapping) {
  OpBuilder::InsertionGuard guard(builder);
  // The views that the rings replace are in the loop.
  auto loop = cast<scf::ForOp>(mapping.lookup(group.rings.front().loaded)
                                   .getDefiningOp()
                                   ->getParentOp());
  if (!hasProducer()) {
    builder.setInsertionPoint(loop);
    beginRound(group, warpgroup, step, createRound(group, loop));
  }
  builder.setInsertionPointToStart(loop.getBody());
  Value slot = beginTurn(group, warpgroup, step, loop);
  for (const Ring &ring : group.rings)
    mapping.lookup(ring.loaded)
        .replaceAllUsesWith(createBlock(ring, slot, warpgroup));
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  endTurn(group, slot);
}
