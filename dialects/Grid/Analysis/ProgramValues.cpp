//===- ProgramValues.cpp - Integers in terms of program ids ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/ProgramValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace gridir::grid {

/// Bounds the recursion over definitions: deeper values are unknown.
static constexpr unsigned kMaxDepth = 256;

/// A select is looked at in the cases of at most so many program ids.
static constexpr unsigned kMaxSplitDims = 4;

//===----------------------------------------------------------------------===//
// Arithmetic on intervals
//===----------------------------------------------------------------------===//

static Interval rangeOfType(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() >= 64)
    return {};
  if (integer.getWidth() == 1)
    return {0, 1};
  int64_t half = int64_t(1) << (integer.getWidth() - 1);
  return {-half, half - 1};
}

static Interval add(Interval a, Interval b) {
  Interval sum;
  if (llvm::AddOverflow(a.low, b.low, sum.low) ||
      llvm::AddOverflow(a.high, b.high, sum.high))
    return {};
  return sum;
}

static Interval subtract(Interval a, Interval b) {
  Interval difference;
  if (llvm::SubOverflow(a.low, b.high, difference.low) ||
      llvm::SubOverflow(a.high, b.low, difference.high))
    return {};
  return difference;
}

static Interval multiply(Interval a, Interval b) {
  int64_t corners[4];
  if (llvm::MulOverflow(a.low, b.low, corners[0]) ||
      llvm::MulOverflow(a.low, b.high, corners[1]) ||
      llvm::MulOverflow(a.high, b.low, corners[2]) ||
      llvm::MulOverflow(a.high, b.high, corners[3]))
    return {};
  return {*llvm::min_element(corners), *llvm::max_element(corners)};
}

static int64_t divideDown(int64_t x, int64_t y) {
  return llvm::divideFloorSigned(x, y);
}

static int64_t divideUp(int64_t x, int64_t y) {
  return llvm::divideCeilSigned(x, y);
}

/// Division by a positive constant; `round` is monotone.
template <typename Round>
static Interval divide(Interval a, int64_t divisor, Round round) {
  return {round(a.low, divisor), round(a.high, divisor)};
}

static Interval remainder(Interval a, int64_t divisor) {
  if (a.low >= 0)
    return a.high < divisor ? a : Interval{0, divisor - 1};
  return {1 - divisor, a.high <= 0 ? 0 : divisor - 1};
}

static Interval compare(arith::CmpIPredicate predicate, Interval a,
                        Interval b) {
  using P = arith::CmpIPredicate;
  auto decide = [](bool always, bool never) {
    return always  ? Interval::constant(1)
           : never ? Interval::constant(0)
                   : Interval{0, 1};
  };
  bool unsignedOk = a.low >= 0 && b.low >= 0;
  switch (predicate) {
  case P::eq:
    return decide(a.isConstant() && b.isConstant(a.low),
                  a.high < b.low || b.high < a.low);
  case P::ne:
    return decide(a.high < b.low || b.high < a.low,
                  a.isConstant() && b.isConstant(a.low));
  case P::ult:
    if (!unsignedOk)
      return {0, 1};
    [[fallthrough]];
  case P::slt:
    return decide(a.high < b.low, a.low >= b.high);
  case P::ule:
    if (!unsignedOk)
      return {0, 1};
    [[fallthrough]];
  case P::sle:
    return decide(a.high <= b.low, a.low > b.high);
  case P::ugt:
    if (!unsignedOk)
      return {0, 1};
    [[fallthrough]];
  case P::sgt:
    return decide(a.low > b.high, a.high <= b.low);
  case P::uge:
    if (!unsignedOk)
      return {0, 1};
    [[fallthrough]];
  case P::sge:
    return decide(a.low >= b.high, a.high < b.low);
  }
  return {0, 1};
}

//===----------------------------------------------------------------------===//
// ProgramValues
//===----------------------------------------------------------------------===//

ProgramValues::ProgramValues(KernelOp kernel) : kernel(kernel) {
  // A dynamic size is an i32 of the call.
  for (int64_t size : kernel.getGridShape())
    idRanges.push_back({0, ShapedType::isDynamic(size)
                               ? std::numeric_limits<int32_t>::max() - 1
                               : std::max<int64_t>(size, 1) - 1});
}

