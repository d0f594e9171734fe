//===- SaturatingConversions.cpp - Floats to the nearest integer ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/SaturatingConversions.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gridir {

std::optional<double> getFloat(Value value) {
  APFloat number(0.0);
  bool losesInfo;
  if (!matchPattern(value, m_ConstantFloat(&number)))
    return std::nullopt;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  if (losesInfo)
    return std::nullopt;
  return number.convertToDouble();
}

/// True if a value compares `input` with a number.
static bool compares(Value value, arith::CmpFPredicate predicate, Value input,
                     double expected) {
  auto compare = value.getDefiningOp<arith::CmpFOp>();
  return compare && compare.getPredicate() == predicate &&
         compare.getLhs() == input && getFloat(compare.getRhs()) == expected;
}

static bool isNumber(Value value, int64_t expected) {
  APInt number;
  return matchPattern(value, m_ConstantInt(&number)) &&
         number.getSExtValue() == expected;
}

static bool isAbove(Value value, const SaturatingConversion &found) {
  return compares(value, arith::CmpFPredicate::OGE, found.input,
                  double(found.largest + 1));
}

static bool isBelow(Value value, const SaturatingConversion &found) {
  return found.isSigned
             ? compares(value, arith::CmpFPredicate::OLT, found.input,
                        double(found.smallest))
             : compares(value, arith::CmpFPredicate::OLE, found.input, -1.0);
}

static bool isNaN(Value value, Value input) {
  auto compare = value.getDefiningOp<arith::CmpFOp>();
  return compare && compare.getPredicate() == arith::CmpFPredicate::UNO &&
         compare.getLhs() == input && compare.getRhs() == input;
}

/// True if a condition is that an input is out of range or no number.
static bool isOutside(Value condition, const SaturatingConversion &found) {
  bool below = false, above = false, unordered = false;
  SmallVector<Value> parts{condition};
  while (!parts.empty()) {
    Value part = parts.pop_back_val();
    if (auto either = part.getDefiningOp<arith::OrIOp>())
      llvm::append_range(parts, either->getOperands());
    else if (isBelow(part, found))
      below = true;
    else if (isAbove(part, found))
      above = true;
    else if (isNaN(part, found.input))
      unordered = true;
    else
      return false;
  }
  return below && above && unordered;
}

std::optional<SaturatingConversion>
matchSaturatingConversion(arith::SelectOp outer) {
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(outer.getType()));
  if (!type || !type.isSignless() || type.getWidth() > 32)
    return std::nullopt;
  unsigned width = type.getWidth();
  auto inner = outer.getFalseValue().getDefiningOp<arith::SelectOp>();
  Operation *convert =
      (inner ? inner.getFalseValue() : outer.getFalseValue()).getDefiningOp();
  bool isSigned = isa_and_nonnull<arith::FPToSIOp>(convert);
  if (isSigned != static_cast<bool>(inner) ||
      (!isSigned && !isa_and_nonnull<arith::FPToUIOp>(convert)))
    return std::nullopt;
  auto safe = convert->getOperand(0).getDefiningOp<arith::SelectOp>();
  if (!safe || !matchPattern(safe.getTrueValue(), m_AnyZeroFloat()))
    return std::nullopt;
  SaturatingConversion found{
      safe.getFalseValue(), isSigned, isSigned ? llvm::minIntN(width) : 0,
      isSigned ? llvm::maxIntN(width) : int64_t(llvm::maxUIntN(width))};
  // Unsigned bounds are stored as signed constants.
  int64_t limit = llvm::SignExtend64(found.largest, width);
  if (!isNumber(outer.getTrueValue(), limit) ||
      !isAbove(outer.getCondition(), found) ||
      !isOutside(safe.getCondition(), found))
    return std::nullopt;
  if (isSigned && (!isNumber(inner.getTrueValue(), found.smallest) ||
                   !isBelow(inner.getCondition(), found)))
    return std::nullopt;
  return found;
}

} // namespace gridir
