//===- ElementRanges.cpp - Ranges of the elements of tensors -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/ElementRanges.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;

Interval ElementRanges::get(Value value) {
  if (!isa<TensorType>(value.getType()))
    return values.getRange(value);
  if (auto known = ranges.find(value); known != ranges.end())
    return known->second;
  Interval range = getTypeRange(getElementTypeOrSelf(value.getType()));
  if (Operation *op = value.getDefiningOp())
    range = compute(op, cast<OpResult>(value), range);
  ranges[value] = range;
  return range;
}

Interval ElementRanges::compute(Operation *op, OpResult result,
                                Interval unknown) {
  if (!getElementTypeOrSelf(result.getType()).isIntOrIndex())
    return unknown;
  return llvm::TypeSwitch<Operation *, Interval>(op)
      .Case([&](arith::ConstantOp constant) {
        auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
        if (!splat)
          return unknown;
        auto number = splat.getSplatValue<APInt>();
        return Interval::constant(number.getBitWidth() == 1
                                      ? number.getZExtValue()
                                      : number.getSExtValue());
      })
      .Case([&](linalg::BroadcastOp op) { return get(op.getInput()); })
      .Case([&](linalg::TransposeOp op) { return get(op.getInput()); })
      .Case([&](linalg::FillOp op) { return get(op.value()); })
      .Case([&](tensor::SplatOp op) { return get(op.getInput()); })
      .Case([&](tensor::ExpandShapeOp op) { return get(op.getSrc()); })
      .Case([&](tensor::CollapseShapeOp op) { return get(op.getSrc()); })
      .Case([&](linalg::GenericOp op) {
        return computeBody(op, result.getResultNumber(), unknown);
      })
      .Default([&](Operation *op) {
        if (!OpTrait::hasElementwiseMappableTraits(op))
          return unknown;
        return inferRange(op, getAll(op->getOperands()), Overflow::Wraps);
      });
}

SmallVector<Interval> ElementRanges::getAll(ValueRange operands) {
  return llvm::map_to_vector(operands,
                             [&](Value operand) { return get(operand); });
}

/// A body of parallel loops, whose ops are computed in order.
Interval ElementRanges::computeBody(linalg::GenericOp op, unsigned result,
                                    Interval unknown) {
  if (op.getNumParallelLoops() != op.getNumLoops() ||
      !op.hasPureTensorSemantics())
    return unknown;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  llvm::DenseMap<Value, Interval> inside;
  for (auto [argument, operand] :
       llvm::zip_equal(op.getBody()->getArguments(), op->getOperands()))
    inside[argument] = get(operand);
  auto read = [&](Value value) {
    auto known = inside.find(value);
    return known != inside.end() ? known->second : get(value);
  };
  for (Operation &inner : op.getBody()->without_terminator()) {
    auto index = dyn_cast<linalg::IndexOp>(inner);
    if (inner.getNumResults() != 1)
      return unknown;
    if (index && !ShapedType::isDynamic(sizes[index.getDim()]))
      inside[index] = {0, sizes[index.getDim()] - 1};
    else
      inside[inner.getResult(0)] =
          inferRange(&inner, llvm::map_to_vector(inner.getOperands(), read),
                     Overflow::Wraps);
  }
  return read(op.getBody()->getTerminator()->getOperand(result));
}
