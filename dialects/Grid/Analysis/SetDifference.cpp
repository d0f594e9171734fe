//===- SetDifference.cpp - The points of a set that others lack -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/SetDifference.h"

#include "mlir/Analysis/Presburger/Simplex.h"
#include "mlir/Analysis/Presburger/Utils.h"

using namespace mlir;
using namespace mlir::presburger;

namespace gridir::grid {

/// The points outside of a polyhedron, in pieces without common points.
static std::optional<PresburgerSet> getOutside(const IntegerRelation &part) {
  DivisionRepr divisions = part.getLocalReprs();
  if (!divisions.hasAllReprs())
    return std::nullopt;
  // Every point has values of the local variables: the quotients. They are
  // defined for all points, whatever the polyhedron requires of them.
  IntegerPolyhedron rest(part.getSpace());
  for (unsigned i = 0; i < part.getNumLocalVars(); ++i) {
    unsigned position = part.getVarKindOffset(VarKind::Local) + i;
    ArrayRef<llvm::DynamicAPInt> dividend = divisions.getDividend(i);
    rest.addInequality(
        getDivUpperBound(dividend, divisions.getDenom(i), position));
    rest.addInequality(
        getDivLowerBound(dividend, divisions.getDenom(i), position));
  }
  PresburgerSet outside = PresburgerSet::getEmpty(part.getSpaceWithoutLocals());
  auto cut = [&](ArrayRef<llvm::DynamicAPInt> inequality) {
    IntegerPolyhedron piece = rest;
    piece.addInequality(getComplementIneq(inequality));
    if (!Simplex(piece).isEmpty())
      outside.unionInPlace(piece);
    rest.addInequality(inequality);
  };
  for (unsigned i = 0; i < part.getNumInequalities(); ++i)
    cut(part.getInequality(i));
  for (unsigned i = 0; i < part.getNumEqualities(); ++i) {
    cut(part.getEquality(i));
    cut(getNegatedCoeffs(part.getEquality(i)));
  }
  return outside;
}

/// The most pieces of a difference: each set that is subtracted may multiply
/// their number.
static constexpr unsigned kMaxPieces = 128;

std::optional<PresburgerSet> subtract(const PresburgerSet &from,
                                      const PresburgerSet &what) {
  PresburgerSet result = from;
  for (const IntegerRelation &part : what.getAllDisjuncts()) {
    std::optional<PresburgerSet> outside = getOutside(part);
    if (!outside)
      return std::nullopt;
    PresburgerSet left = PresburgerSet::getEmpty(from.getSpace());
    for (const IntegerRelation &points : result.getAllDisjuncts())
      for (const IntegerRelation &piece : outside->getAllDisjuncts()) {
        IntegerRelation both = points.intersect(piece);
        if (!Simplex(both).isEmpty())
          left.unionInPlace(IntegerPolyhedron(both));
        if (left.getNumDisjuncts() > kMaxPieces)
          return std::nullopt;
      }
    result = std::move(left);
  }
  return result;
}

} // namespace gridir::grid
