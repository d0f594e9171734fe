//===- StridedTransfers.cpp - vectors of elements that are apart ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/StridedTransfers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gridir::cpu;

namespace {

/// The dimension of the memref that a vector of one dimension walks, and the
/// distance of its elements.
struct Walk {
  unsigned dim;
  int64_t stride;
};

/// None where elements are adjacent, or may be outside of the memref.
std::optional<Walk> matchWalk(VectorTransferOpInterface transfer) {
  auto memory = dyn_cast<MemRefType>(transfer.getShapedType());
  VectorType vector = transfer.getVectorType();
  AffineMap map = transfer.getPermutationMap();
  if (!memory || vector.getRank() != 1 || vector.isScalable() ||
      transfer.getMask() || transfer.hasOutOfBoundsDim() ||
      isa<VectorType>(memory.getElementType()))
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(map.getResult(0));
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!dim || failed(memory.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  unsigned position = dim.getPosition();
  if (position + 1 == memory.getRank() && strides[position] == 1)
    return std::nullopt;
  return Walk{position, strides[position]};
}

Value addToIndex(OpBuilder &builder, Location loc, Value index,
                 int64_t distance, int64_t factor = 1) {
  AffineExpr sum = builder.getAffineDimExpr(0) * factor + distance;
  return getValueOrCreateConstantIndexOp(
      builder, loc,
      affine::makeComposedFoldedAffineApply(builder, loc, sum, {index}));
}

/// The memory from the first to the last element of each row of `memory`, whose
/// elements are `stride` apart.
Value createRowsWithGaps(OpBuilder &builder, Location loc, Value memory,
                         int64_t stride) {
  auto parts = memref::ExtractStridedMetadataOp::create(builder, loc, memory);
  SmallVector<OpFoldResult> sizes = parts.getConstifiedMixedSizes();
  SmallVector<OpFoldResult> strides = parts.getConstifiedMixedStrides();
  AffineExpr span = (builder.getAffineDimExpr(0) - 1) * stride + 1;
  sizes.back() =
      affine::makeComposedFoldedAffineApply(builder, loc, span, {sizes.back()});
  strides.back() = builder.getIndexAttr(1);
  return memref::ReinterpretCastOp::create(builder, loc, parts.getBaseBuffer(),
                                           parts.getConstifiedMixedOffset(),
                                           sizes, strides);
}

struct ReadStrided : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransferReadOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Walk> walk = matchWalk(op);
    if (!walk)
      return failure();
    bool isLast = walk->dim + 1 == op.getShapedType().getRank();
    bool isNear = walk->stride > 1 && walk->stride <= kLargestStride;
    if (isLast && isNear &&
        op.getVectorType().getNumElements() >= kLeastElements)
      readGaps(rewriter, op, walk->stride);
    else
      readElements(rewriter, op, walk->dim);
    return success();
  }

private:
  static void readElements(PatternRewriter &rewriter, vector::TransferReadOp op,
                           unsigned dim) {
    Location loc = op.getLoc();
    SmallVector<Value> indices(op.getIndices()), elements;
    for (int64_t i = 0, e = op.getVectorType().getNumElements(); i < e; ++i) {
      indices[dim] = addToIndex(rewriter, loc, op.getIndices()[dim], i);
      elements.push_back(
          memref::LoadOp::create(rewriter, loc, op.getBase(), indices));
    }
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, op.getVectorType(),
                                                        elements);
  }

  /// Loads `stride` vectors and keeps one of `stride` elements. The last load
  /// ends with the last element, since the memory after it may belong to
  /// another array.
  static void readGaps(PatternRewriter &rewriter, vector::TransferReadOp op,
                       int64_t stride) {
    Location loc = op.getLoc();
    VectorType type = op.getVectorType();
    int64_t count = type.getNumElements();
    Value rows = createRowsWithGaps(rewriter, loc, op.getBase(), stride);
    SmallVector<Value> indices(op.getIndices());
    Value result;
    for (int64_t load = 0; load < stride; ++load) {
      int64_t begin =
          load + 1 < stride ? load * count : (count - 1) * (stride - 1);
      indices.back() = addToIndex(rewriter, loc, op.getIndices().back(), begin,
                                  /*factor=*/stride);
      Value part = vector::LoadOp::create(rewriter, loc, type, rows, indices);
      if (load == 0) {
        result = part;
        continue;
      }
      SmallVector<int64_t> lanes;
      for (int64_t i = 0; i < count; ++i) {
        int64_t position = i * stride;
        bool isEarlier = position < load * count;
        // The first shuffle also packs the elements of the first load.
        int64_t earlier = load == 1 ? position : i;
        int64_t later = count + position - begin;
        bool isPresent = later < 2 * count;
        lanes.push_back(isEarlier ? earlier : isPresent ? later : 0);
      }
      result = vector::ShuffleOp::create(rewriter, loc, result, part, lanes);
    }
    rewriter.replaceOp(op, result);
  }
};

/// Elements between those that are written may belong to another thread.
struct WriteStrided : OpRewritePattern<vector::TransferWriteOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransferWriteOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Walk> walk = matchWalk(op);
    if (!walk)
      return failure();
    Location loc = op.getLoc();
    SmallVector<Value> indices(op.getIndices());
    Value first = indices[walk->dim];
    for (int64_t i = 0, e = op.getVectorType().getNumElements(); i < e; ++i) {
      indices[walk->dim] = addToIndex(rewriter, loc, first, i);
      Value element =
          vector::ExtractOp::create(rewriter, loc, op.getVector(), i);
      memref::StoreOp::create(rewriter, loc, element, op.getBase(), indices);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void gridir::cpu::populateStridedTransferPatterns(RewritePatternSet &patterns) {
  // Before upstream's patterns, which have a benefit of one.
  patterns.add<ReadStrided, WriteStrided>(patterns.getContext(),
                                          /*benefit=*/2);
}
