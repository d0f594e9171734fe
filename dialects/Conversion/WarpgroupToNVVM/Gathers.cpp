//===- Gathers.cpp - Elements that arrays of indices name ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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
  lowering.syncBeforeRead(loc, view.storage.get());

  int64_t numIndexed =
      cast<RankedTensorType>(op.getIndices().front().getType()).getRank();
  Type element = view.getElementType(), stored = getStorageType(element);
  Registers result;
  for (unsigned r = 0; r < to.getNumRegisters(); ++r) {
    SmallVector<Value> own = lowering.createElement(to, r), coords;
    for (int64_t d = 0, kept = numIndexed, e = view.dims.size(); d < e; ++d) {
      auto indexed = llvm::find(op.getDims(), d);
      coords.push_back(indexed == op.getDims().end()
                           ? own[kept++]
                           : toI32(builder, loc,
                                   indices[indexed - op.getDims().begin()][r]));
    }
    Value address = lowering.createAddress(loc, view, coords);
    auto load = [&](OpBuilder &builder, Location loc) -> Value {
      Value value = LLVM::LoadOp::create(builder, loc, stored, address);
      return fromStorage(builder, loc, value, element);
    };
    if (mask.empty()) {
      result.push_back(load(builder, loc));
      continue;
    }
    auto loads = scf::IfOp::create(
        builder, loc, mask[r],
        [&](OpBuilder &builder, Location loc) {
          scf::YieldOp::create(builder, loc, load(builder, loc));
        },
        [&](OpBuilder &builder, Location loc) {
          scf::YieldOp::create(builder, loc,
                               other.empty() ? createZero(builder, loc, element)
                                             : other[r]);
        });
    result.push_back(loads.getResult(0));
  }
  lowering.set(op.getResult(), std::move(result));
  return success();
}

} // namespace

void addGatherLowerings(Lowering &lowering) { lowering.add(lowerGather); }

} // namespace gridir::warpgroup_to_nvvm
