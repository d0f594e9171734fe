//===- ProgramBody.cpp - The body of a warpgroup program ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToWarpgroup/ProgramBody.h"

#include "dialects/Grid/IR/IndexMaps.h"
#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::grid_to_warpgroup;

/// A Ref type in another memory space.
static MemRefType getRefType(ArrayRef<int64_t> shape, Type element,
                             grid::MemorySpace space) {
  return MemRefType::get(
      shape, element, MemRefLayoutAttrInterface(),
      grid::MemorySpaceAttr::get(element.getContext(), space));
}

/// Changes the memory space of a Ref's views to that of the Ref.
static void changeSpaceOfViews(Value ref) {
  Attribute space = cast<MemRefType>(ref.getType()).getMemorySpace();
  for (Operation *user : ref.getUsers())
    if (isa<grid::RefViewOpInterface>(user)) {
      Value view = user->getResult(0);
      auto type = cast<MemRefType>(view.getType());
      view.setType(MemRefType::get(type.getShape(), type.getElementType(),
                                   type.getLayout(), space));
      changeSpaceOfViews(view);
    }
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
  }
}

void ProgramBody::convert() {
  findRings();
  changeKernel();
  builder.setInsertionPointToStart(newBody);
  Value warpgroup;
  if (threadName)
    warpgroup = grid::ProgramIdOp::create(builder, loc, builder.getI32Type(),
                                          threadName);
  if (rings.empty()) {
    createConsumer(warpgroup);
  } else {
    createRings();
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

/// The operands in `shared`, by the copies that each stage takes.
void ProgramBody::findRings() {
  for (int64_t input : schedule.getShared()) {
    Ring &ring = rings.emplace_back();
    ring.input = input;
    bool isOfThread = llvm::any_of(threadDims, [&](unsigned dim) {
      return maps[input].isFunctionOfDim(dim);
    });
    ring.copies = isOfThread ? numConsumers : 1;
  }
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
  int64_t numWarpgroups = numConsumers + !rings.empty();
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
        grid::MemorySpace::GpuGmem, grid::PipelineModeAttr(),
        /*transforms=*/{}, spec.getOrigin(), /*indexTree=*/StringAttr());
  };
  ArrayRef<grid::OperandAttr> all(specs);
  Type indexType =
      kernel.getIndexMap(0).front().getTerminator()->getOperandTypes().front();
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
  kernel->removeAttr("grid.memory_plan");

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

/// Sets the ids along `dims` to the coordinates of a number in row-major order.
void ProgramBody::delinearize(Value number, ArrayRef<unsigned> order,
                              Ids &ids) {
  for (unsigned dim : llvm::reverse(order)) {
    bool isFirst = dim == order.front();
    Value size = createIndex(dims[dim].getSize());
    ids[dim] =
        isFirst
            ? number
            : arith::RemUIOp::create(builder, loc, number, size).getResult();
    if (!isFirst)
      number = arith::DivUIOp::create(builder, loc, number, size);
  }
}

ProgramBody::Ids ProgramBody::createIds(Value warpgroup, Value step) {
  Ids ids(dims.size());
  auto toIndex = [&](Value value) -> Value {
    if (value.getType().isIndex())
      return value;
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      value);
  };
  for (auto [i, dim] : llvm::enumerate(ctaDims))
    ids[dim] = toIndex(grid::ProgramIdOp::create(
        builder, loc, builder.getI32Type(), builder.getI64IntegerAttr(i)));
  if (!threadDims.empty())
    delinearize(toIndex(warpgroup), threadDims, ids);
  if (!loopDims.empty())
    delinearize(step, loopDims, ids);
  return ids;
}

