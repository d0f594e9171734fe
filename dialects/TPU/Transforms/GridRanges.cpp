//===- GridRanges.cpp - How far the integers of a kernel go ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/Transforms/GridRanges.h"

#include "dialects/TPU/IR/TPU.h"

#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gridir::tpu {

void GridRangeAnalysis::setToEntryState(
    dataflow::IntegerValueRangeLattice *lattice) {
  auto argument = dyn_cast<BlockArgument>(lattice->getAnchor());
  if (!argument || argument.getOwner() != &function.front() ||
      argument.getArgNumber() >= bounds.size())
    return IntegerRangeAnalysis::setToEntryState(lattice);
  int64_t bound = bounds[argument.getArgNumber()];
  if (ShapedType::isDynamic(bound))
    bound = std::numeric_limits<int32_t>::max();
  unsigned width = ConstantIntRanges::getStorageBitwidth(argument.getType());
  int64_t last = std::max<int64_t>(bound - 1, 0);
  if (width == 0 || !llvm::isIntN(width, last))
    return IntegerRangeAnalysis::setToEntryState(lattice);
  auto range =
      ConstantIntRanges::fromSigned(APInt::getZero(width), APInt(width, last));
  propagateIfChanged(lattice, lattice->join(IntegerValueRange(range)));
}

SmallVector<func::FuncOp> getFunctions(func::FuncOp kernel) {
  llvm::SmallSetVector<func::FuncOp, 8> functions;
  functions.insert(kernel);
  auto module = kernel->getParentOfType<ModuleOp>();
  if (auto windows = kernel->getAttrOfType<ArrayAttr>(kWindowParamsName))
    windows.walk([&](FlatSymbolRefAttr transform) {
      if (auto function = module.lookupSymbol<func::FuncOp>(transform))
        functions.insert(function);
    });
  return functions.takeVector();
}

namespace {

/// What an op computes of two numbers, in as many bits as no result needs.
std::optional<APInt> compute(Operation *op, const APInt &lhs,
                             const APInt &rhs) {
  APInt a = lhs.sext(128), b = rhs.sext(128);
  if (isa<arith::AddIOp>(op))
    return a + b;
  if (isa<arith::SubIOp>(op))
    return a - b;
  if (isa<arith::MulIOp>(op))
    return a * b;
  // Of a shift the number of bits is a number, too.
  if (isa<arith::ShLIOp>(op))
    return b.isNegative() || b.uge(32) ? APInt::getSignedMaxValue(128)
                                       : a.shl(b);
  return std::nullopt;
}

/// Whether the result of an op on scalars may be a number that 32 bits do not
/// hold, which are what a TPU's scalar unit and its addresses have.
bool mayWrap(Operation *op, DataFlowSolver &solver) {
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op) ||
      isa<ShapedType>(op->getResult(0).getType()))
    return false;
  SmallVector<ConstantIntRanges> ranges;
  for (Value operand : op->getOperands()) {
    const auto *lattice =
        solver.lookupState<dataflow::IntegerValueRangeLattice>(operand);
    // What never runs does not wrap.
    if (!lattice || lattice->getValue().isUninitialized())
      return false;
    ranges.push_back(lattice->getValue().getValue());
  }
  for (const APInt &lhs : {ranges[0].smin(), ranges[0].smax()})
    for (const APInt &rhs : {ranges[1].smin(), ranges[1].smax()})
      if (!compute(op, lhs, rhs)->isSignedIntN(32))
        return true;
  return false;
}

/// Whether an op may access memory outside of what its operands name.
bool mayReadBeyond(Operation *op, DataFlowSolver &solver) {
  if (isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>())
    return false;
  auto load = dyn_cast<memref::LoadOp>(op);
  if (!load)
    return true;
  for (auto [index, size] :
       llvm::zip_equal(load.getIndices(), load.getMemRefType().getShape())) {
    const auto *lattice =
        solver.lookupState<dataflow::IntegerValueRangeLattice>(index);
    if (!lattice || lattice->getValue().isUninitialized() ||
        ShapedType::isDynamic(size))
      return true;
    ConstantIntRanges range = lattice->getValue().getValue();
    if (range.smin().isNegative() || range.smax().sge(size))
      return true;
  }
  return false;
}

} // namespace

/// The first op of a function for which a predicate holds, which is asked with
/// the ranges of the function's integers.
static Operation *
findOp(func::FuncOp kernel, func::FuncOp function,
       llvm::function_ref<bool(Operation *, DataFlowSolver &)> holds) {
  auto bounds = kernel->getAttrOfType<DenseI64ArrayAttr>(kIterationBoundsName);
  DataFlowSolver solver;
  dataflow::loadBaselineAnalyses(solver);
  solver.load<GridRangeAnalysis>(function, bounds ? bounds.asArrayRef()
                                                  : ArrayRef<int64_t>());
  if (failed(solver.initializeAndRun(function)))
    return function;
  Operation *found = nullptr;
  function.getBody().walk([&](Operation *op) {
    if (!holds(op, solver))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

Operation *findWrapping(func::FuncOp kernel) {
  for (func::FuncOp function : getFunctions(kernel))
    if (Operation *op = findOp(kernel, function, mayWrap))
      return op;
  return nullptr;
}

Operation *findReadBeyond(func::FuncOp kernel) {
  for (func::FuncOp function : getFunctions(kernel))
    if (function != kernel)
      if (Operation *op = findOp(kernel, function, mayReadBeyond))
        return op;
  return nullptr;
}

} // namespace gridir::tpu