void ProgramValues::restrictId(unsigned dim, Interval range) {
  idRanges[dim] = idRanges[dim].intersect(range);
  facts.clear();
  symbols.clear();
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
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Interval::constant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return idRanges[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()].range;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Interval a = getRange(binary.getLHS()), b = getRange(binary.getRHS());
  bool isDivided = b.isConstant() && b.low > 0;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return add(a, b);
  case AffineExprKind::Mul:
    return multiply(a, b);
  case AffineExprKind::FloorDiv:
    return isDivided ? divide(a, b.low, divideDown) : Interval();
  case AffineExprKind::CeilDiv:
    return isDivided ? divide(a, b.low, divideUp) : Interval();
  case AffineExprKind::Mod:
    if (!isDivided)
      return {};
    return a.low >= 0 && a.high < b.low ? a : Interval{0, b.low - 1};
  default:
    return {};
  }
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
  range = range.intersect(rangeOfType(value.getType()));
  if (range.isConstant())
    return constant(range.low);
  symbols.push_back({value, range, uniform});
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

ProgramValues::Fact ProgramValues::compute(Value value) {
  MLIRContext *context = value.getContext();
  if (!value.getType().isIntOrIndex())
    return unknown(value, {});
  if (std::optional<unsigned> dim = getIdDim(value))
    return {getAffineDimExpr(*dim, context), idRanges[*dim]};

  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast_or_null<scf::ForOp>(arg.getOwner()->getParentOp());
    if (loop && loop.getInductionVar() == value) {
      Interval lower = getRange(loop.getLowerBound()),
               upper = getRange(loop.getUpperBound());
      Interval range{lower.low, upper.high};
      if (range.high != range.low)
        range.high = std::max(range.low, range.high - 1);
      return unknown(value, range);
    }
    return unknown(value, {});
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
  return computeArith(op);
}

