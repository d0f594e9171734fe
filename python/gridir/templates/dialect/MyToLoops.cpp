//===- MyToLoops.cpp - What the ops are in a loop over the grid -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MyDialect.h"
#include "dialects/Conversion/GridToLoops/OtherDialects.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
namespace grid = gridir::grid;

namespace {

struct SquarePattern : OpRewritePattern<my::SquareOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(my::SquareOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getValue(),
                                               op.getValue());
    return success();
  }
};

struct ClearPattern : OpRewritePattern<my::ClearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(my::ClearOp op,
                                PatternRewriter &rewriter) const override {
    auto ref = cast<MemRefType>(op.getRef().getType());
    auto type = RankedTensorType::get(ref.getShape(), ref.getElementType());
    Value zero = arith::ConstantOp::create(rewriter, op.getLoc(),
                                           rewriter.getZeroAttr(type));
    rewriter.replaceOpWithNewOp<grid::StoreOp>(op, zero, op.getRef(), Value());
    return success();
  }
};

struct MyToLoops : gridir::GridToLoopsDialectInterface {
  using GridToLoopsDialectInterface::GridToLoopsDialectInterface;

  void populatePatterns(RewritePatternSet &patterns) const override {
    patterns.add<SquarePattern, ClearPattern>(getContext());
  }
};

} // namespace

void my::addToLoops(MyDialect &dialect) { dialect.addInterfaces<MyToLoops>(); }
