//===- MovedReductions.cpp - Reductions of what others hold -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Structured.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

/// Stores all inputs to shared memory. Each thread then computes its own
/// elements of the result by sequential loops over the reduced dimensions. This
/// is the general fallback: threads need no partial sums, and any body and
/// indexing map is possible.
LogicalResult lowerMovedReduction(linalg::LinalgOp op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  AffineMap resultMap = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  std::optional<SmallVector<int64_t>> kept = getMapDims(resultMap);
  bool isAlike = llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return op.getMatchingIndexingMap(&init) == resultMap;
  });
  if (!kept || !isAlike)
    return refuseStructured(op, "results that are indexed by the same loops");
  Distribution to = lowering.getDistribution(op->getResult(0));
  unsigned numRegisters = to.getNumRegisters();
  auto same = llvm::to_vector(llvm::seq<int64_t>(0, to.shape.size()));
  SmallVector<Value> sums;
  for (Value init : op.getDpsInits())
    llvm::append_range(
        sums, lowering.redistribute(loc, lowering.get(init),
                                    lowering.getDistribution(init), to, same));
  SharedArrays arrays(loc, lowering);
  if (failed(addRead(op, arrays)))
    return failure();
  for (Value input : op.getDpsInputs())
    if (isa<TensorType>(input.getType()))
      arrays.add(input);
  SmallVector<SmallVector<Value>> coords;
  for (unsigned r = 0; r < numRegisters; ++r)
    coords.push_back(lowering.createElement(to, r));

  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  SmallVector<Value> zeros, ends, ones;
  for (unsigned d : reduced) {
    zeros.push_back(createIndex(builder, loc, 0));
    ends.push_back(createIndex(builder, loc, op.getStaticLoopRanges()[d]));
    ones.push_back(createIndex(builder, loc, 1));
  }
  auto step = [&](OpBuilder &, Location, ValueRange loops, ValueRange before) {
    scf::ValueVector after(before.begin(), before.end());
    for (unsigned r = 0; r < numRegisters; ++r) {
      SmallVector<Value> indices(op.getNumLoops());
      for (auto [d, loop] : llvm::zip_equal(reduced, loops))
        indices[d] = toI32(builder, loc, loop);
      for (auto [d, coord] : llvm::zip_equal(*kept, coords[r]))
        indices[d] = coord;
      SmallVector<Value> elements;
      for (OpOperand *input : op.getDpsInputOperands())
        elements.push_back(
            isa<TensorType>(input->get().getType())
                ? arrays.load(input->get(),
                              createMapped(builder, loc,
                                           op.getMatchingIndexingMap(input),
                                           indices))
                : lowering.getScalar(input->get()));
      for (size_t first = 0; first < after.size(); first += numRegisters)
        elements.push_back(after[first + r]);
      for (auto [i, sum] :
           llvm::enumerate(inlineBody(lowering, op, elements, indices, arrays)))
        after[i * numRegisters + r] = sum;
    }
    return after;
  };
  scf::LoopNest nest =
      scf::buildLoopNest(builder, loc, zeros, ends, ones, sums, step);
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    lowering.set(result, Registers(ArrayRef<Value>(nest.results)
                                       .slice(i * numRegisters, numRegisters)));
  return success();
}

} // namespace gridir::warpgroup_to_nvvm
