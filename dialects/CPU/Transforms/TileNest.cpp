//===- TileNest.cpp - loops around tiles of one op ------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/TileNest.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gridir::cpu {

TileNest::TileNest(RewriterBase &rewriter, linalg::GenericOp op,
                   const Tiling &tiling, int64_t lanes)
    : rewriter(rewriter), op(op), tiling(tiling), lanes(lanes),
      staticRanges(op.getStaticLoopRanges()),
      ranges(cast<linalg::LinalgOp>(op.getOperation())
                 .createLoopRanges(rewriter, op.getLoc())),
      offsets(ranges.size(), rewriter.getIndexAttr(0)),
      tileSizes(ranges.size(), 1) {}

SmallVector<OpFoldResult> TileNest::getSizes() const {
  return getAsIndexOpFoldResult(rewriter.getContext(), tileSizes);
}

void TileNest::emit(ArrayRef<unsigned> dims, LeafFn leaf) {
  if (dims.empty())
    return leaf(*this);
  unsigned dim = dims.front();
  auto inner = [&](OpFoldResult offset, int64_t size) {
    offsets[dim] = offset;
    tileSizes[dim] = size;
    emit(dims.drop_front(), leaf);
  };
  if (static_cast<int>(dim) == tiling.groupDim)
    return llvm::is_contained(dims.drop_front(), dim)
               ? emitStatic(dim, tiling.groupRows, inner)
               : emitGroup(dim, inner);
  if (tiling.reducesVector && dim == static_cast<unsigned>(tiling.vectorDim))
    emitRow(dim, inner);
  else if (ShapedType::isDynamic(staticRanges[dim]))
    emitDynamic(dim, tiling.sizes[dim], inner);
  else
    emitStatic(dim, tiling.sizes[dim], inner);
}

void TileNest::emitLoop(Value begin, Value end, int64_t step, InnerFn inner) {
  Location loc = op.getLoc();
  Value stride = arith::ConstantIndexOp::create(rewriter, loc, step);
  auto loop = scf::ForOp::create(rewriter, loc, begin, end, stride);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  inner(loop.getInductionVar(), step);
}

void TileNest::emitStatic(unsigned dim, int64_t size, InnerFn inner) {
  int64_t range = staticRanges[dim];
  size = std::min(size, range);
  for (int64_t begin = 0; begin < range;) {
    size = shorten(size, range - begin);
    int64_t end = begin + (range - begin) / size * size;
    if (end - begin == size) {
      inner(rewriter.getIndexAttr(begin), size);
    } else {
      Location loc = op.getLoc();
      emitLoop(arith::ConstantIndexOp::create(rewriter, loc, begin),
               arith::ConstantIndexOp::create(rewriter, loc, end), size, inner);
    }
    begin = end;
  }
}

void TileNest::emitGroup(unsigned dim, InnerFn inner) {
  Location loc = op.getLoc();
  OpFoldResult begin = offsets[dim];
  int64_t rows = tileSizes[dim];
  emitLoop(arith::ConstantIndexOp::create(rewriter, loc, 0),
           arith::ConstantIndexOp::create(rewriter, loc, rows), 1,
           [&](OpFoldResult row, int64_t size) {
             AffineExpr sum =
                 rewriter.getAffineDimExpr(0) + rewriter.getAffineDimExpr(1);
             inner(affine::makeComposedFoldedAffineApply(rewriter, loc, sum,
                                                         {begin, row}),
                   size);
           });
  // The next columns have the same rows.
  offsets[dim] = begin;
  tileSizes[dim] = rows;
}

void TileNest::emitRow(unsigned dim, InnerFn inner) {
  Location loc = op.getLoc();
  int64_t count = tiling.accumulators;
  auto emitTurn = [&](OpFoldResult begin, int64_t length) {
    int64_t size = std::min(tiling.sizes[dim], length);
    for (firstAccumulator = 0; firstAccumulator < length;
         firstAccumulator += size) {
      size = shorten(size, length - firstAccumulator);
      AffineExpr offset = rewriter.getAffineDimExpr(0) + firstAccumulator;
      inner(
          affine::makeComposedFoldedAffineApply(rewriter, loc, offset, {begin}),
          size);
    }
  };
  int64_t range = staticRanges[dim];
  if (ShapedType::isDynamic(range)) {
    emitDynamic(dim, count, emitTurn);
    return;
  }
  int64_t whole = range / count * count;
  if (whole == count)
    emitTurn(rewriter.getIndexAttr(0), count);
  else
    emitLoop(arith::ConstantIndexOp::create(rewriter, loc, 0),
             arith::ConstantIndexOp::create(rewriter, loc, whole), count,
             emitTurn);
  if (whole != range)
    emitTurn(rewriter.getIndexAttr(whole), range - whole);
}

void TileNest::emitDynamic(unsigned dim, int64_t size, InnerFn inner) {
  Location loc = op.getLoc();
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value end = getValueOrCreateConstantIndexOp(rewriter, loc, ranges[dim].size);
  if (size == 1)
    return emitLoop(zero, end, 1, inner);
  Value step = arith::ConstantIndexOp::create(rewriter, loc, size);
  Value rest = arith::RemUIOp::create(rewriter, loc, end, step);
  Value full = arith::SubIOp::create(rewriter, loc, end, rest);
  emitLoop(zero, full, size, inner);
  emitLoop(full, end, 1, inner);
}

} // namespace gridir::cpu
