//===- MirroredReads.cpp - operands that loops walk backwards -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/MirroredReads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace {

/// An index of a load: `start`, or `start` and a loop, forwards or backwards.
struct LoopIndex {
  OpFoldResult start;
  std::optional<unsigned> loop;
  bool isMirrored = false;
};

/// A load whose position follows the loops, as an operand.
struct LoadedOperand {
  memref::LoadOp load;
  SmallVector<OpFoldResult> offsets;
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> keptShape;
  AffineMap map;
};

class LoadMatcher {
public:
  explicit LoadMatcher(linalg::GenericOp op)
      : op(op), ranges(op.getStaticLoopRanges()) {}

  std::optional<LoadedOperand> match(memref::LoadOp load) {
    MemRefType type = load.getMemRefType();
    if (!isOutside(load.getMemref()) ||
        gridir::cpu::isWritten(op, load.getMemref()))
      return std::nullopt;
    Builder builder(op.getContext());
    LoadedOperand result{load, {}, {}, {}, {}};
    SmallVector<AffineExpr> exprs;
    SmallVector<bool> isUsed(ranges.size());
    for (auto [index, extent] :
         llvm::zip_equal(load.getIndices(), type.getShape())) {
      std::optional<LoopIndex> known = matchIndex(index);
      if (!known)
        return std::nullopt;
      result.offsets.push_back(known->start);
      if (!known->loop) {
        result.sizes.push_back(builder.getIndexAttr(1));
        continue;
      }
      unsigned loop = *known->loop;
      int64_t range = ranges[loop];
      // A loop walks one dimension, and lies inside the array.
      std::optional<int64_t> start = getConstantIntValue(known->start);
      if (isUsed[loop] || ShapedType::isDynamic(range) || !start ||
          *start < 0 || ShapedType::isDynamic(extent) ||
          *start + range > extent)
        return std::nullopt;
      isUsed[loop] = true;
      result.sizes.push_back(builder.getIndexAttr(range));
      result.keptShape.push_back(range);
      AffineExpr dim = builder.getAffineDimExpr(loop);
      exprs.push_back(known->isMirrored ? range - 1 - dim : dim);
    }
    result.map = AffineMap::get(ranges.size(), 0, exprs, op.getContext());
    return result;
  }

private:
  bool isOutside(Value value) {
    return value.getParentRegion() != &op.getRegion();
  }

  /// A number that is the same in all iterations.
  OpFoldResult matchInvariant(Value value) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      return Builder(op.getContext()).getIndexAttr(constant.getSExtValue());
    return isOutside(value) ? OpFoldResult(value) : OpFoldResult();
  }

  std::optional<LoopIndex> matchIndex(Value value) {
    if (OpFoldResult start = matchInvariant(value))
      return LoopIndex{start, std::nullopt};
    Builder builder(op.getContext());
    if (auto index = value.getDefiningOp<linalg::IndexOp>())
      return LoopIndex{builder.getIndexAttr(0),
                       static_cast<unsigned>(index.getDim())};
    auto difference = value.getDefiningOp<arith::SubIOp>();
    if (!difference)
      return std::nullopt;
    auto index = difference.getRhs().getDefiningOp<linalg::IndexOp>();
    OpFoldResult last = matchInvariant(difference.getLhs());
    std::optional<int64_t> constant =
        last ? getConstantIntValue(last) : std::nullopt;
    if (!index || !constant || ShapedType::isDynamic(ranges[index.getDim()]))
      return std::nullopt;
    int64_t first = *constant - (ranges[index.getDim()] - 1);
    return LoopIndex{builder.getIndexAttr(first),
                     static_cast<unsigned>(index.getDim()),
                     /*isMirrored=*/true};
  }

  linalg::GenericOp op;
  SmallVector<int64_t> ranges;
};

Value createView(RewriterBase &rewriter, LoadedOperand &operand) {
  Value source = operand.load.getMemref();
  auto type = cast<MemRefType>(source.getType());
  if (operand.keptShape == type.getShape())
    return source;
  SmallVector<OpFoldResult> ones(type.getRank(), rewriter.getIndexAttr(1));
  MemRefType view = memref::SubViewOp::inferRankReducedResultType(
      operand.keptShape, type, operand.offsets, operand.sizes, ones);
  return memref::SubViewOp::create(rewriter, operand.load.getLoc(), view,
                                   source, operand.offsets, operand.sizes,
                                   ones);
}

} // namespace