SmallVector<OpFoldResult> ProgramBody::createOffsets(unsigned operand,
                                                     const Ids &ids) {
  SmallVector<OpFoldResult> offsets;
  for (auto [dim, index] : llvm::zip_equal(specs[operand].getBlockDims(),
                                           maps[operand].getResults())) {
    // An index counts blocks, or elements of the array.
    AffineExpr offset = dim.getKind() == grid::BlockKind::Blocked
                            ? index * dim.getSize()
                            : index;
    if (auto known = dyn_cast<AffineConstantExpr>(offset))
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
                 grid::MemorySpace::GpuGmem),
      newBody->getArgument(operand), dynamics, statics, sizes,
      SmallVector<int64_t>(sizes.size(), 1), getSqueezedDims(operand));
}

/// Opens the scope of the rings and their barriers, which all warpgroups share.
void ProgramBody::createRings() {
  MLIRContext *context = kernel.getContext();
  SmallVector<Type> types;
  SmallVector<Attribute> transforms, origins;
  int64_t stages = schedule.getStages(), copies = 0;
  for (Ring &ring : rings) {
    auto ref = cast<MemRefType>(oldBody->getArgument(ring.input).getType());
    SmallVector<int64_t> shape{stages};
    if (ring.copies > 1)
      shape.push_back(ring.copies);
    llvm::append_range(shape, ref.getShape());
    types.push_back(
        getRefType(shape, ref.getElementType(), grid::MemorySpace::GpuSmem));
    // Matrix units read rows of as many bytes as all banks have.
    constexpr int64_t rowBytes = 128, groupRows = 8;
    int64_t rowElements = rowBytes * 8 / ref.getElementTypeBitWidth();
    transforms.push_back(builder.getArrayAttr(
        {grid::TransformAttr::get(context, grid::TransformKind::Unswizzle,
                                  {rowBytes}),
         grid::TransformAttr::get(context, grid::TransformKind::Untiling,
                                  {groupRows, rowElements})}));
    origins.push_back(builder.getStringAttr(specs[ring.input].getName("")));
    copies += ring.copies;
  }
  for (auto [name, arrivals] :
       {std::pair<StringRef, int64_t>("full", copies),
        std::pair<StringRef, int64_t>("empty", numConsumers)}) {
    types.push_back(getRefType(
        {stages},
        warpgroup::BarrierType::get(context, arrivals, /*orders_tensor_core=*/
                                    false, /*cluster=*/{},
                                    /*leader_tracked=*/false),
        grid::MemorySpace::GpuSmem));
    transforms.push_back(builder.getArrayAttr({}));
    origins.push_back(builder.getStringAttr(name));
  }
  auto scope = grid::ScopedOp::create(
      builder, loc, TypeRange(), builder.getArrayAttr({threadName}),
      builder.getArrayAttr(transforms), builder.getArrayAttr(origins));
  Block *block = builder.createBlock(&scope.getBody(), {}, types,
                                     SmallVector<Location>(types.size(), loc));
  for (auto [ring, argument] : llvm::zip(rings, block->getArguments()))
    ring.buffer = argument;
  full = block->getArgument(rings.size());
  empty = block->getArgument(rings.size() + 1);
  grid::YieldOp::create(builder, loc);
  builder.setInsertionPointToStart(block);
}

Value ProgramBody::createSlot(Value step) {
  Value number =
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), step);
  return arith::RemSIOp::create(
      builder, loc, number,
      arith::ConstantOp::create(
          builder, loc, builder.getI32IntegerAttr(schedule.getStages())));
}

Value ProgramBody::createBarrier(Value barriers, Value slot) {
  auto type = cast<MemRefType>(barriers.getType());
  return grid::SliceRefOp::create(
      builder, loc,
      getRefType({}, type.getElementType(), grid::MemorySpace::GpuSmem),
      barriers, slot, ArrayRef<int64_t>{ShapedType::kDynamic},
      ArrayRef<int64_t>{1}, ArrayRef<int64_t>{1}, ArrayRef<int64_t>{0});
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
                 type.getElementType(), grid::MemorySpace::GpuSmem),
      ring.buffer, offsets, statics, sizes,
      SmallVector<int64_t>(sizes.size(), 1), dropped);
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

