//===- Contractions.cpp - Contractions as MMAs ----------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToWarpgroup/ProgramBody.h"

#include "dialects/Support/Builders.h"
#include "dialects/Warpgroup/Transforms/BlockProgram.h"
#include "dialects/Warpgroup/Transforms/MatrixUnits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::grid_to_warpgroup;

/// True for floats of a byte: matrix units add their products in fewer bits
/// than f32 has, so that threads add those of one part of the depth to others.
static bool hasShortSums(grid::DotOp dot) {
  Type element = getElementTypeOrSelf(dot.getLhs().getType());
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
}

void gridir::grid_to_warpgroup::createTensorWait(OpBuilder &builder,
                                                 Location loc, Value barrier) {
  warpgroup::Tcgen05CommitOp::create(builder, loc, barrier,
                                     /*collective=*/StringAttr());
  warpgroup::BarrierWaitOp::create(builder, loc, barrier);
}

std::optional<Accumulator>
gridir::grid_to_warpgroup::findAccumulator(grid::DotOp dot) {
  if (hasShortSums(dot) || !dot->hasAttr(kWgmmaAttr))
    return std::nullopt;
  std::optional<Accumulator> acc = warpgroup::matchAccumulator(dot);
  auto ref = acc ? dyn_cast<BlockArgument>(acc->ref) : BlockArgument();
  if (!ref || warpgroup::isInSharedMemory(ref))
    return std::nullopt;
  // A Ref of the kernel, or of the scope that stands for its scratch memory.
  auto kernel = dyn_cast<grid::KernelOp>(ref.getOwner()->getParentOp());
  bool isOperand = kernel && ref.getArgNumber() < kernel.getNumOperandSpecs();
  return isOperand ? std::nullopt : acc;
}

