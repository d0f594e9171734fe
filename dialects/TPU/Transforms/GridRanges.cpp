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
#include "mlir/IR/Matchers.h"
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

/// The range of `select(x == end, first, x)`, if `old` is its range so far;
/// when that changes, all values of `x` before it reaches the end. None for
/// another select, and if `x` may be on both sides of the end.
static std::optional<ConstantIntRanges>
inferRestart(arith::SelectOp select,
             ArrayRef<const dataflow::IntegerValueRangeLattice *> operands,
             const IntegerValueRange &old) {
  auto cmp = select.getCondition().getDefiningOp<arith::CmpIOp>();
  APInt end;
  if (!cmp || cmp.getLhs().getType().isInteger(1) ||
      cmp.getPredicate() != arith::CmpIPredicate::eq ||
      cmp.getLhs() != select.getFalseValue() ||
      !matchPattern(cmp.getRhs(), m_ConstantInt(&end)) ||
      operands[1]->getValue().isUninitialized() ||
      operands[2]->getValue().isUninitialized())
    return std::nullopt;
  const ConstantIntRanges &first = operands[1]->getValue().getValue();
  const ConstantIntRanges &x = operands[2]->getValue().getValue();
  bool isBelow = x.smax().sle(end), isAbove = x.smin().sge(end);
  if (isBelow == isAbove)
    return std::nullopt;
  bool isFirst = old.isUninitialized();
  if (isFirst && x.smin() != end && x.smax() != end)
    return x;
  // The range of the value while the loop continues.
  auto going = ConstantIntRanges::fromSigned(isBelow ? x.smin() : end + 1,
                                             isBelow ? end - 1 : x.smax());
  ConstantIntRanges range = first.rangeUnion(going);
  if (isFirst)
    return range;
  // Only the bound at the end may grow; otherwise the iteration might not
  // terminate.
  ConstantIntRanges before = old.getValue().rangeUnion(first);
  bool isSettled = isBelow ? range.smin().sge(before.smin())
                           : range.smax().sle(before.smax());
  return isSettled ? std::optional(range) : std::nullopt;
}

/// The numbers that a vector counts.
static ConstantIntRanges inferIota(IotaOp iota) {
  VectorType type = cast<VectorType>(iota.getType());
  int64_t count = 1;
  for (int32_t dim : iota.getDimensions())
    count *= type.getDimSize(dim);
  unsigned width = ConstantIntRanges::getStorageBitwidth(type);
  if (!llvm::isIntN(width, count - 1))
    return ConstantIntRanges::maxRange(width);
  return ConstantIntRanges::fromSigned(APInt::getZero(width),
                                       APInt(width, count - 1));
}

LogicalResult GridRangeAnalysis::visitOperation(
    Operation *op,
    ArrayRef<const dataflow::IntegerValueRangeLattice *> operands,
    ArrayRef<dataflow::IntegerValueRangeLattice *> results) {
  if (auto iota = dyn_cast<IotaOp>(op)) {
    propagateIfChanged(results.front(), results.front()->join(IntegerValueRange(
                                            inferIota(iota))));
    return success();
  }
  if (auto select = dyn_cast<arith::SelectOp>(op))
    if (std::optional<ConstantIntRanges> range =
            inferRestart(select, operands, results.front()->getValue())) {
      propagateIfChanged(results.front(),
                         results.front()->join(IntegerValueRange(*range)));
      return success();
    }
  return IntegerRangeAnalysis::visitOperation(op, operands, results);
}

SmallVector<func::FuncOp> getTransforms(func::FuncOp kernel) {
  SmallVector<func::FuncOp> transforms;
  auto windows = kernel->getAttrOfType<ArrayAttr>(kWindowParamsName);
  if (!windows)
    return transforms;
  auto module = kernel->getParentOfType<ModuleOp>();
  for (Attribute window : windows) {
    auto params = dyn_cast<DictionaryAttr>(window);
    auto name = params ? params.getAs<FlatSymbolRefAttr>(kTransformIndicesName)
                       : FlatSymbolRefAttr();
    transforms.push_back(name
                             ? module.lookupSymbol<func::FuncOp>(name.getAttr())
                             : func::FuncOp());
  }
  return transforms;
}

SmallVector<func::FuncOp> getFunctions(func::FuncOp kernel) {
  llvm::SmallSetVector<func::FuncOp, 8> functions;
  functions.insert(kernel);
  for (func::FuncOp transform : getTransforms(kernel))
    if (transform)
      functions.insert(transform);
  return functions.takeVector();
}