void ProgramBody::createProducer() {
  if (numConsumers > 1 && chip.hasSetMaxRegisters)
    warpgroup::SetMaxRegistersOp::create(builder, loc, 40,
                                         /*increase=*/false);
  createLoop(0, numSteps, [&](Value step) {
    Value slot = createSlot(step);
    Value isReused =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, step,
                              createIndex(schedule.getStages()));
    auto branch = scf::IfOp::create(builder, loc, isReused,
                                    /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(branch.thenBlock());
      warpgroup::BarrierWaitOp::create(builder, loc,
                                       createBarrier(empty, slot));
    }
    for (const Ring &ring : rings)
      createCopies(ring, step, slot);
  });
}

void ProgramBody::createCopies(const Ring &ring, Value step, Value slot) {
  for (int64_t copy = 0; copy < ring.copies; ++copy) {
    Value consumer = arith::ConstantOp::create(builder, loc,
                                               builder.getI32IntegerAttr(copy));
    SmallVector<OpFoldResult> offsets =
        createOffsets(ring.input, createIds(consumer, step));
    SmallVector<int64_t> statics, dropped = getSqueezedDims(ring.input);
    SmallVector<Value> dynamics;
    for (OpFoldResult &offset : offsets)
      if (auto value = dyn_cast<Value>(offset))
        offset = arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                            value)
                     .getResult();
    dispatchIndexOpFoldResults(offsets, dynamics, statics);
    Value dest = createBlock(ring, slot, consumer);
    warpgroup::TmaLoadOp::create(
        builder, loc, newBody->getArgument(ring.input), dynamics, statics,
        specs[ring.input].getBlockShape(),
        dropped.empty() ? DenseI64ArrayAttr()
                        : builder.getDenseI64ArrayAttr(dropped),
        dest, createBarrier(full, slot), /*collective=*/ArrayAttr(),
        /*leader_tracked=*/false);
  }
}

/// Returns the outputs that the body reads back and whose block is the same in
/// every step: registers hold it until the last step.
SmallVector<unsigned> ProgramBody::findCarriedOutputs() {
  SmallVector<unsigned> carried;
  for (unsigned i = kernel.getNumInputs(); i < specs.size(); ++i) {
    auto isWhole = [](Operation *user) {
      auto load = dyn_cast<grid::LoadOp>(user);
      auto store = dyn_cast<grid::StoreOp>(user);
      return (load && !load.getMask()) || (store && !store.getMask());
    };
    auto users = oldBody->getArgument(i).getUsers();
    bool isAliased = llvm::any_of(kernel.getAliasPairs(), [&](auto pair) {
      return kernel.getNumInputs() + pair.second == i;
    });
    bool isMoved = llvm::any_of(
        loopDims, [&](unsigned dim) { return maps[i].isFunctionOfDim(dim); });
    if (!loopDims.empty() && !isAliased && !isMoved &&
        llvm::all_of(users, isWhole) &&
        llvm::any_of(users, llvm::IsaPred<grid::LoadOp>))
      carried.push_back(i);
  }
  return carried;
}

void ProgramBody::createConsumer(Value warpgroup) {
  if (!rings.empty() && numConsumers > 1 && chip.hasSetMaxRegisters)
    warpgroup::SetMaxRegistersOp::create(builder, loc, 232, /*increase=*/true);
  SmallVector<unsigned> carried = findCarriedOutputs();
  SmallVector<Value> refs(oldBody->getArguments().drop_front(specs.size()));
  for (unsigned output : carried)
    refs.push_back(oldBody->getArgument(output));
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> held;
  if (!refs.empty()) {
    auto types = llvm::map_to_vector(refs, [](Value ref) -> Type {
      auto type = cast<MemRefType>(ref.getType());
      return getRefType(type.getShape(), type.getElementType(),
                        grid::MemorySpace::Default);
    });
    auto scope = grid::ScopedOp::create(builder, loc, TypeRange(), ArrayAttr(),
                                        ArrayAttr(), ArrayAttr());
    Block *block = builder.createBlock(
        &scope.getBody(), {}, types, SmallVector<Location>(types.size(), loc));
    grid::YieldOp::create(builder, loc);
    builder.setInsertionPointToStart(block);
    for (auto [ref, argument] : llvm::zip_equal(refs, block->getArguments()))
      ref.replaceAllUsesWith(argument);
    // Matrix units have accumulators of their own.
    oldBody->walk([&](grid::DotOp dot) {
      if (std::optional<Accumulator> found = findAccumulator(dot)) {
        auto type = cast<MemRefType>(found->ref.getType());
        found->ref.setType(getRefType(type.getShape(), type.getElementType(),
                                      grid::MemorySpace::GpuRegs));
      }
    });
    held.append(block->args_begin(), block->args_end());
  }
  if (loopDims.empty() && rings.empty())
    return createStep(warpgroup, Value());
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
    Value value = grid::LoadOp::create(
        builder, loc,
        RankedTensorType::get(type.getShape(), type.getElementType()), ref,
        /*mask=*/Value(), /*other=*/Value());
    grid::StoreOp::create(
        builder, loc, value,
        createWindow(output, createIds(warpgroup, createIndex(0))),
        /*mask=*/Value());
  }
}

