//===- GridSystem.cpp - Constraints over programs of a grid ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/GridSystem.h"

#include "mlir/Analysis/Presburger/Simplex.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using presburger::BoundType;
using presburger::VarKind;

namespace gridir::grid {

SmallVector<unsigned> getUsedSymbols(ArrayRef<AffineExpr> reads) {
  llvm::SetVector<unsigned> used;
  for (AffineExpr read : reads)
    read.walk([&](AffineExpr e) {
      if (auto symbol = dyn_cast<AffineSymbolExpr>(e))
        used.insert(symbol.getPosition());
    });
  return used.takeVector();
}

GridSystem::GridSystem(ProgramValues &values, ArrayRef<AffineExpr> reads,
                       unsigned numPrograms, unsigned numExtra)
    : values(values), rank(values.getKernel().getRank()),
      context(values.getKernel().getContext()), programs(numPrograms),
      symbols(getUsedSymbols(reads)),
      constraints(numPrograms * (rank + symbols.size()) + numExtra) {
  for (unsigned program = 0; program < numPrograms; ++program) {
    for (unsigned dim = 0; dim < rank; ++dim)
      bound(getId(program, dim), values.getIdRange(dim));
    for (auto [i, number] : llvm::enumerate(symbols)) {
      const ProgramValues::Symbol &symbol = values.getSymbols()[number];
      bound(getSymbol(program, i), symbol.range);
      // A uniform value is one value in all programs.
      if (symbol.uniform && program > 0)
        add(BoundType::EQ, getSymbol(program, i), dim(getSymbol(0, i)));
    }
  }
}

AffineExpr GridSystem::in(unsigned program, AffineExpr expr) {
  SmallVector<AffineExpr> ids, renamed(values.getSymbols().size());
  for (unsigned i = 0; i < rank; ++i)
    ids.push_back(dim(getId(program, i)));
  for (auto [i, number] : llvm::enumerate(symbols))
    renamed[number] = dim(getSymbol(program, i));
  return expr.replaceDimsAndSymbols(ids, renamed);
}

void GridSystem::add(BoundType type, unsigned variable, AffineExpr expr) {
  AffineMap map = AffineMap::get(constraints.getNumDimVars(), 0, expr);
  if (failed(constraints.addBound(type, variable, map,
                                  /*isClosedBound=*/true)))
    complete = false;
}

void GridSystem::require(AffineExpr expr, bool equal) {
  unsigned variable = constraints.appendDimVar();
  add(BoundType::EQ, variable, expr);
  add(equal ? BoundType::EQ : BoundType::LB, variable,
      getAffineConstantExpr(0, context));
  // The variable equals the expression, so it is eliminated.
  constraints.projectOut(variable, 1);
}

bool GridSystem::isEmpty() const {
  // Most systems are decided without a search: they have no point at all, or
  // the first corner that is found is one of integers.
  presburger::Simplex simplex(constraints);
  if (simplex.isEmpty())
    return true;
  return !simplex.getSamplePointIfIntegral() && constraints.isIntegerEmpty();
}

SmallVector<llvm::DynamicAPInt> GridSystem::getPoint() const {
  auto first = constraints.findIntegerLexMin();
  return SmallVector<llvm::DynamicAPInt>(
      first.isBounded() ? *first : *constraints.findIntegerSample());
}

presburger::PresburgerSet GridSystem::getExtras(unsigned numExtra) const {
  presburger::IntegerPolyhedron points(constraints);
  unsigned first = getExtra(0), last = first + numExtra;
  points.convertToLocal(VarKind::SetDim, last, points.getNumDimVars());
  points.convertToLocal(VarKind::SetDim, 0, first);
  return presburger::PresburgerSet(points);
}

void GridSystem::bound(unsigned variable, Interval range) {
  // Limits of 64 bits are no constraint and would only produce large
  // coefficients.
  if (range.low != Interval().low)
    constraints.addBound(BoundType::LB, variable, range.low);
  if (range.high != Interval().high)
    constraints.addBound(BoundType::UB, variable, range.high);
}

} // namespace gridir::grid
