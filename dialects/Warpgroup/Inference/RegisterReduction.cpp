//===- RegisterReduction.cpp - Sums of elements in registers --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Inference/RegisterReduction.h"

using namespace mlir;
using namespace gridir::warpgroup;

/// The dimensions that a projected permutation takes, in its order.
static SmallVector<int64_t> getPositions(AffineMap map) {
  return llvm::map_to_vector(map.getResults(), [](AffineExpr expr) -> int64_t {
    return cast<AffineDimExpr>(expr).getPosition();
  });
}

static Distribution getAll(linalg::LinalgOp op, Distributions &distributions) {
  SmallVector<int64_t> loops = op.getStaticLoopRanges();
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!map.isPermutation())
      continue;
    const Distribution &held =
        distributions.get(cast<RankedTensorType>(input->get().getType()));
    if (!held.isFlat())
      return Distribution::getProjection(
          held, getPositions(inversePermutation(map)), loops);
  }
  return *Distribution::get(Layout::blocked(loops, /*maxVector=*/1), loops);
}

RegisterReduction::RegisterReduction(linalg::LinalgOp op,
                                     Distributions &distributions)
    : all(getAll(op, distributions)),
      dims(getPositions(op.getMatchingIndexingMap(op.getDpsInitOperand(0)))) {
  for (const Coordinates &coords : all.registers)
    if (!llvm::is_contained(sums, project(coords)))
      sums.push_back(project(coords));
}

Coordinates RegisterReduction::project(ArrayRef<int64_t> coords) const {
  return Coordinates(
      llvm::map_range(dims, [&](int64_t d) { return coords[d]; }));
}

bool RegisterReduction::isReduced(unsigned bit) const {
  auto isZero = [](int64_t part) { return part == 0; };
  // Each bit of a layout leads along one dimension.
  return !llvm::all_of(all.threadBits[bit], isZero) &&
         llvm::all_of(project(all.threadBits[bit]), isZero);
}

Distribution RegisterReduction::getHeld(Shape shape) const {
  Distribution held;
  held.shape.assign(shape.begin(), shape.end());
  held.space = held.shape;
  held.registers = sums;
  for (auto [to, from] : llvm::zip_equal(held.threadBits, all.threadBits))
    to = project(from);
  return held;
}
