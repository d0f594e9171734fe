//===- StepDistance.cpp - How far a number is from a loop's step ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/StepDistance.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

std::optional<int64_t> gridir::getStepDistance(Value number, scf::ForOp loop) {
  int64_t distance = 0;
  while (number != loop.getInductionVar()) {
    Operation *op = number.getDefiningOp();
    if (!isa_and_nonnull<arith::IndexCastOp, arith::AddIOp>(op))
      return std::nullopt;
    if (isa<arith::AddIOp>(op)) {
      std::optional<int64_t> more = getConstantIntValue(op->getOperand(1));
      if (!more)
        return std::nullopt;
      distance += *more;
    }
    number = op->getOperand(0);
  }
  return distance;
}
