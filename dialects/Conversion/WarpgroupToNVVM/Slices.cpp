//===- Slices.cpp - Windows of arrays, and single elements ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {
namespace {

/// Reports a window with dynamic offsets, or one that omits elements or
/// dimensions.
LogicalResult checkWindow(OffsetSizeAndStrideOpInterface op, Type window,
                          Type array) {
  bool isKnown = llvm::none_of(op.getStaticOffsets(), ShapedType::isDynamic) &&
                 llvm::all_of(op.getStaticStrides(),
                              [](int64_t step) { return step == 1; }) &&
                 cast<RankedTensorType>(window).getRank() ==
                     cast<RankedTensorType>(array).getRank();
  if (isKnown)
    return success();
  return op->emitError("expected a window of full rank at static offsets; run "
                       "warpgroup-infer-layouts first");
}

LogicalResult lowerExtractSlice(tensor::ExtractSliceOp op, Lowering &lowering) {
  if (failed(lowering.convertType(op, op.getType())) ||
      failed(checkWindow(op, op.getType(), op.getSourceType())))
    return failure();
  lowering.set(op.getResult(),
               lowering.extractWindow(op.getLoc(), lowering.get(op.getSource()),
                                      lowering.getDistribution(op.getSource()),
                                      lowering.getDistribution(op.getResult()),
                                      op.getStaticOffsets()));
  return success();
}

LogicalResult lowerInsertSlice(tensor::InsertSliceOp op, Lowering &lowering) {
  if (failed(lowering.convertType(op, op.getType())) ||
      failed(checkWindow(op, op.getSourceType(), op.getType())))
    return failure();
  const Distribution &to = lowering.getDistribution(op.getResult());
  lowering.set(op.getResult(),
               lowering.insertWindow(
                   op.getLoc(), lowering.get(op.getSource()),
                   lowering.getDistribution(op.getSource()),
                   lowering.redistribute(op.getLoc(), op.getDest(), to), to,
                   op.getStaticOffsets()));
  return success();
}

/// The register of the element, if it is one of the thread's.
LogicalResult lowerInsert(tensor::InsertOp op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  Location loc = op.getLoc();
  if (failed(lowering.convertType(op, op.getType())))
    return failure();
  const Distribution &to = lowering.getDistribution(op.getResult());
  Registers registers = lowering.redistribute(loc, op.getDest(), to);
  Value scalar = lowering.getScalar(op.getScalar());
  for (unsigned r = 0; r < to.getNumRegisters(); ++r) {
    Value isIt;
    for (auto [coord, index] :
         llvm::zip_equal(lowering.createElement(to, r), op.getIndices())) {
      Value isSame =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, coord,
                                toI32(builder, loc, lowering.getIndex(index)));
      isIt = isIt ? arith::AndIOp::create(builder, loc, isIt, isSame) : isSame;
    }
    registers[r] =
        isIt ? arith::SelectOp::create(builder, loc, isIt, scalar, registers[r])
                   .getResult()
             : scalar;
  }
  lowering.set(op.getResult(), std::move(registers));
  return success();
}

} // namespace

void addSliceLowerings(Handlers &handlers) {
  handlers.add(lowerExtractSlice);
  handlers.add(lowerInsertSlice);
  handlers.add(lowerInsert);
}

} // namespace gridir::warpgroup_to_nvvm
