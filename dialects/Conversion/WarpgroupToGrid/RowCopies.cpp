//===- RowCopies.cpp - Bulk copies of rows as others ----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy to a tile completes when it starts: a reader must wait first. A copy
// to an array is a copy of each row.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToGrid/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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
    // As an unsigned number, a negative one is large.
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

class ScatterPattern : public OpRewritePattern<warpgroup::TmaScatterOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(warpgroup::TmaScatterOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto tile = cast<MemRefType>(op.getSource().getType());
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0),
          one = arith::ConstantIndexOp::create(rewriter, loc, 1),
          numRows =
              arith::ConstantIndexOp::create(rewriter, loc, tile.getDimSize(0));
    auto loop = scf::ForOp::create(rewriter, loc, zero, numRows, one);
    rewriter.setInsertionPointToStart(loop.getBody());
    // A negative number selects no row.
    Value row = tensor::ExtractOp::create(rewriter, loc, op.getRows(),
                                          loop.getInductionVar());
    SmallVector<int64_t> offsets(tile.getRank(), 0), strides(tile.getRank(), 1),
        sizes(tile.getShape());
    offsets[0] = ShapedType::kDynamic;
    sizes[0] = 1;
    auto type =
        MemRefType::get(tile.getShape().drop_front(), tile.getElementType(),
                        MemRefLayoutAttrInterface(), tile.getMemorySpace());
    int64_t first[] = {0};
    Value source = grid::SliceRefOp::create(rewriter, loc, type, op.getSource(),
                                            loop.getInductionVar(), offsets,
                                            sizes, strides, first);
    warpgroup::TmaStoreOp::create(
        rewriter, loc, source, op.getDest(), row, offsets, sizes,
        rewriter.getDenseI64ArrayAttr(first), grid::AtomicKindAttr(), Value());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void gridir::populateRowCopyPatterns(RewritePatternSet &patterns) {
  patterns.add<GatherPattern, ScatterPattern>(patterns.getContext());
}
