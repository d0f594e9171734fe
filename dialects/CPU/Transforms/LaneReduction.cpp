//===- LaneReduction.cpp - reductions lane by lane ------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/LaneReduction.h"
#include "dialects/Support/NeutralElement.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using gridir::cpu::LaneReduction;

namespace {

/// acc = acc + x, and the like.
FailureOr<LaneReduction> matchSingleReduction(linalg::GenericOp op) {
  SmallVector<Operation *> combiners;
  if (op.getNumDpsInits() != 1 ||
      !matchReduction(op.getRegionOutputArgs(), 0, combiners) ||
      combiners.size() != 1)
    return failure();
  Operation *combiner = combiners.front();
  LaneReduction reduction;
  reduction.neutral = gridir::getNeutralElement(combiner);
  if (!reduction.neutral || combiner->getNumOperands() != 2 ||
      op.getBody()->getTerminator()->getOperand(0) != combiner->getResult(0))
    return failure();
  bool isFirst = combiner->getOperand(0) == op.getRegionOutputArgs()[0];
  reduction.elements.push_back(combiner->getOperand(isFirst ? 1 : 0));
  reduction.ops.push_back(combiner);
  return reduction;
}

/// Argmax or argmin: selects the better of two elements with indices, and the
/// lower index of equal elements. Since the body itself compares the indices,
/// elements may come in any order.
FailureOr<LaneReduction> matchArgReduction(linalg::GenericOp op) {
  auto accumulators = op.getRegionOutputArgs();
  if (accumulators.size() != 2)
    return failure();
  LaneReduction reduction;
  Value chosen;
  bool comparesIndices = false;
  for (auto [accumulator, yielded] : llvm::zip_equal(
           accumulators, op.getBody()->getTerminator()->getOperands())) {
    auto select = yielded.getDefiningOp<arith::SelectOp>();
    if (!select || select.getFalseValue() != accumulator ||
        (chosen && select.getCondition() != chosen))
      return failure();
    chosen = select.getCondition();
    Value element = select.getTrueValue();
    reduction.elements.push_back(element);
    for (Operation *user : accumulator.getUsers()) {
      auto compare = dyn_cast<arith::CmpIOp>(user);
      auto index = element.getDefiningOp<arith::IndexCastOp>();
      comparesIndices |=
          compare && index && index.getIn().getDefiningOp<linalg::IndexOp>() &&
          compare.getPredicate() == arith::CmpIPredicate::slt &&
          compare.getLhs() == element && compare.getRhs() == accumulator;
    }
  }
  if (!comparesIndices)
    return failure();

  // Everything that is computed from the elements and the accumulators.
  SetVector<Value> known;
  known.insert_range(reduction.elements);
  for (BlockArgument accumulator : accumulators)
    known.insert(accumulator);
  Block *body = op.getBody();
  for (Operation &inner : body->without_terminator()) {
    if (llvm::any_of(inner.getResults(),
                     [&](Value result) { return known.contains(result); }))
      continue;
    bool follows = llvm::all_of(inner.getOperands(), [&](Value operand) {
      return known.contains(operand) || operand.getParentBlock() != body;
    });
    if (!follows || isa<linalg::IndexOp>(inner))
      continue;
    reduction.ops.push_back(&inner);
    known.insert_range(inner.getResults());
  }
  if (!llvm::all_of(body->getTerminator()->getOperands(),
                    [&](Value value) { return known.contains(value); }))
    return failure();
  return reduction;
}

} // namespace

FailureOr<LaneReduction> gridir::cpu::matchLaneReduction(linalg::GenericOp op) {
  FailureOr<LaneReduction> single = matchSingleReduction(op);
  return succeeded(single) ? single : matchArgReduction(op);
}

SmallVector<Value> LaneReduction::combine(OpBuilder &builder,
                                          linalg::GenericOp op,
                                          ValueRange args) const {
  IRMapping mapping;
  mapping.map(elements, args.take_front(elements.size()));
  for (auto [accumulator, arg] : llvm::zip_equal(
           op.getRegionOutputArgs(), args.drop_front(elements.size())))
    mapping.map(Value(accumulator), arg);
  for (Operation *inner : ops)
    builder.clone(*inner, mapping);
  SmallVector<Value> yielded;
  for (Value value : op.getBody()->getTerminator()->getOperands())
    yielded.push_back(mapping.lookupOrDefault(value));
  return yielded;
}
