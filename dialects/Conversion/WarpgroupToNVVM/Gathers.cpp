//===- Gathers.cpp - Elements that arrays of indices name ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/RunAccesses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {
namespace {

/// Each thread loads its elements of the result, after it has received their
/// indices.
LogicalResult lowerGather(grid::GatherOp op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  if (failed(lowering.convertType(op, op.getType())))
    return failure();
  const View &view = lowering.getView(op.getRef());
  if (view.storage->kind == Storage::Kind::Registers)
    return op.emitError(
        "expected a gather from memory, got one from registers");
  if (failed(checkAddresses(op, view)))
    return failure();
  Distribution to = lowering.getDistribution(op.getResult());
  SmallVector<Registers> indices;
  for (Value index : op.getIndices())
    indices.push_back(lowering.redistribute(loc, index, to));
  Registers mask, other;
  if (op.getMask())
    mask = lowering.redistribute(loc, op.getMask(), to);
  if (op.getOther())
    other = lowering.redistribute(loc, op.getOther(), to);

  auto indexType = cast<RankedTensorType>(op.getIndices().front().getType());
  int64_t rank = view.dims.size();
  Type element = view.getElementType();
  // Adjacent elements of the last dimension have the same indices.
  int64_t run = llvm::is_contained(op.getDims(), rank - 1)
                    ? 1
                    : getRun(view, to, kMaxAccessBytes);
  Registers result;
  for (unsigned r = 0; r < to.getNumRegisters(); r += run) {
    SmallVector<Value> own = lowering.createElement(to, r), coords;
    for (int64_t d = 0, kept = indexType.getRank(); d < rank; ++d) {
      auto indexed = llvm::find(op.getDims(), d);
      coords.push_back(indexed == op.getDims().end()
                           ? own[kept++]
                           : toI32(builder, loc,
                                   indices[indexed - op.getDims().begin()][r]));
    }
    Value address = lowering.createAddress(loc, view, coords);
    if (mask.empty()) {
      result.append(loadRun(builder, loc, view, run, address));
      continue;
    }
    result.append(loadRunIf(builder, loc, view, run, address, mask[r], [&] {
      return other.empty() ? Registers(run, createZero(builder, loc, element))
                           : Registers(ArrayRef(other).slice(r, run));
    }));
  }
  lowering.set(op.getResult(), std::move(result));
  return success();
}

} // namespace

void addGatherLowerings(Handlers &handlers) { handlers.add(lowerGather); }

} // namespace gridir::warpgroup_to_nvvm
