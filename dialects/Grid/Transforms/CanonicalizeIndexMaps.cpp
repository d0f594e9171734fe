//===- CanonicalizeIndexMaps.cpp - Fold index maps to affine ones ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/Analysis/ProgramValues.h"
#include "dialects/Grid/IR/IndexMaps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDCANONICALIZEINDEXMAPSPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir::grid;

namespace {

class GridCanonicalizeIndexMapsPass
    : public gridir::grid::impl::GridCanonicalizeIndexMapsPassBase<
          GridCanonicalizeIndexMapsPass> {
public:
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    for (unsigned i = 0, e = kernel.getNumInputs() + kernel.getNumOutputs();
         i < e; ++i)
      canonicalize(kernel, i);
  }

private:
  void canonicalize(KernelOp kernel, unsigned i) {
    Region &region = kernel.getIndexMap(i);
    std::optional<AffineMap> before = kernel.getAffineIndexMap(i);
    for (auto [operand, expr] : findAffineOperands(kernel, region.front())) {
      OpBuilder builder(operand->getOwner());
      operand->set(buildAffineExpr(builder, operand->getOwner()->getLoc(),
                                   region.front(), expr,
                                   operand->get().getType()));
    }
    fold(region);

    std::optional<AffineMap> after = kernel.getAffineIndexMap(i);
    if (after && before == after)
      return;
    if (!after)
      ++numKept;
    else if (before)
      ++numSimplified;
    else
      ++numFolded;
    std::string name = kernel.getOperandName(kernel.getNumIndexOperands() + i);
    Location loc = region.front().getTerminator()->getLoc();
    auto opts = remark::RemarkOpts::name("index-map").category(getArgument());
    if (after)
      remark::passed(loc, opts) << "index map of " + name + " is affine";
    else
      remark::missed(loc, opts) << "index map of " + name + " is not affine";
  }

  /// The operands that are affine expressions of the program ids, of ops whose
  /// results are none, in the order of the ops.
  static SmallVector<std::pair<OpOperand *, AffineExpr>>
  findAffineOperands(KernelOp kernel, Block &block) {
    ProgramValues values(kernel);
    auto getExpr = [&](Value value) {
      // Values that are narrower than the program ids cannot be computed from
      // them.
      AffineExpr expr = value.getType().isIntOrIndex()
                            ? values.getExprOfIds(value)
                            : AffineExpr();
      bool isWide = value.getType().isIndex() ||
                    (value.getType().isInteger() &&
                     value.getType().getIntOrFloatBitWidth() >= 32);
      if (!isWide && !isa_and_nonnull<AffineConstantExpr>(expr))
        return AffineExpr();
      return expr ? simplify(expr, values) : expr;
    };
    SmallVector<std::pair<OpOperand *, AffineExpr>> affine;
    for (Operation &op : block) {
      if (op.getNumResults() == 1 && getExpr(op.getResult(0)))
        continue;
      for (OpOperand &operand : op.getOpOperands())
        if (AffineExpr expr = getExpr(operand.get()))
          affine.emplace_back(&operand, expr);
    }
    return affine;
  }

  /// An expression of the program ids in its simplest form: multiples are
  /// extracted from a division, and a division that the grid decides is folded.
  static AffineExpr simplify(AffineExpr expr, const ProgramValues &values) {
    unsigned rank = values.getKernel().getRank();
    expr = simplifyAffineExpr(expr, rank, 0);
    DenseMap<AffineExpr, AffineExpr> decided;
    expr.walk([&](AffineExpr part) {
      if (part.getKind() != AffineExprKind::FloorDiv &&
          part.getKind() != AffineExprKind::Mod)
        return;
      gridir::Interval range = values.getRange(part);
      auto division = cast<AffineBinaryOpExpr>(part);
      auto divisor = cast<AffineConstantExpr>(division.getRHS());
      if (range.isConstant())
        decided[part] = getAffineConstantExpr(range.low, part.getContext());
      else if (part.getKind() == AffineExprKind::Mod &&
               values.getRange(division.getLHS())
                   .isIn(0, divisor.getValue() - 1))
        decided[part] = division.getLHS();
    });
    return simplifyAffineExpr(expr.replace(decided), rank, 0);
  }

  /// Folds the ops of an index map, and erases those that it does not need.
  static void fold(Region &region) {
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    // Without patterns, the greedy driver terminates.
    (void)applyPatternsGreedily(region, FrozenRewritePatternSet(), config);
  }
};

} // namespace
