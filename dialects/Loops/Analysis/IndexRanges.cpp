//===- IndexRanges.cpp - What values an index may have ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Analysis/IndexRanges.h"

#include "mlir/Interfaces/InferIntRangeInterface.h"

using namespace mlir;

namespace gridir::loops {

Interval IndexRanges::get(Value value) {
  // A value that is visited again while it is being computed is carried by a
  // loop.
  auto [found, isNew] = known.try_emplace(value, getTypeRange(value.getType()));
  if (!isNew)
    return found->second;
  Interval range = compute(value);
  assert(range.low <= range.high &&
         "a range that proves an access holds a number");
  return known[value] = range;
}

Interval IndexRanges::compute(Value value) {
  auto getRange = [&](Value operand) { return get(operand); };
  Operation *op = value.getDefiningOp();
  if (!op)
    return inferInductionRange(value, getRange)
        .value_or(getTypeRange(value.getType()));
  // Only scalars are analyzed: kernels have thousands of tensors.
  if (op->getNumResults() != 1 || !value.getType().isIntOrIndex() ||
      !isa<InferIntRangeInterface>(op))
    return getTypeRange(value.getType());
  return inferRange(op, llvm::map_to_vector(op->getOperands(), getRange),
                    Overflow::Wraps);
}

} // namespace gridir::loops