namespace {

/// True for a block in shared memory in the layout that MMAs read. Scratch that
/// the body accesses in parts has another one.
bool isMatrix(Value ref) {
  if (!warpgroup::isInSharedMemory(ref))
    return false;
  auto argument = dyn_cast<BlockArgument>(warpgroup::getSlicedRef(ref));
  auto scope =
      argument ? dyn_cast<grid::ScopedOp>(argument.getOwner()->getParentOp())
               : grid::ScopedOp();
  return scope && scope.getTransforms() &&
         !cast<ArrayAttr>((*scope.getTransforms())[argument.getArgNumber()])
              .empty();
}

/// The Ref in shared or tensor memory that an operand is, as the matrix that
/// MMAs take; the operand itself for a value in registers.
Value createOperand(OpBuilder &builder, Location loc, Value operand,
                    bool transposes) {
  auto load = operand.getDefiningOp<grid::LoadOp>();
  auto ref = load ? load.getRef() : Value();
  if (ref && warpgroup::isInTensorMemory(ref))
    return ref;
  if (!ref || !isMatrix(ref))
    return operand;
  if (!transposes)
    return ref;
  auto type = cast<MemRefType>(ref.getType());
  int64_t shape[] = {type.getDimSize(1), type.getDimSize(0)};
  return grid::TransposeRefOp::create(
      builder, loc,
      MemRefType::get(shape, type.getElementType(), type.getLayout(),
                      type.getMemorySpace()),
      ref, ArrayRef<int64_t>{1, 0});
}

void createMma(OpBuilder &builder, grid::DotOp dot, Value acc) {
  Location loc = dot.getLoc();
  Value lhs = createOperand(builder, loc, dot.getLhs(),
                            dot.getLhsContract()[0] == 0),
        rhs = createOperand(builder, loc, dot.getRhs(),
                            dot.getRhsContract()[0] == 1);
  warpgroup::MmaOp::create(builder, loc, acc, lhs, rhs,
                           dot.getUnsignedLhsAttr(), dot.getUnsignedRhsAttr());
  warpgroup::MmaWaitOp::create(builder, loc, 0);
}

/// Replaces `op`, which is the contraction or adds its result.
void replace(Operation *op, grid::DotOp dot, Value result) {
  op->replaceAllUsesWith(ValueRange(result));
  if (op != dot)
    op->erase();
  dot->erase();
}

/// Replaces a contraction, and the op that adds its result to a value, by an
/// MMA of warps, whose accumulator is a value.
void createMmaSync(OpBuilder &builder, grid::DotOp dot) {
  Location loc = dot.getLoc();
  auto [replaced, acc] = warpgroup::findReplacedSum(dot);
  if (!acc)
    acc = createZero(builder, loc, cast<RankedTensorType>(dot.getType()));
  auto createMatrix = [&](Value operand, bool transposes) {
    Value matrix = createOperand(builder, loc, operand, transposes);
    return matrix == operand && transposes
               ? createTransposed(builder, loc, operand)
               : matrix;
  };
  Value lhs = createMatrix(dot.getLhs(), dot.getLhsContract()[0] == 0),
        rhs = createMatrix(dot.getRhs(), dot.getRhsContract()[0] == 1);
  Value sum = warpgroup::MmaSyncOp::create(builder, loc, acc, lhs, rhs,
                                           dot.getUnsignedLhsAttr(),
                                           dot.getUnsignedRhsAttr());
  replace(replaced, dot, sum);
}

/// The accumulator in tensor memory of a contraction: the body adds the result
/// to it, or stores the result to it.
std::optional<Accumulator> findTensorAccumulator(grid::DotOp dot) {
  std::optional<Accumulator> acc = warpgroup::matchAccumulator(dot);
  if (!acc && dot->hasOneUse())
    if (auto store = dyn_cast<grid::StoreOp>(*dot->user_begin());
        store && !store.getMask() && !dot.getAcc())
      acc = Accumulator{store.getRef(), {store, dot}};
  return acc && warpgroup::isInTensorMemory(acc->ref) ? acc : std::nullopt;
}

/// Starts an MMA, for which nothing waits yet.
void createTensorMma(OpBuilder &builder, grid::DotOp dot,
                     const Accumulator &acc) {
  Location loc = dot.getLoc();
  Value lhs = createOperand(builder, loc, dot.getLhs(),
                            dot.getLhsContract()[0] == 0),
        rhs = createOperand(builder, loc, dot.getRhs(),
                            dot.getRhsContract()[0] == 1);
  Value accumulates =
      arith::ConstantIntOp::create(builder, loc, acc.addsToOld(), /*width=*/1);
  warpgroup::Tcgen05MmaOp::create(
      builder, loc, acc.ref, lhs, rhs, accumulates, /*barrier=*/Value(),
      /*lhs_scale=*/Value(), /*rhs_scale=*/Value(), /*metadata=*/Value(),
      /*collective=*/StringAttr(), dot.getUnsignedLhs(), dot.getUnsignedRhs());
}

bool startsTensorMmas(Operation *op) {
  return op
      ->walk([](warpgroup::Tcgen05MmaOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Completes MMAs before accesses of their accumulators in tensor memory and
/// before stores to their operands, and stores to accumulators before MMAs.
/// `isComplete` is true if no MMAs are pending before the block. Returns true
/// if none are pending after it.
bool completeAccesses(Block &block, Value barrier, bool isComplete) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.getNumRegions() != 0) {
      if (isa<LoopLikeOpInterface>(op) && startsTensorMmas(&op))
        isComplete = false;
      bool before = isComplete;
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          isComplete &= completeAccesses(inner, barrier, before);
      continue;
    }
    if (isa<warpgroup::Tcgen05MmaOp>(op))
      isComplete = false;
    auto load = dyn_cast<grid::LoadOp>(op);
    auto store = dyn_cast<grid::StoreOp>(op);
    bool isOfTensor = (load && warpgroup::isInTensorMemory(load.getRef())) ||
                      (store && warpgroup::isInTensorMemory(store.getRef()));
    bool isOfOperand = store && warpgroup::isInSharedMemory(store.getRef());
    if (!isOfTensor && !isOfOperand)
      continue;
    OpBuilder builder(&op);
    if (!isComplete)
      createTensorWait(builder, op.getLoc(), barrier);
    isComplete = true;
    builder.setInsertionPointAfter(&op);
    if (store && isOfTensor)
      warpgroup::CommitTmemOp::create(builder, op.getLoc());
  }
  return isComplete;
}

/// Replaces a contraction, and the op that adds its result to a value, by
/// products in an accumulator of its own.
void createAccumulator(OpBuilder &builder, grid::DotOp dot) {
  Location loc = dot.getLoc();
  auto type = cast<RankedTensorType>(dot.getType());
  auto scope = grid::ScopedOp::create(builder, loc, TypeRange(type),
                                      ArrayAttr(), ArrayAttr(), ArrayAttr());
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(
      &scope.getBody(), {},
      TypeRange(MemRefType::get(
          type.getShape(), type.getElementType(), MemRefLayoutAttrInterface(),
          warpgroup::SpaceAttr::get(builder.getContext(),
                                    warpgroup::Space::Regs))),
      loc);
  bool isShort = hasShortSums(dot);
  Value acc = block->getArgument(0);
  auto [replaced, init] = isShort ? warpgroup::ReplacedSum{dot, Value()}
                                  : warpgroup::findReplacedSum(dot);
  if (!init)
    init = createZero(builder, loc, type);
  grid::StoreOp::create(builder, loc, init, acc, /*mask=*/Value());
  createMma(builder, dot, acc);
  Value result = grid::LoadOp::create(builder, loc, type, acc,
                                      /*mask=*/Value(), /*other=*/Value());
  if (isShort && dot.getAcc())
    result = createAdd(builder, loc, dot.getAcc(), result);
  grid::YieldOp::create(builder, loc, result);
  replace(replaced, dot, scope.getResult(0));
}

} // namespace

