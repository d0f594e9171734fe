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
#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::grid_to_warpgroup;

/// True if nothing between two ops of a block accesses a Ref, which is no view.
static bool isUntouched(Value ref, Operation *from, Operation *to) {
  if (from->getBlock() != to->getBlock() || !from->isBeforeInBlock(to))
    return false;
  return llvm::none_of(ref.getUsers(), [&](Operation *user) {
    Operation *here = from->getBlock()->findAncestorOpInBlock(*user);
    return here && here != from && here != to && from->isBeforeInBlock(here) &&
           here->isBeforeInBlock(to);
  });
}

/// True for floats of a byte: matrix units add their products in fewer bits
/// than f32 has, so that threads add those of one part of the depth to others.
static bool hasShortSums(grid::DotOp dot) {
  Type element = getElementTypeOrSelf(dot.getLhs().getType());
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
}

std::optional<Accumulator>
gridir::grid_to_warpgroup::findAccumulator(grid::DotOp dot) {
  if (hasShortSums(dot) || !dot->hasAttr(kWgmmaAttr))
    return std::nullopt;
  Operation *sum = dot;
  Value old = dot.getAcc();
  if (auto match = warpgroup::matchSum(dot)) {
    sum = match->op;
    old = match->addend;
  }
  auto load = old ? old.getDefiningOp<grid::LoadOp>() : grid::LoadOp();
  if (!load || load.getMask() || !load->hasOneUse() || !sum->hasOneUse())
    return std::nullopt;
  auto store = dyn_cast<grid::StoreOp>(*sum->user_begin());
  auto ref = dyn_cast<BlockArgument>(load.getRef());
  if (!store || store.getMask() || store.getRef() != ref || !ref ||
      store.getValue() != sum->getResult(0) || !isUntouched(ref, load, store))
    return std::nullopt;
  // A Ref of the kernel, or of the scope that stands for its scratch memory.
  if (auto kernel = dyn_cast<grid::KernelOp>(ref.getOwner()->getParentOp());
      kernel && ref.getArgNumber() < kernel.getNumOperandSpecs())
    return std::nullopt;
  Accumulator found{ref, {store}};
  if (sum != dot)
    found.replaced.push_back(sum);
  found.replaced.push_back(dot);
  found.replaced.push_back(load);
  return found;
}

namespace {

/// The block in shared memory that an operand is, as the matrix that MMAs take;
/// the operand itself for a value in registers.
Value createOperand(OpBuilder &builder, Location loc, Value operand,
                    bool transposes) {
  auto load = operand.getDefiningOp<grid::LoadOp>();
  auto ref = load ? load.getRef() : Value();
  auto space = ref ? dyn_cast_if_present<grid::MemorySpaceAttr>(
                         cast<MemRefType>(ref.getType()).getMemorySpace())
                   : grid::MemorySpaceAttr();
  if (!space || space.getValue() != grid::MemorySpace::GpuSmem)
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

/// The op that an MMA replaces: a contraction, or the op that adds its result
/// to a value.
struct Replaced {
  Operation *op;
  /// The value to which products are added; null for zero.
  Value init;
};

Replaced findReplaced(grid::DotOp dot) {
  auto sum = warpgroup::matchSum(dot);
  if (sum && DominanceInfo().properlyDominates(sum->addend, dot))
    return {sum->op, sum->addend};
  return {dot, dot.getAcc()};
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
  auto [replaced, acc] = findReplaced(dot);
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
          grid::MemorySpaceAttr::get(builder.getContext(),
                                     grid::MemorySpace::GpuRegs))),
      loc);
  bool isShort = hasShortSums(dot);
  Value acc = block->getArgument(0);
  auto [replaced, init] = isShort ? Replaced{dot, Value()} : findReplaced(dot);
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

unsigned gridir::grid_to_warpgroup::convertContractions(grid::KernelOp kernel) {
  SmallVector<grid::DotOp> dots;
  kernel.getBodyRegion().walk([&](grid::DotOp dot) { dots.push_back(dot); });
  for (grid::DotOp dot : dots) {
    SmallVector<Operation *> unused;
    for (Value operand : {dot.getLhs(), dot.getRhs()})
      if (Operation *load = operand.getDefiningOp<grid::LoadOp>())
        if (!llvm::is_contained(unused, load))
          unused.push_back(load);
    OpBuilder builder(dot);
    if (!dot->hasAttr(kWgmmaAttr)) {
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
  return dots.size();
}
