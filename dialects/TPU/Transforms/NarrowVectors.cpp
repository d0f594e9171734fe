//===- NarrowVectors.cpp - What libtpu does in 8 and 16 bits --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/Transforms/NarrowVectors.h"
#include "dialects/TPU/IR/TPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::tpu;

namespace {

/// Elements of 8 or 16 bits that are widened, moved and truncated again are
/// moved as they are.
template <typename TruncateOp, typename... ExtendOps>
struct NarrowMovement : OpRewritePattern<TruncateOp> {
  NarrowMovement(MLIRContext *context, bool narrowIntegers, bool narrowVectors)
      : OpRewritePattern<TruncateOp>(context), narrowIntegers(narrowIntegers),
        narrowVectors(narrowVectors) {}

  LogicalResult matchAndRewrite(TruncateOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    Operation *movement = op.getIn().getDefiningOp();
    if (!type || !movement || !movement->hasOneUse() || !isOnTensorCore(op))
      return failure();
    unsigned width = type.getElementTypeBitWidth();
    bool isNarrow = llvm::TypeSwitch<Operation *, bool>(movement)
                        .Case([&](vector::ShapeCastOp cast) {
                          return narrowVectors && width >= 8 && isSplit(cast);
                        })
                        .Case([&](DynamicRotateOp rotate) {
                          return ((narrowIntegers && width == 16) ||
                                  (narrowVectors && width == 8)) &&
                                 isRotationOfRows(rotate, width);
                        })
                        .Default(false);
    if (!isNarrow)
      return failure();
    Operation *extend = movement->getOperand(0).getDefiningOp();
    if (!isa_and_present<ExtendOps...>(extend))
      return failure();
    Value source = extend->getOperand(0);
    if (getElementTypeOrSelf(source) != type.getElementType())
      return failure();
    Operation *narrow = rewriter.clone(*movement);
    rewriter.modifyOpInPlace(narrow, [&] {
      narrow->setOperand(0, source);
      narrow->getResult(0).setType(type);
    });
    rewriter.replaceOp(op, narrow);
    return success();
  }

private:
  /// True if a cast makes a column of each row.
  static bool isSplit(vector::ShapeCastOp op) {
    VectorType from = op.getSourceVectorType(), to = op.getResultVectorType();
    return from.getRank() > 1 && from.getShape().back() > 1 &&
           to.getRank() > 1 && to.getShape().back() == 1;
  }

  /// True if registers of that width, which have more rows, can be rotated from
  /// row to row.
  static bool isRotationOfRows(DynamicRotateOp op, unsigned width) {
    auto type = cast<VectorType>(op.getType());
    int64_t rank = type.getRank();
    std::optional<int64_t> amount = getConstantIntValue(op.getAmount());
    return op.getStride() && amount && op.getDimension() == rank - 1 &&
           op.getStrideDimension() == rank - 2 &&
           canRotateRows(width, *amount, *op.getStride(),
                         type.getDimSize(rank - 2));
  }

  bool narrowIntegers, narrowVectors;
};

/// Mosaic searches bf16 with indices of 16 bits.
struct NarrowSearch : OpRewritePattern<ReduceIndexOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceIndexOp op,
                                PatternRewriter &rewriter) const override {
    auto extend = op.getInput().getDefiningOp<arith::ExtFOp>();
    if (!extend || !getElementTypeOrSelf(extend.getIn()).isBF16() ||
        !isOnTensorCore(op))
      return failure();
    auto input = cast<VectorType>(extend.getIn().getType());
    if (!llvm::isInt<16>(input.getDimSize(op.getAxis()) - 1))
      return failure();
    auto type = cast<VectorType>(op.getType());
    Value index = ReduceIndexOp::create(
        rewriter, op.getLoc(), type.clone(rewriter.getI16Type()),
        extend.getIn(), op.getAxis(), op.getKind());
    rewriter.replaceOpWithNewOp<arith::ExtSIOp>(op, type, index);
    return success();
  }
};

} // namespace

bool gridir::tpu::isOnTensorCore(Operation *op) {
  auto function = op->getParentOfType<FunctionOpInterface>();
  auto core = function->getAttrOfType<CoreTypeAttr>(kCoreTypeName);
  return core && core.getValue() == CoreType::Tc;
}

void gridir::tpu::populateNarrowVectorPatterns(RewritePatternSet &patterns,
                                               bool narrowIntegers,
                                               bool narrowVectors) {
  MLIRContext *context = patterns.getContext();
  patterns.add<NarrowMovement<arith::TruncFOp, arith::ExtFOp>,
               NarrowMovement<arith::TruncIOp, arith::ExtSIOp, arith::ExtUIOp>>(
      context, narrowIntegers, narrowVectors);
  if (narrowVectors)
    patterns.add<NarrowSearch>(context);
}
