//===- ContiguousLoops.cpp - loops over adjacent memory -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/ContiguousLoops.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace {

/// True if the memory of `operand` holds the elements that `loops` visit
/// contiguously, in order.
bool isContiguous(OpOperand &operand, ArrayRef<int64_t> loops) {
  auto op = cast<linalg::LinalgOp>(operand.getOwner());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (!map.isProjectedPermutation() ||
      !linalg::isDimSequencePreserved(map, loops))
    return false;
  std::optional<unsigned> first = map.getResultPosition(
      getAffineDimExpr(loops.front(), operand.get().getContext()));
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!first || !type)
    return !first;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  for (unsigned dim = *first, end = dim + loops.size() - 1; dim < end; ++dim)
    if (ShapedType::isDynamic(strides[dim]) ||
        ShapedType::isDynamic(strides[dim + 1]) ||
        strides[dim] != strides[dim + 1] * type.getDimSize(dim + 1))
      return false;
  return true;
}

/// Returns the loops to combine, if more than one of them has several
/// iterations.
SmallVector<ReassociationIndices> findSequences(linalg::GenericOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<ReassociationIndices> sequences;
  ReassociationIndices sequence;
  auto finish = [&] {
    if (llvm::count_if(sequence, [&](int64_t d) { return ranges[d] > 1; }) > 1)
      sequences.push_back(sequence);
    sequence.clear();
  };
  for (auto [dim, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (linalg::isReductionIterator(kind) ||
        ShapedType::isDynamic(ranges[dim])) {
      finish();
      continue;
    }
    sequence.push_back(dim);
    if (llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
          return isContiguous(operand, sequence);
        }))
      continue;
    sequence.pop_back();
    finish();
    sequence.push_back(dim);
  }
  finish();
  return sequences;
}

} // namespace

linalg::GenericOp gridir::cpu::collapseContiguousLoops(RewriterBase &rewriter,
                                                       linalg::GenericOp op) {
  // An index of the combined loop would have to be split again.
  if (op.getNumParallelLoops() < 2 || op.hasIndexSemantics())
    return op;
  SmallVector<ReassociationIndices> sequences = findSequences(op);
  if (sequences.empty())
    return op;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::CollapseResult> collapsed =
      linalg::collapseOpIterationDims(op, sequences, rewriter);
  if (failed(collapsed))
    return op;
  rewriter.replaceOp(op, collapsed->results);
  return cast<linalg::GenericOp>(collapsed->collapsedOp.getOperation());
}