/// Reads an op of `arith` from the ranges and expressions of its operands.
ProgramValues::Fact ProgramValues::computeArith(Operation *op) {
  Value result = op->getResult(0);
  if (op->getNumResults() != 1 ||
      !isa_and_nonnull<arith::ArithDialect>(op->getDialect()) ||
      !llvm::all_of(op->getOperandTypes(),
                    [](Type type) { return type.isIntOrIndex(); }))
    return unknown(result, {});
  if (isa<arith::SelectOp>(op))
    return computeSelect(op);

  Fact a = read(op->getOperand(0));
  bool isBool = op->getOperand(0).getType().isInteger(1);
  // A value that keeps its number, or has no affine form but a range.
  auto keep = [&](bool holds) { return holds ? a : unknown(result, {}); };
  auto bounded = [&](Interval range) { return unknown(result, range); };
  if (isa<arith::ExtSIOp>(op))
    return isBool ? bounded(subtract(Interval::constant(0), a.range)) : a;
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op))
    return keep(a.range.low >= 0);
  if (isa<arith::IndexCastOp>(op))
    return a;
  if (isa<arith::TruncIOp>(op)) {
    Interval fits = rangeOfType(result.getType());
    return keep(a.range.low >= fits.low && a.range.high <= fits.high);
  }
  if (op->getNumOperands() != 2)
    return unknown(result, {});

  Fact b = read(op->getOperand(1));
  std::optional<int64_t> divisor;
  if (b.range.isConstant() && b.range.low > 0)
    divisor = b.range.low;
  Interval limits = rangeOfType(result.getType());
  auto affine = [&](AffineExpr expr, Interval range) {
    return Fact{expr, range.intersect(limits)};
  };
  return TypeSwitch<Operation *, Fact>(op)
      .Case([&](arith::AddIOp) {
        return affine(a.expr + b.expr, add(a.range, b.range));
      })
      .Case([&](arith::SubIOp) {
        return affine(a.expr - b.expr, subtract(a.range, b.range));
      })
      .Case([&](arith::MulIOp) {
        Interval range = multiply(a.range, b.range);
        if (isa<AffineConstantExpr>(a.expr) || isa<AffineConstantExpr>(b.expr))
          return affine(a.expr * b.expr, range);
        return bounded(range);
      })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](Operation *) {
        if (!divisor || (a.range.low < 0 && isa<arith::DivUIOp>(op)))
          return bounded({});
        Interval range = divide(a.range, *divisor, std::divides<int64_t>());
        return a.range.low >= 0 ? affine(a.expr.floorDiv(*divisor), range)
                                : bounded(range);
      })
      .Case([&](arith::FloorDivSIOp) {
        if (!divisor)
          return bounded({});
        return affine(a.expr.floorDiv(*divisor),
                      divide(a.range, *divisor, divideDown));
      })
      .Case([&](arith::CeilDivSIOp) {
        if (!divisor)
          return bounded({});
        return affine(a.expr.ceilDiv(*divisor),
                      divide(a.range, *divisor, divideUp));
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](Operation *) {
        if (!divisor || (a.range.low < 0 && isa<arith::RemUIOp>(op)))
          return bounded({});
        if (a.range.low < 0)
          return bounded(remainder(a.range, *divisor));
        return affine(a.range.high < *divisor ? a.expr : a.expr % *divisor,
                      remainder(a.range, *divisor));
      })
      .Case([&](arith::MinSIOp) {
        if (a.range.high <= b.range.low || b.range.high <= a.range.low)
          return a.range.high <= b.range.low ? a : b;
        return bounded({std::min(a.range.low, b.range.low),
                        std::min(a.range.high, b.range.high)});
      })
      .Case([&](arith::MaxSIOp) {
        if (a.range.low >= b.range.high || b.range.low >= a.range.high)
          return a.range.low >= b.range.high ? a : b;
        return bounded({std::max(a.range.low, b.range.low),
                        std::max(a.range.high, b.range.high)});
      })
      .Case([&](arith::CmpIOp cmp) {
        bool isSigned = cmp.getPredicate() >= arith::CmpIPredicate::slt &&
                        cmp.getPredicate() <= arith::CmpIPredicate::sge;
        bool isEquality = cmp.getPredicate() <= arith::CmpIPredicate::ne;
        // The sign of a boolean is its value, which the ranges do not show.
        if (isBool && isSigned)
          return bounded({});
        // `i + 1 > i` is decided by the difference, not by the ranges.
        auto difference = dyn_cast<AffineConstantExpr>(a.expr - b.expr);
        if (difference && (isSigned || isEquality))
          return bounded(compare(cmp.getPredicate(),
                                 Interval::constant(difference.getValue()),
                                 Interval::constant(0)));
        return bounded(compare(cmp.getPredicate(), a.range, b.range));
      })
      .Case([&](arith::AndIOp) {
        if (isBool)
          return bounded({std::min(a.range.low, b.range.low),
                          std::min(a.range.high, b.range.high)});
        // A mask of a value that is not negative clears bits of it.
        bool positive = a.range.low >= 0 && b.range.low >= 0;
        return bounded(positive
                           ? Interval{0, std::min(a.range.high, b.range.high)}
                           : Interval{});
      })
      .Case([&](arith::OrIOp) {
        return isBool ? bounded({std::max(a.range.low, b.range.low),
                                 std::max(a.range.high, b.range.high)})
                      : bounded({});
      })
      .Case([&](arith::XOrIOp) {
        return isBool && a.range.isConstant() && b.range.isConstant()
                   ? constant(a.range.low ^ b.range.low)
                   : bounded({});
      })
      .Case([&](arith::ShRSIOp) {
        bool known =
            b.range.isConstant() && b.range.low >= 0 && b.range.low < 63;
        if (!known)
          return bounded({});
        int64_t power = int64_t(1) << b.range.low;
        return affine(a.expr.floorDiv(power), {a.range.low >> b.range.low,
                                               a.range.high >> b.range.low});
      })
      .Case([&](arith::ShLIOp) {
        bool known =
            b.range.isConstant() && b.range.low >= 0 && b.range.low < 31;
        if (!known)
          return bounded({});
        int64_t power = int64_t(1) << b.range.low;
        return affine(a.expr * power,
                      multiply(a.range, Interval::constant(power)));
      })
      .Default([&](Operation *) { return unknown(result, {}); });
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
  return unknown(op->getResult(0), yes.range.unite(no.range));
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
