//===- PartialReduction.cpp - A reduction by single threads ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/PartialReduction.h"

#include "dialects/Support/Builders.h"
#include "dialects/Warpgroup/IR/RegisterCoordinates.h"
#include "dialects/Warpgroup/Inference/LayoutFrame.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

/// True if a reduction is a sum that begins with 0.
static bool isSum(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return false;
  Block &body = op->getRegion(0).front();
  Operation *combiner = body.getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(combiner) ||
      !llvm::hasNItems(body, 2))
    return false;
  Value init = op.getDpsInits().front();
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    init = fill.value();
  return matchPattern(init, m_AnyZeroFloat()) || matchPattern(init, m_Zero());
}

std::optional<PartialReduction> PartialReduction::get(linalg::LinalgOp op) {
  if (!isSum(op) || !isReducedInRegisters(op))
    return std::nullopt;
  PartialReduction result(op);
  if (!result.expand() || !result.project())
    return std::nullopt;
  return result;
}

int64_t PartialReduction::getNumThreads() const {
  return getNumElements(partial.getShape().take_back(inThreads.size()));
}

/// The bits of indices that a register or thread decides alone; none if one
/// decides several, or several the same.
static std::optional<uint64_t> getOwnBits(const Layout &layout) {
  uint64_t bits = 0;
  for (const BitMap &map : {layout.getRegisters(), layout.getThreads()})
    for (uint64_t column : map.getColumns()) {
      if (column && (!llvm::isPowerOf2_64(column) || (bits & column)))
        return std::nullopt;
      bits |= column;
    }
  return bits;
}

bool PartialReduction::expand() {
  auto input = dyn_cast<RankedTensorType>(op.getDpsInputs().front().getType());
  if (!input)
    return false;
  std::optional<Layout> layout = warpgroup::getLayout(input);
  if (layout)
    layout = layout->unflatten(input.getShape());
  if (!layout || layout->isSplat() || !getOwnBits(*layout))
    return false;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  for (int64_t dim : llvm::seq(input.getRank())) {
    groups.emplace_back();
    if (kinds[map.getDimPosition(dim)] == utils::IteratorType::reduction) {
      expandDim(dim, input.getDimSize(dim), *layout);
      continue;
    }
    groups.back().push_back(shape.size());
    shape.push_back(input.getDimSize(dim));
    tile.push_back(layout->getTile()[dim]);
  }
  expanded = RankedTensorType::get(shape, input.getElementType());
  // The tile's row-major order is unchanged.
  expanded =
      withLayout(expanded, Layout(tile, layout->getRegisters().getColumns(),
                                  layout->getThreads().getColumns()));
  return !inThreads.empty();
}

void PartialReduction::expandDim(int64_t dim, int64_t size,
                                 const Layout &layout) {
  uint64_t ofThreads = 0;
  for (uint64_t column : layout.getThreads().getColumns())
    ofThreads |= column;
  uint64_t bit = getNumElements(layout.getTile().drop_front(dim + 1));
  int64_t inTile = layout.getTile()[dim];
  struct Run {
    int64_t size;
    bool isInThread;
  };
  // From the low bits of the index on.
  SmallVector<Run> runs;
  for (int64_t at = 1; at < inTile; at *= 2, bit *= 2) {
    bool isInThread = (ofThreads & bit) != 0;
    if (runs.empty() || runs.back().isInThread != isInThread)
      runs.push_back({1, isInThread});
    runs.back().size *= 2;
  }
  // Each repetition of the tile has registers of its own.
  int64_t repeats = size / inTile;
  if (runs.empty() || (repeats > 1 && runs.back().isInThread))
    runs.push_back({1, false});
  for (const Run &run : llvm::reverse(runs)) {
    auto number = static_cast<int64_t>(shape.size());
    groups.back().push_back(number);
    (run.isInThread ? inThreads : inRegisters).push_back(number);
    shape.push_back(run.size * std::exchange(repeats, 1));
    tile.push_back(run.size);
  }
}

bool PartialReduction::project() {
  AffineMap inputMap = op.getMatchingIndexingMap(op.getDpsInputOperand(0)),
            sumMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (AffineExpr expr : sumMap.getResults())
    sums.push_back(groups[*inputMap.getResultPosition(expr)].front());
  sums.append(inThreads);
  SmallVector<int64_t> kept(sums), order;
  llvm::sort(kept);
  for (int64_t dim : sums)
    order.push_back(llvm::find(kept, dim) - kept.begin());
  auto getSizes = [&](ArrayRef<int64_t> dims) {
    return Coordinates(
        llvm::map_range(dims, [&](int64_t dim) { return shape[dim]; }));
  };
  std::optional<Layout> layout =
      warpgroup::getLayout(expanded)->dropDims(inRegisters, shape);
  if (layout)
    layout = layout->transpose(order, getSizes(kept));
  auto sum = cast<RankedTensorType>(op->getResult(0).getType());
  std::optional<Layout> expected = warpgroup::getLayout(sum);
  if (!layout || !expected)
    return false;
  partial = withLayout(
      RankedTensorType::get(getSizes(sums), sum.getElementType()), *layout);
  std::optional<Layout> total = layout->dropDims(
      llvm::to_vector(llvm::seq(sum.getRank(), partial.getRank())),
      partial.getShape());
  return total && Layout::isSame(*total, *expected, sum.getShape());
}

Value PartialReduction::create(OpBuilder &builder) {
  Location loc = op.getLoc();
  Value input = tensor::ExpandShapeOp::create(
      builder, loc, expanded, op.getDpsInputs().front(), groups);
  Value zero = createZero(builder, loc, partial);
  AffineMap all = builder.getMultiDimIdentityMap(shape.size());
  SmallVector<AffineExpr> ofSums = llvm::map_to_vector(
      sums, [&](int64_t dim) { return builder.getAffineDimExpr(dim); });
  SmallVector<utils::IteratorType> kinds(shape.size(),
                                         utils::IteratorType::parallel);
  for (int64_t dim : inRegisters)
    kinds[dim] = utils::IteratorType::reduction;
  auto result = linalg::GenericOp::create(
      builder, loc, partial, input, zero,
      ArrayRef(
          {all, AffineMap::get(shape.size(), 0, ofSums, builder.getContext())}),
      kinds);
  IRMapping mapping;
  op->getRegion(0).cloneInto(&result.getRegion(), mapping);
  return result.getResult(0);
}