bool gridir::cpu::isWritten(linalg::GenericOp op, Value array) {
  auto getRoot = [](Value memory) {
    return memref::skipViewLikeOps(cast<MemrefValue>(memory));
  };
  return llvm::any_of(op.getDpsInits(), [&](Value init) {
    return getRoot(init) == getRoot(array);
  });
}

void gridir::cpu::eraseDeadOps(RewriterBase &rewriter, Block &body) {
  for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&inner))
      rewriter.eraseOp(&inner);
}

linalg::GenericOp gridir::cpu::turnLoadsIntoOperands(RewriterBase &rewriter,
                                                     linalg::GenericOp op) {
  LoadMatcher matcher(op);
  SmallVector<LoadedOperand> found;
  for (auto load : op.getBody()->getOps<memref::LoadOp>())
    if (std::optional<LoadedOperand> operand = matcher.match(load))
      found.push_back(std::move(*operand));
  if (found.empty())
    return op;
  rewriter.setInsertionPoint(op);
  unsigned numInputs = op.getNumDpsInputs();
  SmallVector<Value> inputs(op.getDpsInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (auto [i, operand] : llvm::enumerate(found)) {
    inputs.push_back(createView(rewriter, operand));
    maps.insert(maps.begin() + numInputs + i, operand.map);
  }
  auto result =
      linalg::GenericOp::create(rewriter, op.getLoc(), inputs, op.getDpsInits(),
                                maps, op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op.getRegion(), result.getRegion(),
                              result.getRegion().begin());
  for (auto [i, operand] : llvm::enumerate(found)) {
    Value argument = result.getBody()->insertArgument(
        numInputs + i, operand.load.getType(), operand.load.getLoc());
    rewriter.replaceOp(operand.load, argument);
  }
  eraseDeadOps(rewriter, *result.getBody());
  rewriter.eraseOp(op);
  rewriter.setInsertionPoint(result);
  return result;
}

std::optional<AffineMap> gridir::cpu::getForwardMap(AffineMap map,
                                                    ArrayRef<int64_t> ranges) {
  SmallVector<AffineExpr> exprs;
  for (AffineExpr expr : map.getResults()) {
    if (!isa<AffineDimExpr, AffineConstantExpr>(expr)) {
      std::optional<unsigned> loop;
      for (unsigned d = 0; d < map.getNumDims() && !loop; ++d)
        if (expr.isFunctionOfDim(d))
          loop = d;
      if (!loop || ShapedType::isDynamic(ranges[*loop]))
        return std::nullopt;
      AffineExpr dim = getAffineDimExpr(*loop, map.getContext());
      if (expr != ranges[*loop] - 1 - dim)
        return std::nullopt;
      expr = dim;
    }
    exprs.push_back(expr);
  }
  auto forward = AffineMap::get(map.getNumDims(), map.getNumSymbols(), exprs,
                                map.getContext());
  if (!forward.isProjectedPermutation(/*allowZeroInResults=*/true))
    return std::nullopt;
  return forward;
}

std::optional<gridir::cpu::MirroredLoops>
gridir::cpu::walkForwards(RewriterBase &rewriter, linalg::GenericOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  MirroredLoops loops(maps.size());
  bool isChanged = false;
  for (auto [map, mirrored] : llvm::zip_equal(maps, loops)) {
    std::optional<AffineMap> forward = getForwardMap(map, ranges);
    if (!forward)
      return std::nullopt;
    for (auto [expr, dim] :
         llvm::zip_equal(map.getResults(), forward->getResults()))
      if (expr != dim)
        mirrored.push_back(cast<AffineDimExpr>(dim).getPosition());
    isChanged |= !mirrored.empty();
    map = *forward;
  }
  if (isChanged)
    rewriter.modifyOpInPlace(op, [&] {
      op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
    });
  return loops;
}

Value gridir::cpu::reverse(OpBuilder &builder, Location loc, Value vector,
                           unsigned dim) {
  auto type = cast<VectorType>(vector.getType());
  int64_t size = type.getDimSize(0);
  if (dim == 0) {
    SmallVector<int64_t> lanes =
        llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(size)));
    return vector::ShuffleOp::create(builder, loc, vector, vector, lanes);
  }
  Value result = vector;
  for (int64_t row = 0; row < size; ++row) {
    Value part = vector::ExtractOp::create(builder, loc, vector, row);
    part = reverse(builder, loc, part, dim - 1);
    result = vector::InsertOp::create(builder, loc, part, result, row);
  }
  return result;
}