void gridir::grid_to_warpgroup::selectUnits(grid::KernelOp kernel,
                                            const gpu::Chip &chip) {
  kernel.getBodyRegion().walk([&](grid::DotOp dot) {
    if (warpgroup::findUnit(dot, chip) == warpgroup::MatrixUnit::Warpgroup)
      dot->setAttr(kWgmmaAttr, UnitAttr::get(kernel.getContext()));
  });
}

unsigned gridir::grid_to_warpgroup::convertContractions(grid::KernelOp kernel,
                                                        Value tensorBarrier) {
  SmallVector<grid::DotOp> dots;
  kernel.getBodyRegion().walk([&](grid::DotOp dot) { dots.push_back(dot); });
  for (grid::DotOp dot : dots) {
    SmallVector<Operation *> unused;
    for (Value operand : {dot.getLhs(), dot.getRhs()})
      if (Operation *load = operand.getDefiningOp<grid::LoadOp>())
        if (!llvm::is_contained(unused, load))
          unused.push_back(load);
    OpBuilder builder(dot);
    if (auto acc = findTensorAccumulator(dot)) {
      builder.setInsertionPoint(acc->replaced.front());
      createTensorMma(builder, dot, *acc);
      for (Operation *op : acc->replaced)
        op->erase();
    } else if (!dot->hasAttr(kWgmmaAttr)) {
      createMmaSync(builder, dot);
    } else if (auto acc = findAccumulator(dot)) {
      // Other ops between the load and the store do not access the Ref.
      builder.setInsertionPoint(acc->replaced.front());
      createMma(builder, dot, acc->ref);
      for (Operation *op : acc->replaced)
        op->erase();
    } else {
      createAccumulator(builder, dot);
    }
    for (Operation *load : unused)
      if (load->use_empty())
        load->erase();
  }
  if (tensorBarrier)
    completeAccesses(*kernel.getBodyBlock(), tensorBarrier,
                     /*isComplete=*/true);
  return dots.size();
}
