//===- Gathers.cpp - Bulk copies of rows as ops of grid -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Such a copy is done as soon as it is begun: whoever looks at what it writes
// must wait first.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToGrid/Patterns.h"
#include "dialects/Grid/IR/CopiedStores.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gridir;

namespace {

class GatherPattern : public OpRewritePattern<warpgroup::TmaGatherOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(warpgroup::TmaGatherOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto source = cast<MemRefType>(op.getSource().getType()),
         dest = cast<MemRefType>(op.getDest().getType());
    auto rows = cast<RankedTensorType>(op.getRows().getType());
    // A number that is negative is a large one without its sign.
    Value numRows = arith::ConstantOp::create(
        rewriter, loc,
        SplatElementsAttr::get(rows,
                               rewriter.getIntegerAttr(rows.getElementType(),
                                                       source.getDimSize(0))));
    Value isInside = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::ult, op.getRows(), numRows);
    auto type = RankedTensorType::get(dest.getShape(), dest.getElementType());
    Value zero = createZero(rewriter, loc, type);
    Value value = grid::GatherOp::create(
        rewriter, loc, type, op.getSource(), op.getRows(),
        rewriter.getDenseI64ArrayAttr({0}), isInside, zero);
    auto store = grid::StoreOp::create(rewriter, loc, value, op.getDest(),
                                       /*mask=*/Value());
    store->setDiscardableAttr(grid::kCopiedAttrName, rewriter.getUnitAttr());
    rewriter.replaceOpWithNewOp<warpgroup::BarrierArriveOp>(op,
                                                            op.getBarrier());
    return success();
  }
};

} // namespace

void gridir::populateWarpgroupGatherPatterns(RewritePatternSet &patterns) {
  patterns.add<GatherPattern>(patterns.getContext());
}
