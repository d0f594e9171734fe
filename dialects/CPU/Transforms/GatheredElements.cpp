//===- GatheredElements.cpp - loads at positions that are data ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/GatheredElements.h"
#include "dialects/CPU/Transforms/MirroredReads.h"

#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

bool gridir::cpu::isGather(linalg::GenericOp op, memref::LoadOp load) {
  Value array = load.getMemref();
  auto type = dyn_cast<MemRefType>(
      memref::skipViewLikeOps(cast<MemrefValue>(array)).getType());
  Type element = load.getMemRefType().getElementType();
  return load.getMemRefType().getRank() > 0 && type && type.hasStaticShape() &&
         type.getLayout().isIdentity() && element.isIntOrFloat() &&
         element.getIntOrFloatBitWidth() >= 8 &&
         array.getParentRegion() != &op.getRegion() && !isWritten(op, array);
}

gridir::cpu::Gathers::Gathers(RewriterBase &rewriter, linalg::GenericOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  for (auto load :
       llvm::make_early_inc_range(op.getBody()->getOps<memref::LoadOp>())) {
    MemRefType type = load.getMemRefType();
    if (!isGather(op, load) || !type.hasStaticShape() ||
        !type.getLayout().isIdentity())
      continue;
    rewriter.setInsertionPoint(op);
    auto cast = UnrealizedConversionCastOp::create(
        rewriter, load.getLoc(),
        RankedTensorType::get(type.getShape(), type.getElementType()),
        load.getMemref());
    rewriter.setInsertionPoint(load);
    rewriter.replaceOpWithNewOp<tensor::ExtractOp>(load, cast.getResult(0),
                                                   load.getIndices());
    casts.push_back(cast);
  }
}

void gridir::cpu::Gathers::finish(RewriterBase &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  for (UnrealizedConversionCastOp cast : casts) {
    Value array = cast.getOperand(0);
    for (Operation *user : llvm::make_early_inc_range(cast->getUsers())) {
      rewriter.setInsertionPoint(user);
      if (auto extract = dyn_cast<tensor::ExtractOp>(user))
        rewriter.replaceOpWithNewOp<memref::LoadOp>(extract, array,
                                                    extract.getIndices());
      else if (auto size = dyn_cast<tensor::DimOp>(user))
        rewriter.replaceOpWithNewOp<memref::DimOp>(size, array,
                                                   size.getIndex());
    }
    rewriter.replaceAllUsesWith(cast.getResult(0), array);
    rewriter.eraseOp(cast);
  }
}
