//===- trial-opt.cpp - gridir-opt with a dialect of another project -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/OtherDialects.h"
#include "dialects/Grid/IR/Grid.h"
#include "dialects/Register/Register.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "TrialDialect.h.inc"
#define GET_OP_CLASSES
#include "TrialOps.h.inc"

using namespace mlir;
namespace grid = gridir::grid;

//===----------------------------------------------------------------------===//
// What the ops answer
//===----------------------------------------------------------------------===//

std::optional<SmallVector<grid::ViewDim>> trial::RowsOp::getViewDims() {
  auto type = cast<MemRefType>(getSource().getType());
  SmallVector<grid::ViewDim> dims{{getFirst(), 1, 0}};
  OpFoldResult zero = IntegerAttr::get(IndexType::get(getContext()), 0);
  for (unsigned dim = 1; dim < type.getRank(); ++dim)
    dims.push_back({zero, 1, dim});
  return dims;
}

//===----------------------------------------------------------------------===//
// What they are in loops
//===----------------------------------------------------------------------===//

namespace {

RankedTensorType getValueType(Value ref) {
  auto type = cast<MemRefType>(ref.getType());
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

struct RowsPattern : OpRewritePattern<trial::RowsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(trial::RowsOp op,
                                PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> sizes = cast<MemRefType>(op.getType()).getShape();
    SmallVector<int64_t> offsets(sizes.size(), 0), strides(sizes.size(), 1);
    offsets.front() = ShapedType::kDynamic;
    rewriter.replaceOpWithNewOp<grid::SliceRefOp>(
        op, op.getType(), op.getSource(), op.getFirst(), offsets, sizes,
        strides, ArrayRef<int64_t>());
    return success();
  }
};

struct ZeroPattern : OpRewritePattern<trial::ZeroOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(trial::ZeroOp op,
                                PatternRewriter &rewriter) const override {
    Value zero = arith::ConstantOp::create(
        rewriter, op.getLoc(), rewriter.getZeroAttr(getValueType(op.getRef())));
    rewriter.replaceOpWithNewOp<grid::StoreOp>(op, zero, op.getRef(), Value());
    return success();
  }
};

struct AxpyPattern : OpRewritePattern<trial::AxpyOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(trial::AxpyOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType type = getValueType(op.getSource());
    Value factor = arith::ConstantOp::create(
        rewriter, op.getLoc(),
        SplatElementsAttr::get(type, Attribute(op.getFactorAttr())));
    Value value = grid::LoadOp::create(rewriter, op.getLoc(), type,
                                       op.getSource(), Value(), Value());
    value = arith::MulFOp::create(rewriter, op.getLoc(), factor, value);
    rewriter.replaceOpWithNewOp<grid::AccumulateOp>(op, value, op.getDest(),
                                                    Value());
    return success();
  }
};

struct TrialToLoops : gridir::GridToLoopsDialectInterface {
  using GridToLoopsDialectInterface::GridToLoopsDialectInterface;

  void populatePatterns(RewritePatternSet &patterns) const override {
    patterns.add<RowsPattern, ZeroPattern, AxpyPattern>(getContext());
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// The dialect
//===----------------------------------------------------------------------===//

void trial::TrialDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "TrialOps.cpp.inc"
      >();
  addInterfaces<TrialToLoops>();
}

#include "TrialDialect.cpp.inc"
#define GET_OP_CLASSES
#include "TrialOps.cpp.inc"

int main(int argc, char **argv) {
  DialectRegistry registry;
  gridir::registerAllDialects(registry);
  registry.insert<trial::TrialDialect>();
  gridir::registerAllPasses();
  return asMainReturnCode(
      MlirOptMain(argc, argv, "gridir-opt with the dialect trial\n", registry));
}
