//===- ProgramValues.cpp - Integers in terms of program ids ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/ProgramValues.h"

#include "dialects/Grid/IR/IndexMaps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace gridir::grid {

/// Bounds the recursion over definitions: deeper values are unknown.
static constexpr unsigned kMaxDepth = 256;

/// A select is analyzed by cases of at most this many program ids.
static constexpr unsigned kMaxSplitDims = 4;

ProgramValues::ProgramValues(KernelOp kernel)
    : kernel(kernel), idRanges(getIdRanges(kernel.getGridShape())) {}

void ProgramValues::restrictId(unsigned dim, Interval range) {
  idRanges[dim] = idRanges[dim].intersect(range);
  facts.clear();
  symbols.clear();
  symbolRanges.clear();
}

std::optional<unsigned> ProgramValues::getIdDim(Value value) const {
  KernelOp op = kernel;
  if (auto id = value.getDefiningOp<ProgramIdOp>())
    return op.findDim(id.getAxis());
  auto arg = dyn_cast<BlockArgument>(value);
  if (!arg || arg.getOwner()->getParentOp() != op.getOperation())
    return std::nullopt;
  bool isBody = arg.getOwner()->getParent() == &op.getBodyRegion();
  if (isBody || arg.getArgNumber() >= op.getRank())
    return std::nullopt;
  return arg.getArgNumber();
}

Interval ProgramValues::getRange(AffineExpr expr) const {
  return inferRange(expr, idRanges, symbolRanges);
}

AffineExpr ProgramValues::getExprOfIds(Value value) {
  AffineExpr expr = getExpr(value);
  bool hasSymbol = false;
  expr.walk([&](AffineExpr e) { hasSymbol |= isa<AffineSymbolExpr>(e); });
  return hasSymbol ? AffineExpr() : expr;
}

ProgramValues::Fact ProgramValues::constant(int64_t value) {
  return {getAffineConstantExpr(value, kernel.getContext()),
          Interval::constant(value)};
}

ProgramValues::Fact ProgramValues::unknown(Value value, Interval range,
                                           bool uniform) {
  range = range.intersect(getTypeRange(value.getType()));
  if (range.isConstant())
    return constant(range.low);
  symbols.push_back({value, range, uniform});
  symbolRanges.push_back(range);
  return {getAffineSymbolExpr(symbols.size() - 1, value.getContext()), range};
}

ProgramValues::Fact ProgramValues::read(Value value) {
  if (auto it = facts.find(value); it != facts.end())
    return it->second;
  ++depth;
  Fact fact = depth > kMaxDepth ? unknown(value, {}) : compute(value);
  --depth;
  if (fact.range.isConstant())
    fact.expr = constant(fact.range.low).expr;
  facts[value] = fact;
  return fact;
}

/// The loop that carries a value, or gives it.
static scf::ForOp getCarrier(Value value) {
  auto arg = dyn_cast<BlockArgument>(value);
  if (!arg)
    return value.getDefiningOp<scf::ForOp>();
  auto loop = dyn_cast_or_null<scf::ForOp>(arg.getOwner()->getParentOp());
  return loop && value != loop.getInductionVar() ? loop : scf::ForOp();
}

/// Computes the affine expression and the range of a value from its definition.
/// Each value is computed once. A value without an expression becomes a new
/// symbol.
ProgramValues::Fact ProgramValues::compute(Value value) {
  MLIRContext *context = value.getContext();
  if (!value.getType().isIntOrIndex())
    return unknown(value, {});
  if (std::optional<unsigned> dim = getIdDim(value))
    return {getAffineDimExpr(*dim, context), idRanges[*dim]};

  if (scf::ForOp loop = getCarrier(value))
    return readCarried(loop, value);
  if (isa<BlockArgument>(value)) {
    auto getRangeOf = [&](Value bound) { return getRange(bound); };
    return unknown(value,
                   inferInductionRange(value, getRangeOf).value_or(Interval()));
  }

  Operation *op = value.getDefiningOp();
  if (auto number = dyn_cast<NumProgramsOp>(op)) {
    std::optional<unsigned> dim = kernel.findDim(number.getAxis());
    int64_t size = dim ? kernel.getGridShape()[*dim] : ShapedType::kDynamic;
    if (!ShapedType::isDynamic(size))
      return constant(size);
    return unknown(value, {1, std::numeric_limits<int32_t>::max()},
                   /*uniform=*/true);
  }
  if (auto assume = dyn_cast<AssumeMultipleOp>(op))
    return read(assume.getValue());

  APInt bits;
  if (matchPattern(value, m_ConstantInt(&bits))) {
    if (bits.getBitWidth() == 1)
      return constant(bits.getZExtValue());
    if (bits.getSignificantBits() <= 64)
      return constant(bits.getSExtValue());
    return unknown(value, {});
  }
  return computeFromOperands(op);
}

