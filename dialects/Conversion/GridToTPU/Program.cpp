//===- Program.cpp - The running program, control flow and scopes ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToTPU/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gridir::grid_to_tpu {
namespace {

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

LogicalResult lowerProgramId(grid::ProgramIdOp op, Lowering &lowering) {
  lowering.set(op.getResult(),
               lowering.programIds[*lowering.kernel.findDim(op.getAxis())]);
  return success();
}

LogicalResult lowerNumPrograms(grid::NumProgramsOp op, Lowering &lowering) {
  unsigned dim = *lowering.kernel.findDim(op.getAxis());
  grid::DimAttr attr = lowering.kernel.getDim(dim);
  OpBuilder &builder = lowering.builder;
  lowering.set(op.getResult(),
               attr.isDynamic()
                   ? tpu::IterationBoundOp::create(builder, op.getLoc(),
                                                   builder.getI32Type(), dim)
                         .getResult()
                   : createI32(builder, op.getLoc(), attr.getSize()));
  return success();
}

LogicalResult lowerAssumeMultiple(grid::AssumeMultipleOp op,
                                  Lowering &lowering) {
  lowering.set(op.getResult(),
               tpu::AssumeMultipleOp::create(
                   lowering.builder, op.getLoc(), lowering.get(op.getValue()),
                   static_cast<int32_t>(op.getMultiple())));
  return success();
}

LogicalResult lowerSeed(grid::PrngSeedOp op, Lowering &lowering) {
  SmallVector<Value> seeds;
  for (Value seed : op.getSeeds())
    seeds.push_back(toI32(lowering.builder, op.getLoc(), lowering.get(seed)));
  tpu::PRNGSeed32Op::create(lowering.builder, op.getLoc(), seeds);
  return success();
}

LogicalResult lowerBits(grid::PrngBitsOp op, Lowering &lowering) {
  FailureOr<Type> type = lowering.convertType(op, op.getResult().getType());
  if (failed(type))
    return failure();
  auto vector = dyn_cast<VectorType>(*type);
  if (!vector || !vector.getElementType().isInteger(32))
    return op.emitError(
               "expected random bits as an array of i32 on a TPU, got ")
           << op.getResult().getType();
  lowering.set(op.getResult(), tpu::PRNGRandomBitsOp::create(
                                   lowering.builder, op.getLoc(), vector));
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Emits a region of an op again: a block with the same arguments, and a
/// terminator of the same kind.
LogicalResult lowerRegion(Lowering &lowering, Region &from, Region &to) {
  if (from.empty())
    return success();
  Block &source = from.front();
  FailureOr<SmallVector<Type>> types =
      lowering.convertTypes(from.getParentOp(), source.getArgumentTypes());
  if (failed(types))
    return failure();
  OpBuilder::InsertionGuard guard(lowering.builder);
  SmallVector<Location> locs(types->size(), from.getLoc());
  Block *target = lowering.builder.createBlock(&to, to.end(), *types, locs);
  lowering.set(source.getArguments(), target->getArguments());
  if (failed(lowerBlock(source, lowering)))
    return failure();
  Operation *terminator = source.getTerminator();
  createLike(lowering.builder, terminator,
             lowering.get(terminator->getOperands()), TypeRange());
  return success();
}

/// An op of control flow on its converted operands.
template <typename OpT> LogicalResult lowerControl(OpT op, Lowering &lowering) {
  FailureOr<SmallVector<Type>> types =
      lowering.convertTypes(op, op->getResultTypes());
  if (failed(types))
    return failure();
  Operation *target =
      createLike(lowering.builder, op, lowering.get(op->getOperands()), *types);
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), target->getRegions()))
    if (failed(lowerRegion(lowering, from, to)))
      return failure();
  lowering.set(op->getResults(), target->getResults());
  return success();
}

LogicalResult lowerFor(scf::ForOp op, Lowering &lowering) {
  FailureOr<bool> isCopy = lowerCopyLoops(op, lowering);
  if (failed(isCopy))
    return failure();
  return *isCopy ? success() : lowerControl(op, lowering);
}

/// The number that a switch selects its case by.
struct SwitchNumber {
  Value value;
  /// True if each case is also that of all smaller numbers without a case of
  /// their own.
  bool isOrdered;
};

