//===- ProgramGuards.cpp - When an op of a kernel runs --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/ProgramGuards.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using P = arith::CmpIPredicate;

namespace gridir::grid {

/// Adds the constraints of `condition` being true, or false.
static void addCondition(Value condition, bool holds, ProgramValues &values,
                         ProgramGuards &guards) {
  Interval range = values.getRange(condition);
  if (range.isConstant(holds))
    return;
  if (auto both = condition.getDefiningOp<arith::AndIOp>(); both && holds) {
    addCondition(both.getLhs(), true, values, guards);
    addCondition(both.getRhs(), true, values, guards);
    return;
  }
  if (auto either = condition.getDefiningOp<arith::OrIOp>(); either && !holds) {
    addCondition(either.getLhs(), false, values, guards);
    addCondition(either.getRhs(), false, values, guards);
    return;
  }
  // JAX makes a bool of a number by comparing with 0, and a number of a bool.
  if (auto wide = condition.getDefiningOp<arith::ExtUIOp>())
    return addCondition(wide.getIn(), holds, values, guards);
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare) {
    guards.exact = false;
    return;
  }
  P predicate = holds ? compare.getPredicate()
                      : arith::invertPredicate(compare.getPredicate());
  AffineExpr less = values.getExpr(compare.getLhs()),
             more = values.getExpr(compare.getRhs());
  switch (predicate) {
  case P::eq:
    guards.conditions.push_back({more - less, true});
    return;
  case P::ne:
    // If the excluded number is the first or the last one, such as the last
    // block of a pipeline, the other numbers form one range.
    if (Interval apart = values.getRange(more - less); apart.low == 0)
      guards.conditions.push_back({more - less - 1, false});
    else if (apart.high == 0)
      guards.conditions.push_back({less - more - 1, false});
    else
      guards.exact = false;
    return;
  case P::sgt:
    std::swap(less, more);
    [[fallthrough]];
  case P::slt:
    guards.conditions.push_back({more - less - 1, false});
    return;
  case P::sge:
    std::swap(less, more);
    [[fallthrough]];
  case P::sle:
    guards.conditions.push_back({more - less, false});
    return;
  default:
    // An unsigned comparison is not a half-space.
    guards.exact = false;
  }
}

ProgramGuards getGuards(Operation *op, ProgramValues &values) {
  ProgramGuards guards;
  KernelOp kernel = values.getKernel();
  for (Operation *parent = op->getParentOp(); parent != kernel.getOperation();
       op = parent, parent = parent->getParentOp()) {
    if (isa<ScopedOp>(parent))
      continue;
    if (auto branch = dyn_cast<scf::IfOp>(parent)) {
      bool holds = op->getParentRegion() == &branch.getThenRegion();
      addCondition(branch.getCondition(), holds, values, guards);
      continue;
    }
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (!loop) {
      guards.exact = false;
      continue;
    }
    Interval low = values.getRange(loop.getLowerBound()),
             high = values.getRange(loop.getUpperBound());
    guards.exact &= low.isConstant() && high.isConstant() &&
                    low.low < high.low &&
                    values.getRange(loop.getStep()).isConstant(1);
    guards.counters.push_back(loop.getInductionVar());
  }
  guards.exact &= guards.decide(guards.getReads(), values);
  return guards;
}

SmallVector<AffineExpr> ProgramGuards::getReads() const {
  return llvm::map_to_vector(conditions,
                             [](const Guard &guard) { return guard.expr; });
}

void ProgramGuards::require(GridSystem &system, unsigned program) const {
  for (const Guard &guard : conditions)
    system.require(system.in(program, guard.expr), guard.equal);
}

bool ProgramGuards::decide(ArrayRef<AffineExpr> reads,
                           ProgramValues &values) const {
  return llvm::all_of(getUsedSymbols(reads), [&](unsigned symbol) {
    return llvm::is_contained(counters, values.getSymbols()[symbol].value);
  });
}

} // namespace gridir::grid