namespace {

/// Evaluates an op on two numbers with enough bits for any result.
std::optional<APInt> compute(Operation *op, const APInt &lhs,
                             const APInt &rhs) {
  APInt a = lhs.sext(128), b = rhs.sext(128);
  if (isa<arith::AddIOp>(op))
    return a + b;
  if (isa<arith::SubIOp>(op))
    return a - b;
  if (isa<arith::MulIOp>(op))
    return a * b;
  // The shift amount is an operand, too.
  if (isa<arith::ShLIOp>(op))
    return b.isNegative() || b.uge(32) ? APInt::getSignedMaxValue(128)
                                       : a.shl(b);
  return std::nullopt;
}

/// True if an op is scalar arithmetic whose result may be large.
bool isScalarArithmetic(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op) &&
         !isa<ShapedType>(op->getResult(0).getType());
}

/// True if the result of such an op may exceed 32 bits, the width of a TPU's
/// scalar unit and its addresses.
bool mayWrap(Operation *op, const FunctionRanges &known) {
  SmallVector<ConstantIntRanges> ranges;
  for (Value operand : op->getOperands()) {
    std::optional<ConstantIntRanges> range = known.getRange(operand);
    // Ops that never run do not wrap.
    if (!range)
      return false;
    ranges.push_back(*range);
  }
  for (const APInt &lhs : {ranges[0].smin(), ranges[0].smax()})
    for (const APInt &rhs : {ranges[1].smin(), ranges[1].smax()})
      if (!compute(op, lhs, rhs)->isSignedIntN(32))
        return true;
  return false;
}

/// True if an op itself accesses memory; nested ops are queried separately.
bool accessesMemory(Operation *op) {
  return !isMemoryEffectFree(op) && !op->hasTrait<OpTrait::IsTerminator>() &&
         !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
}

/// True if such an op may access memory outside of its operands.
bool mayReadBeyond(Operation *op, const FunctionRanges &known) {
  auto load = dyn_cast<memref::LoadOp>(op);
  if (!load)
    return true;
  for (auto [index, size] :
       llvm::zip_equal(load.getIndices(), load.getMemRefType().getShape()))
    if (!known.isIndex(index, size))
      return true;
  return false;
}

} // namespace

FunctionRanges::FunctionRanges(func::FuncOp kernel, func::FuncOp function) {
  auto bounds = kernel->getAttrOfType<DenseI64ArrayAttr>(kIterationBoundsName);
  dataflow::loadBaselineAnalyses(solver);
  solver.load<GridRangeAnalysis>(function, bounds ? bounds.asArrayRef()
                                                  : ArrayRef<int64_t>());
  isKnown = succeeded(solver.initializeAndRun(function));
}

std::optional<ConstantIntRanges> FunctionRanges::getRange(Value value) const {
  if (!isKnown)
    return ConstantIntRanges::maxRange(
        ConstantIntRanges::getStorageBitwidth(value.getType()));
  const auto *lattice =
      solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
  if (!lattice || lattice->getValue().isUninitialized())
    return std::nullopt;
  return lattice->getValue().getValue();
}

bool FunctionRanges::isIndex(Value value, int64_t bound) const {
  std::optional<ConstantIntRanges> range = getRange(value);
  return range && !ShapedType::isDynamic(bound) &&
         !range->smin().isNegative() && range->smax().slt(bound);
}

KernelRanges::KernelRanges(func::FuncOp kernel)
    : kernel(kernel), functions(getFunctions(kernel)) {}

const FunctionRanges &KernelRanges::getRanges(func::FuncOp function) const {
  std::unique_ptr<FunctionRanges> &ranges = ofFunctions[function];
  if (!ranges)
    ranges = std::make_unique<FunctionRanges>(kernel, function);
  return *ranges;
}

SmallVector<Operation *> KernelRanges::findWrapping() const {
  SmallVector<Operation *> found;
  for (func::FuncOp function : functions)
    function.getBody().walk([&](Operation *op) {
      if (isScalarArithmetic(op) && mayWrap(op, getRanges(function)))
        found.push_back(op);
    });
  return found;
}

SmallVector<Operation *> KernelRanges::findReadsBeyond() const {
  SmallVector<Operation *> found;
  for (func::FuncOp function : functions)
    if (function != kernel)
      function.getBody().walk([&](Operation *op) {
        if (accessesMemory(op) && mayReadBeyond(op, getRanges(function)))
          found.push_back(op);
      });
  return found;
}

} // namespace gridir::tpu