/// Returns the number of a switch with the cases 0, 1 and so on. A comparison
/// for order, case by case, needs no number that is clamped to the cases.
SwitchNumber getSwitchNumber(scf::IndexSwitchOp op) {
  SwitchNumber number{op.getArg(), false};
  int64_t count = op.getCases().size();
  if (!llvm::equal(op.getCases(), llvm::seq<int64_t>(0, count)))
    return number;
  for (Value value = op.getArg(); value;) {
    APInt bound;
    Operation *def = value.getDefiningOp();
    if (auto least = dyn_cast_if_present<arith::MaxSIOp>(def);
        least && matchPattern(least.getRhs(), m_ConstantInt(&bound)) &&
        bound.isZero()) {
      number = {least.getLhs(), true};
    } else if (auto most = dyn_cast_if_present<arith::MinSIOp>(def);
               most && matchPattern(most.getRhs(), m_ConstantInt(&bound)) &&
               bound.sge(count)) {
      number.value = most.getLhs();
    } else if (isa_and_present<arith::IndexCastOp, arith::ExtSIOp>(def) &&
               !def->getOperand(0).getType().isInteger(64)) {
      number.value = def->getOperand(0);
    } else {
      break;
    }
    value = number.value;
  }
  return number;
}

/// Mosaic has no switch among several regions, so it becomes nested conditions.
LogicalResult lowerSwitch(scf::IndexSwitchOp op, Lowering &lowering) {
  FailureOr<SmallVector<Type>> types =
      lowering.convertTypes(op, op.getResultTypes());
  if (failed(types))
    return failure();
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  SwitchNumber selector = getSwitchNumber(op);
  Value number = toI32(builder, loc, lowering.get(selector.value));
  auto predicate =
      selector.isOrdered ? arith::CmpIPredicate::sle : arith::CmpIPredicate::eq;
  OpBuilder::InsertionGuard guard(builder);
  auto lowerCase = [&](Block &source) {
    if (failed(lowerBlock(source, lowering)))
      return failure();
    scf::YieldOp::create(builder, source.getTerminator()->getLoc(),
                         lowering.get(source.getTerminator()->getOperands()));
    return success();
  };
  scf::IfOp outermost;
  for (auto [i, value] : llvm::enumerate(op.getCases())) {
    Value isCase = arith::CmpIOp::create(builder, loc, predicate, number,
                                         createI32(builder, loc, value));
    auto choice = scf::IfOp::create(builder, loc, *types, isCase,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    if (outermost)
      scf::YieldOp::create(builder, loc, choice.getResults());
    else
      outermost = choice;
    builder.setInsertionPointToEnd(choice.thenBlock());
    if (failed(lowerCase(op.getCaseBlock(i))))
      return failure();
    builder.setInsertionPointToEnd(choice.elseBlock());
  }
  if (!outermost) {
    if (failed(lowerBlock(op.getDefaultBlock(), lowering)))
      return failure();
    lowering.set(
        op.getResults(),
        lowering.get(op.getDefaultBlock().getTerminator()->getOperands()));
    return success();
  }
  if (failed(lowerCase(op.getDefaultBlock())))
    return failure();
  lowering.set(op.getResults(), outermost.getResults());
  return success();
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

LogicalResult lowerScoped(grid::ScopedOp op, Lowering &lowering) {
  if (op.getCollective())
    return op.emitError("expected a scope of one program, since programs on a "
                        "TPU cannot share a scope");
  FailureOr<SmallVector<Type>> types =
      lowering.convertTypes(op, op.getResultTypes());
  if (failed(types))
    return failure();
  OpBuilder &builder = lowering.builder;
  auto region = tpu::RegionOp::create(builder, op.getLoc(), *types);
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&region.getRegion());
  Block &body = op.getBody().front();
  for (BlockArgument argument : body.getArguments()) {
    auto refType = cast<MemRefType>(argument.getType());
    FailureOr<MemRefType> type = lowering.convertRef(op, refType);
    if (failed(type))
      return failure();
    bool isSemaphore = isa<grid::SemaphoreType>(refType.getElementType());
    Value memref =
        isSemaphore
            ? tpu::AllocaSemaphoreOp::create(builder, op.getLoc(), *type)
                  .getResult()
            : memref::AllocaOp::create(builder, op.getLoc(), *type).getResult();
    lowering.setView(argument, getWholeView(memref, refType.getElementType()));
  }
  if (failed(lowerBlock(body, lowering)))
    return failure();
  Operation *yield = body.getTerminator();
  tpu::YieldOp::create(builder, yield->getLoc(),
                       lowering.get(yield->getOperands()));
  lowering.set(op.getResults(), region.getResults());
  return success();
}

} // namespace

void addProgramLowerings(Handlers &handlers) {
  handlers.add(lowerProgramId);
  handlers.add(lowerNumPrograms);
  handlers.add(lowerAssumeMultiple);
  handlers.add(lowerSeed);
  handlers.add(lowerBits);
  handlers.add(lowerFor);
  handlers.add(lowerControl<scf::IfOp>);
  handlers.add(lowerControl<scf::WhileOp>);
  handlers.add(lowerSwitch);
  handlers.add(lowerScoped);
}

} // namespace gridir::grid_to_tpu
