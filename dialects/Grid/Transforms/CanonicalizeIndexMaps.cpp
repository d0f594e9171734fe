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
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDCANONICALIZEINDEXMAPSPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir::grid;

/// Erases the ops of an index map that its results do not need.
static void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

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
    Block &block = kernel.getIndexMap(i).front();
    auto yield = cast<YieldOp>(block.getTerminator());
    ProgramValues values(kernel);
    SmallVector<AffineExpr> exprs;
    for (Value index : yield.getValues())
      exprs.push_back(index.getType().isIntOrIndex()
                          ? values.getExprOfIds(index)
                          : AffineExpr());

    std::optional<AffineMap> before = kernel.getAffineIndexMap(i);
    bool isAffine =
        llvm::all_of(exprs, [](AffineExpr expr) { return bool(expr); });
    if (isAffine && before && before->getResults() == ArrayRef(exprs))
      return;

    OpBuilder builder(yield);
    for (auto [operand, expr] : llvm::zip(yield->getOpOperands(), exprs))
      if (expr)
        operand.set(buildAffineExpr(builder, yield.getLoc(), block, expr,
                                    operand.get().getType()));
    eraseDeadOps(block);

    if (!isAffine)
      ++numKept;
    else if (before)
      ++numSimplified;
    else
      ++numFolded;
    std::string name = kernel.getOperandName(kernel.getNumIndexOperands() + i);
    auto opts = remark::RemarkOpts::name("index-map").category(getArgument());
    if (isAffine)
      remark::passed(yield.getLoc(), opts)
          << "index map of " + name + " is affine";
    else
      remark::missed(yield.getLoc(), opts)
          << "index map of " + name + " is not affine";
  }
};

} // namespace