/// Replaces ops of a copy of the body that ask about the author's dimensions.
void ProgramBody::replaceAxes(ArrayRef<Operation *> copies, const Ids &ids) {
  SmallVector<Operation *> questions;
  for (Operation *copy : copies)
    copy->walk([&](Operation *op) {
      if (isa<grid::ProgramIdOp, grid::NumProgramsOp>(op))
        questions.push_back(op);
    });
  for (Operation *op : questions) {
    unsigned dim = findDim(op->getAttr("axis"));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(op);
    Value value =
        isa<grid::ProgramIdOp>(op)
            ? arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                         ids[dim])
                  .getResult()
            : arith::ConstantOp::create(
                  builder, loc, builder.getI32IntegerAttr(dims[dim].getSize()))
                  .getResult();
    op->replaceAllUsesWith(ValueRange(value));
    op->erase();
  }
}

/// Returns the author's dimension of that number or name.
unsigned ProgramBody::findDim(Attribute axis) const {
  if (auto number = dyn_cast<IntegerAttr>(axis))
    return number.getInt();
  auto *named = llvm::find_if(
      dims, [&](grid::DimAttr dim) { return dim.getName() == axis; });
  return named - dims.begin();
}

/// True if the body does something in certain steps only, as `pl.when` of the
/// first or last one. The loop is shorter without that.
bool ProgramBody::dependsOnStep() const {
  auto isStep = [&](Value value) {
    auto id = value.getDefiningOp<grid::ProgramIdOp>();
    return id && llvm::is_contained(loopDims, findDim(id.getAxis()));
  };
  return llvm::any_of(oldBody->getOps<scf::IfOp>(), [&](scf::IfOp branch) {
    auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
    return compare && (isStep(compare.getLhs()) || isStep(compare.getRhs()));
  });
}

/// A copy of the author's body, for one program.
void ProgramBody::createStep(Value warpgroup, Value step) {
  Ids ids = createIds(warpgroup, step);
  Value slot;
  if (!rings.empty()) {
    slot = createSlot(step);
    warpgroup::BarrierWaitOp::create(builder, loc, createBarrier(full, slot));
  }
  IRMapping mapping;
  SmallVector<Value> refs;
  for (unsigned operand = 0; operand < specs.size(); ++operand) {
    auto *ring = llvm::find_if(
        rings, [&](const Ring &ring) { return ring.input == operand; });
    refs.push_back(ring != rings.end() ? createBlock(*ring, slot, warpgroup)
                                       : createWindow(operand, ids));
    mapping.map(oldBody->getArgument(operand), refs.back());
  }
  SmallVector<Operation *> copies;
  for (Operation &op : oldBody->without_terminator())
    copies.push_back(builder.clone(op, mapping));
  llvm::for_each(refs, changeSpaceOfViews);
  replaceAxes(copies, ids);
  if (!rings.empty())
    warpgroup::BarrierArriveOp::create(builder, loc,
                                       createBarrier(empty, slot));
}
