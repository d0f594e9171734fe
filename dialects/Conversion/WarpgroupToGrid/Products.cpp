//===- Products.cpp - Matrix units as products of grid ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An MMA completes when it starts. The accumulator must not be read, and the
// operands must not be changed, before the wait for it.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToGrid/Patterns.h"

using namespace mlir;
using namespace gridir;

Value gridir::createWholeLoad(OpBuilder &builder, Location loc, Value ref) {
  auto type = cast<MemRefType>(ref.getType());
  return grid::LoadOp::create(
      builder, loc,
      RankedTensorType::get(type.getShape(), type.getElementType()), ref,
      /*mask=*/Value(), /*other=*/Value());
}

Value gridir::createProduct(OpBuilder &builder, Location loc, Value lhs,
                            Value rhs, Value old, UnitAttr unsignedLhs,
                            UnitAttr unsignedRhs) {
  auto none = builder.getDenseI64ArrayAttr({});
  return grid::DotOp::create(
      builder, loc, old.getType(), lhs, rhs, old,
      builder.getDenseI64ArrayAttr({1}), builder.getDenseI64ArrayAttr({0}),
      /*lhs_batch=*/none, /*rhs_batch=*/none, /*precision=*/ArrayAttr(),
      /*algorithm=*/StringAttr(), unsignedLhs, unsignedRhs);
}

namespace {

/// The value of an operand, which may be a Ref.
Value createValue(OpBuilder &builder, Location loc, Value operand) {
  return isa<MemRefType>(operand.getType())
             ? createWholeLoad(builder, loc, operand)
             : operand;
}

class MmaPattern : public OpRewritePattern<warpgroup::MmaOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(warpgroup::MmaOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value lhs = createValue(rewriter, loc, op.getLhs()),
          rhs = createValue(rewriter, loc, op.getRhs()),
          old = createWholeLoad(rewriter, loc, op.getAcc());
    Value sum = createProduct(rewriter, loc, lhs, rhs, old,
                              op.getUnsignedLhsAttr(), op.getUnsignedRhsAttr());
    rewriter.replaceOpWithNewOp<grid::StoreOp>(op, sum, op.getAcc(),
                                               /*mask=*/Value());
    return success();
  }
};

class MmaSyncPattern : public OpRewritePattern<warpgroup::MmaSyncOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(warpgroup::MmaSyncOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value lhs = createValue(rewriter, loc, op.getLhs()),
          rhs = createValue(rewriter, loc, op.getRhs());
    rewriter.replaceOp(op, createProduct(rewriter, loc, lhs, rhs, op.getAcc(),
                                         op.getUnsignedLhsAttr(),
                                         op.getUnsignedRhsAttr()));
    return success();
  }
};

} // namespace

void gridir::populateWarpgroupProductPatterns(RewritePatternSet &patterns) {
  patterns.add<MmaPattern, MmaSyncPattern>(patterns.getContext());
}