ProgramValues::Fact ProgramValues::readCarried(scf::ForOp loop, Value value) {
  auto getRangeOf = [&](Value outside) { return getRange(outside); };
  SmallVector<Interval> ranges = inferCarriedRanges(loop, getRangeOf);
  // The results of a loop are the values that its last iteration carried, or
  // its initial values.
  for (ValueRange carried :
       {ValueRange(loop.getRegionIterArgs()), ValueRange(loop.getResults())})
    for (auto [value, range] : llvm::zip_equal(carried, ranges))
      if (value.getType().isIntOrIndex())
        facts.try_emplace(value, unknown(value, range));
  return facts.lookup(value);
}

/// True if the result of an op is the same number as its operand, which is in
/// the range `a`. Index arithmetic does not wrap around.
static bool keepsNumber(Operation *op, Interval a) {
  Type type = op->getOperand(0).getType();
  return TypeSwitch<Operation *, bool>(op)
      // The sign of a boolean is its value, which its range does not show.
      .Case([&](arith::ExtSIOp) { return !type.isInteger(1); })
      .Case([&](arith::IndexCastOp) { return true; })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>(
          [&](Operation *) { return a.low >= 0; })
      .Case([&](arith::TruncIOp trunc) {
        Interval fits = getTypeRange(trunc.getType());
        return a.isIn(fits.low, fits.high);
      })
      .Default([](Operation *) { return false; });
}

/// Decides a comparison from the difference of two expressions, for example `i
/// + 1 > i`, regardless of their ranges.
static std::optional<bool> decideByDifference(Operation *op, AffineExpr a,
                                              AffineExpr b) {
  auto cmp = dyn_cast<arith::CmpIOp>(op);
  if (!cmp)
    return std::nullopt;
  auto difference = dyn_cast<AffineConstantExpr>(a - b);
  // A signed difference does not order unsigned numbers, and an i1 of value 1
  // is negative as a signed number.
  bool isEquality = cmp.getPredicate() <= arith::CmpIPredicate::ne;
  bool isSigned = cmp.getPredicate() <= arith::CmpIPredicate::sge &&
                  !cmp.getLhs().getType().isInteger(1);
  if (!difference || (!isEquality && !isSigned))
    return std::nullopt;
  APInt number(64, difference.getValue(), /*isSigned=*/true);
  return arith::applyCmpPredicate(cmp.getPredicate(), number,
                                  APInt::getZero(64));
}

/// Infers the range of a result from the ranges of the operands, and its
/// expression if the op is affine. If the op may wrap around, only the range of
/// the wrapped result is known.
ProgramValues::Fact ProgramValues::computeFromOperands(Operation *op) {
  Value result = op->getResult(0);
  if (op->getNumResults() != 1 || !isa<InferIntRangeInterface>(op) ||
      !llvm::all_of(op->getOperandTypes(),
                    [](Type type) { return type.isIntOrIndex(); }))
    return unknown(result, {});
  if (isa<arith::SelectOp>(op))
    return computeSelect(op);
  SmallVector<Fact> args = llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return read(operand); });
  if (args.size() == 1 && keepsNumber(op, args.front().range))
    return args.front();
  SmallVector<Interval> ranges =
      llvm::map_to_vector(args, [](const Fact &fact) { return fact.range; });
  if (mayWrap(op, args, ranges))
    return unknown(result, inferRange(op, ranges, Overflow::Wraps));
  Interval range = inferRange(op, ranges, Overflow::Never);
  AffineExpr expr;
  if (args.size() == 2) {
    if (std::optional<bool> holds =
            decideByDifference(op, args[0].expr, args[1].expr))
      return constant(*holds);
    if (std::optional<bool> holds = decideByArms(op))
      return constant(*holds);
    expr = computeExpr(op, args[0], args[1]);
  }
  return expr ? Fact{expr, range} : unknown(result, range);
}

bool ProgramValues::mayWrap(Operation *op, ArrayRef<Fact> args,
                            ArrayRef<Interval> ranges) const {
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ShLIOp>(op))
    return false;
  KernelOp kernelOp = kernel;
  SmallVector<int64_t> sizes = kernelOp.getGridShape();
  auto isKnown = [&](AffineExpr expr) {
    bool known = true;
    expr.walk([&](AffineExpr e) {
      auto dim = dyn_cast<AffineDimExpr>(e);
      known &= !isa<AffineSymbolExpr>(e) &&
               !(dim && ShapedType::isDynamic(sizes[dim.getPosition()]));
    });
    return known;
  };
  Type type = op->getResult(0).getType();
  bool isNarrow = type.isInteger() && type.getIntOrFloatBitWidth() < 32;
  if (!isNarrow &&
      !llvm::all_of(args, [&](const Fact &fact) { return isKnown(fact.expr); }))
    return false;
  Interval wrapped = inferRange(op, ranges, Overflow::Wraps);
  Interval number = inferRange(op, ranges, Overflow::Never);
  return wrapped.low != number.low || wrapped.high != number.high;
}

