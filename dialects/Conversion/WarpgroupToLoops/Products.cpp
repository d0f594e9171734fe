//===- Products.cpp - Matrix units as products of grid ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product is computed as soon as it is begun: nobody may see the accumulator,
// or change the operands, before it is waited for.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToLoops/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gridir;

namespace {

/// All of what a Ref holds.
Value createLoad(OpBuilder &builder, Location loc, Value ref) {
  auto type = cast<MemRefType>(ref.getType());
  return grid::LoadOp::create(
      builder, loc,
      RankedTensorType::get(type.getShape(), type.getElementType()), ref,
      /*mask=*/Value(), /*other=*/Value());
}

/// `acc = old + lhs * rhs`.
template <typename OpT>
void createProduct(OpBuilder &builder, OpT op, Value old) {
  Location loc = op.getLoc();
  Value lhs = op.getLhs();
  if (isa<MemRefType>(lhs.getType()))
    lhs = createLoad(builder, loc, lhs);
  Value rhs = createLoad(builder, loc, op.getRhs());
  auto none = builder.getDenseI64ArrayAttr({});
  Value sum = grid::DotOp::create(
      builder, loc, old.getType(), lhs, rhs, old,
      builder.getDenseI64ArrayAttr({1}), builder.getDenseI64ArrayAttr({0}),
      /*lhs_batch=*/none, /*rhs_batch=*/none, /*precision=*/ArrayAttr(),
      /*algorithm=*/StringAttr(), op.getUnsignedLhsAttr(),
      op.getUnsignedRhsAttr());
  grid::StoreOp::create(builder, loc, sum, op.getAcc(), /*mask=*/Value());
}

class MmaPattern : public OpRewritePattern<warpgroup::MmaOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(warpgroup::MmaOp op,
                                PatternRewriter &rewriter) const override {
    createProduct(rewriter, op, createLoad(rewriter, op.getLoc(), op.getAcc()));
    rewriter.eraseOp(op);
    return success();
  }
};

class Tcgen05MmaPattern : public OpRewritePattern<warpgroup::Tcgen05MmaOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(warpgroup::Tcgen05MmaOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value old = createLoad(rewriter, loc, op.getAcc());
    Value zero = createZero(rewriter, loc, old.getType());
    Value accumulates = tensor::SplatOp::create(
        rewriter, loc, op.getAccumulate(),
        cast<RankedTensorType>(old.getType()).getShape());
    old = arith::SelectOp::create(rewriter, loc, accumulates, old, zero);
    createProduct(rewriter, op, old);
    if (op.getBarrier())
      warpgroup::BarrierArriveOp::create(rewriter, loc, op.getBarrier());
    rewriter.eraseOp(op);
    return success();
  }
};

/// Everything that was started is done.
class Tcgen05CommitPattern
    : public OpRewritePattern<warpgroup::Tcgen05CommitOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(warpgroup::Tcgen05CommitOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<warpgroup::BarrierArriveOp>(op,
                                                            op.getBarrier());
    return success();
  }
};

class TmemCopyPattern : public OpRewritePattern<warpgroup::TmemCopyOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(warpgroup::TmemCopyOp op,
                                PatternRewriter &rewriter) const override {
    Value value = createLoad(rewriter, op.getLoc(), op.getSource());
    rewriter.replaceOpWithNewOp<grid::StoreOp>(op, value, op.getDest(),
                                               /*mask=*/Value());
    return success();
  }
};

} // namespace

void gridir::populateWarpgroupProductPatterns(RewritePatternSet &patterns) {
  patterns.add<MmaPattern, Tcgen05MmaPattern, Tcgen05CommitPattern,
               TmemCopyPattern>(patterns.getContext());
}
