//===- VectorTarget.cpp - the vector registers of a CPU -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/VectorTarget.h"
#include "dialects/Support/CountableTypes.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;
using gridir::cpu::VectorTarget;

int64_t VectorTarget::getLanes(Type type) const {
  unsigned bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
  return std::max<int64_t>(1, bytes * 8 / std::max(bits, 8u));
}

int64_t VectorTarget::getLanes(linalg::LinalgOp op) const {
  int64_t lanes = bytes;
  auto consider = [&](Type type) {
    // Indices are mostly lane numbers here.
    if (!type.isIndex())
      lanes = std::min(lanes, getLanes(getElementTypeOrSelf(type)));
  };
  for (Value operand : op->getOperands())
    consider(operand.getType());
  for (Operation &inner : *op.getBlock())
    for (Type type : inner.getResultTypes())
      consider(type);
  return lanes;
}

bool VectorTarget::isContractionTile(linalg::LinalgOp op) const {
  if (!linalg::isaContractionOpInterface(op))
    return false;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  for (auto [range, kind] : llvm::zip_equal(ranges, op.getIteratorTypesArray()))
    if (linalg::isReductionIterator(kind) && range != 1)
      return false;
  std::optional<int64_t> points = gridir::countPoints(ranges);
  return points && *points <= registers * getLanes(op);
}

linalg::GenericOp gridir::cpu::dropUnitDims(RewriterBase &rewriter,
                                            linalg::GenericOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  linalg::ControlDropUnitDims control;
  // A view keeps strides that a reshape could not express.
  control.rankReductionStrategy =
      linalg::ControlDropUnitDims::RankReductionStrategy::ExtractInsertSlice;
  FailureOr<linalg::DropUnitDimsResult> result =
      linalg::dropUnitDims(rewriter, op, control);
  if (failed(result))
    return op;
  rewriter.replaceOp(op, result->replacements);
  return cast<linalg::GenericOp>(result->resultOp.getOperation());
}
