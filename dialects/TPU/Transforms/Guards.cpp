//===- Guards.cpp - Operands at which arith is undefined ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/Transforms/Guards.h"
#include "dialects/TPU/Transforms/Numbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gridir::tpu {

bool isTestFor(Value condition, Value value, int64_t number) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
         compare.getLhs() == value && isNumber(compare.getRhs(), number);
}

Divisor getDivisor(Value value) {
  auto choice = value.getDefiningOp<arith::SelectOp>();
  if (!choice || !isNumber(choice.getTrueValue(), 1))
    return {value};
  Divisor found{choice.getFalseValue()};
  SmallVector<Value> conditions = {choice.getCondition()};
  if (auto either = choice.getCondition().getDefiningOp<arith::OrIOp>())
    conditions = {either.getLhs(), either.getRhs()};
  for (Value condition : conditions) {
    if (isTestFor(condition, found.value, 0))
      found.isGuardedFromZero = true;
    else if (isTestFor(condition, found.value, -1))
      found.isGuardedFromMinusOne = true;
    else
      return {value};
  }
  return found;
}

ShiftAmount getShiftAmount(Value value) {
  auto choice = value.getDefiningOp<arith::SelectOp>();
  if (!choice)
    return {value, {}, {}};
  auto compare = choice.getCondition().getDefiningOp<arith::CmpIOp>();
  int64_t width = getElementTypeOrSelf(value).getIntOrFloatBitWidth();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::ult ||
      compare.getLhs() != choice.getTrueValue() ||
      !isNumber(compare.getRhs(), width))
    return {value, {}, {}};
  return {choice.getTrueValue(), compare, choice.getFalseValue()};
}

GuardedShift getGuardedShift(Operation *op) {
  if (!isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op) ||
      !getElementTypeOrSelf(op->getResult(0)).isInteger())
    return {};
  ShiftAmount amount = getShiftAmount(op->getOperand(1));
  if (!amount.isBelowWidth)
    return {};
  Value result = op->getResult(0);
  if (isa<arith::ShRSIOp>(op)) {
    int64_t width = getElementTypeOrSelf(result).getIntOrFloatBitWidth();
    if (!isNumber(amount.otherwise, width - 1))
      return {};
    return {amount.value, result};
  }
  if (!result.hasOneUse())
    return {};
  auto choice = dyn_cast<arith::SelectOp>(*result.user_begin());
  if (!choice || choice.getTrueValue() != result ||
      choice.getCondition() != amount.isBelowWidth ||
      !isNumber(choice.getFalseValue(), 0))
    return {};
  return {amount.value, choice};
}

} // namespace gridir::tpu