std::optional<bool> ProgramValues::decideByArms(Operation *op) {
  auto cmp = dyn_cast<arith::CmpIOp>(op);
  auto select = cmp ? cmp.getLhs().getDefiningOp<arith::SelectOp>() : nullptr;
  if (!select)
    return std::nullopt;
  std::optional<bool> yes =
      decideGiven(cmp, select.getTrueValue(), select.getCondition(), true);
  std::optional<bool> no =
      decideGiven(cmp, select.getFalseValue(), select.getCondition(), false);
  return yes == no ? yes : std::nullopt;
}

std::optional<bool> ProgramValues::decideGiven(arith::CmpIOp op, Value lhs,
                                               Value condition, bool holds) {
  Interval range =
      inferRange(op, {getRange(lhs), getRange(op.getRhs())}, Overflow::Never);
  if (range.isConstant())
    return range.low != 0;
  llvm::SetVector<Value> conditions;
  conditions.insert(condition);
  for (unsigned i = 0; i < conditions.size() && i < kMaxDepth; ++i) {
    Operation *known = conditions[i].getDefiningOp();
    auto same = dyn_cast_or_null<arith::CmpIOp>(known);
    if (same && same.getPredicate() == op.getPredicate() &&
        same.getLhs() == lhs && getExpr(same.getRhs()) == getExpr(op.getRhs()))
      return holds;
    // A true conjunction implies all of its operands; a false disjunction
    // negates all of its operands.
    if (known && (holds ? isa<arith::AndIOp>(known) : isa<arith::OrIOp>(known)))
      conditions.insert(known->operand_begin(), known->operand_end());
  }
  return std::nullopt;
}

AffineExpr ProgramValues::computeExpr(Operation *op, const Fact &a,
                                      const Fact &b) {
  bool isNeverNegative = a.range.low >= 0;
  return TypeSwitch<Operation *, AffineExpr>(op)
      .Case([&](arith::MinSIOp) {
        return a.range.high <= b.range.low   ? a.expr
               : b.range.high <= a.range.low ? b.expr
                                             : AffineExpr();
      })
      .Case([&](arith::MaxSIOp) {
        return a.range.low >= b.range.high   ? a.expr
               : b.range.low >= a.range.high ? b.expr
                                             : AffineExpr();
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](Operation *) {
        return isNeverNegative && a.range.high < b.range.low
                   ? a.expr
                   : getAffineExpr(op, a.expr, b.expr, isNeverNegative);
      })
      .Default([&](Operation *) {
        return getAffineExpr(op, a.expr, b.expr, isNeverNegative);
      });
}

ProgramValues::Fact ProgramValues::computeSelect(Operation *op) {
  Interval condition = getRange(op->getOperand(0));
  if (condition.isConstant())
    return read(op->getOperand(condition.low ? 1 : 2));
  Fact yes = read(op->getOperand(1)), no = read(op->getOperand(2));
  if (yes.expr == no.expr)
    return yes;
  if (std::optional<bool> arm = splitSelect(op))
    return *arm ? yes : no;
  auto getArm = [&](unsigned operand, Interval range) {
    return narrow(range, op->getOperand(operand), op->getOperand(0),
                  /*holds=*/operand == 1,
                  [&](Value value) { return getRange(value); });
  };
  return unknown(op->getResult(0),
                 getArm(1, yes.range).unite(getArm(2, no.range)));
}

std::optional<bool> ProgramValues::splitSelect(Operation *op) {
  if (!maySplit)
    return std::nullopt;
  llvm::SetVector<Value> values;
  values.insert(op->getOperand(0));
  llvm::SetVector<unsigned> dims;
  for (unsigned i = 0; i < values.size() && i < kMaxDepth; ++i) {
    Value value = values[i];
    if (std::optional<unsigned> dim = getIdDim(value)) {
      if (idRanges[*dim].low == 0 && idRanges[*dim].high > 0)
        dims.insert(*dim);
    } else if (Operation *definition = value.getDefiningOp()) {
      values.insert(definition->operand_begin(), definition->operand_end());
    }
  }
  if (dims.empty() || dims.size() > kMaxSplitDims)
    return std::nullopt;

  bool mayBeTrue = true, mayBeFalse = true;
  for (unsigned choice = 0; choice < (1u << dims.size()); ++choice) {
    ProgramValues part(kernel);
    part.idRanges = idRanges;
    part.maySplit = false;
    for (auto [bit, dim] : llvm::enumerate(dims))
      part.idRanges[dim] = (choice >> bit) & 1 ? Interval{1, idRanges[dim].high}
                                               : Interval::constant(0);
    Interval condition = part.getRange(op->getOperand(0));
    if (part.getExpr(op->getOperand(1)) == part.getExpr(op->getOperand(2)))
      continue;
    mayBeTrue &= condition.isConstant(1);
    mayBeFalse &= condition.isConstant(0);
  }
  if (!mayBeTrue && !mayBeFalse)
    return std::nullopt;
  return mayBeTrue;
}

} // namespace gridir::grid
