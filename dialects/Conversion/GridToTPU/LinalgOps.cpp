//===- LinalgOps.cpp - Fills, broadcasts and transposes -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToTPU/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace gridir::grid_to_tpu {
namespace {

//===----------------------------------------------------------------------===//
// Fill, broadcast, transpose
//===----------------------------------------------------------------------===//

LogicalResult lowerFill(linalg::FillOp op, Lowering &lowering) {
  FailureOr<Type> type = lowering.convertType(op, op.getResult(0).getType());
  if (failed(type))
    return failure();
  lowering.set(op.getResult(0),
               createShapeCast(lowering.builder, op.getLoc(),
                               lowering.get(op.getInputs()[0]), *type));
  return success();
}

LogicalResult lowerBroadcast(linalg::BroadcastOp op, Lowering &lowering) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<int64_t> kept;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!llvm::is_contained(op.getDimensions(), dim))
      kept.push_back(dim);
  lowering.set(op->getResult(0), createBroadcast(lowering.builder, op.getLoc(),
                                                 lowering.get(op.getInput()),
                                                 kept, type.getShape()));
  return success();
}

LogicalResult lowerTranspose(linalg::TransposeOp op, Lowering &lowering) {
  lowering.set(op->getResult(0), createTranspose(lowering.builder, op.getLoc(),
                                                 lowering.get(op.getInput()),
                                                 op.getPermutation()));
  return success();
}

} // namespace

void addLinalgLowerings(Handlers &handlers) {
  handlers.add(lowerFill);
  handlers.add(lowerBroadcast);
  handlers.add(lowerTranspose);
}

} // namespace gridir::grid_to_tpu
