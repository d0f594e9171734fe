//===- Tiling.cpp - tile sizes of one op, and the order of loops ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/Tiling.h"

#include "dialects/CPU/Transforms/ElementOffsets.h"

#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gridir::cpu;

namespace {

bool isParallel(utils::IteratorType kind) {
  return kind == utils::IteratorType::parallel;
}

/// The loop that walks the last dimension of an operand, or -1.
int getInnermost(AffineMap map) {
  if (map.getNumResults() == 0)
    return -1;
  auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
  return dim ? static_cast<int>(dim.getPosition()) : -1;
}

/// Reduces several short rows of accumulators at a time: one would wait for
/// each addition.
void chooseRows(linalg::GenericOp op, const VectorTarget &target, int64_t lanes,
                Tiling &tiling) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  int64_t columns = ranges[tiling.vectorDim];
  if (ShapedType::isDynamic(columns) || columns == 0)
    return;
  int64_t rows =
      target.getOuterReductionUnroll() / llvm::divideCeil(columns, lanes);
  for (unsigned d = ranges.size(); d-- > 0;) {
    if (static_cast<int>(d) == tiling.vectorDim || !isParallel(kinds[d]))
      continue;
    if (rows > 1 && !ShapedType::isDynamic(ranges[d]))
      tiling.sizes[d] = std::min(rows, ranges[d]);
    return;
  }
}

/// True for a part of an argument of the function that exceeds the caches.
bool exceedsCaches(Value array, int64_t cacheBytes) {
  while (auto view = array.getDefiningOp<ViewLikeOpInterface>())
    array = view.getViewSource();
  return cacheBytes > 0 && isLargeOperand(array, cacheBytes);
}

/// Cuts a reduction across rows of an array that exceeds the caches into
/// groups of rows: a tile is then one line of each row of a group, and the
/// accumulators of the other columns wait in memory. A processor fetches a
/// few rows ahead, and not parts of many rows.
void chooseGroups(linalg::GenericOp op, const VectorTarget &target,
                  int64_t lanes, int64_t cacheBytes, Tiling &tiling) {
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  unsigned rows = reduced.back(), columns = tiling.vectorDim;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  VectorTarget line{kLineBytes, /*registers=*/1};
  int64_t streams = 0, width = lanes;
  bool isLarge = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (getInnermost(map) != tiling.vectorDim || !map.isFunctionOfDim(rows))
      continue;
    ++streams;
    isLarge |= exceedsCaches(input->get(), cacheBytes);
    width = std::max(
        width, line.getLanes(getElementTypeOrSelf(input->get().getType())));
  }
  if (!isLarge || streams > VectorTarget::kStreams / 2)
    return;
  int64_t groupRows =
      llvm::bit_floor(static_cast<uint64_t>(VectorTarget::kStreams / streams));
  width = std::min(width, lanes * target.getOuterReductionUnroll());
  if (ShapedType::isDynamic(ranges[rows]) || ranges[rows] < groupRows ||
      ShapedType::isDynamic(ranges[columns]) || ranges[columns] <= width)
    return;
  tiling.groupDim = rows;
  tiling.groupRows = groupRows;
  tiling.sizes[columns] = width;
}

} // namespace

Tiling gridir::cpu::chooseTiling(linalg::GenericOp op,
                                 const VectorTarget &target,
                                 int64_t cacheBytes) {
  unsigned numLoops = op.getNumLoops();
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();

  Tiling tiling;
  // Prefer operands that are written as a whole, then those that are read as
  // a whole, then any.
  for (AffineMap map : llvm::reverse(maps))
    if (map.getNumResults() == numLoops && getInnermost(map) >= 0) {
      tiling.vectorDim = getInnermost(map);
      break;
    }
  for (AffineMap map : maps)
    if (tiling.vectorDim < 0)
      tiling.vectorDim = getInnermost(map);
  if (tiling.vectorDim < 0)
    tiling.vectorDim = numLoops - 1;
  unsigned vector = tiling.vectorDim;
  tiling.reducesVector = !isParallel(kinds[vector]);
  for (AffineMap map : maps) {
    int innermost = getInnermost(map);
    if (innermost >= 0 && innermost != tiling.vectorDim &&
        map.isFunctionOfDim(vector) && isParallel(kinds[innermost]))
      tiling.secondDim = innermost;
  }

  bool reduces = op.getNumReductionLoops() > 0;
  int64_t lanes = target.getLanes(op);
  int64_t unroll = reduces && !tiling.reducesVector
                       ? target.getOuterReductionUnroll()
                       : target.getElementwiseUnroll();
  tiling.sizes.assign(numLoops, 1);
  tiling.sizes[vector] = lanes * unroll;
  if (tiling.secondDim >= 0 && !tiling.reducesVector) {
    // A square of registers is transposed at a time; 8 by 8 is fastest.
    int64_t side = std::min<int64_t>(lanes, 8);
    tiling.sizes[vector] = side;
    tiling.sizes[tiling.secondDim] = side;
  } else if (reduces && !tiling.reducesVector) {
    chooseGroups(op, target, lanes, cacheBytes, tiling);
    if (tiling.groupDim < 0)
      chooseRows(op, target, lanes, tiling);
  }

  for (unsigned d = 0; d < numLoops; ++d)
    if (d != vector && isParallel(kinds[d]))
      tiling.order.push_back(d);
  // Each element is reduced in the order of the loops, so groups of the last
  // dimension are inside the loops over the others.
  bool isGrouped = tiling.groupDim >= 0;
  if (!tiling.reducesVector && !isGrouped)
    tiling.order.push_back(vector);
  for (unsigned d = 0; d < numLoops; ++d)
    if (d != vector && !isParallel(kinds[d]))
      tiling.order.push_back(d);
  if (isGrouped)
    tiling.order.append({vector, static_cast<unsigned>(tiling.groupDim)});
  if (tiling.reducesVector)
    tiling.order.push_back(vector);
  return tiling;
}
