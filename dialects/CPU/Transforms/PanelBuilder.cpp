//===- PanelBuilder.cpp - loops over panels, and their copies -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/PanelBuilder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using gridir::cpu::PanelBuilder;

void PanelBuilder::emitLoop(int64_t begin, int64_t end, int64_t step,
                            BodyFn body, bool descending) {
  if (begin >= end)
    return;
  if (begin + step >= end)
    return body(rewriter.getIndexAttr(begin));
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  auto loop = scf::ForOp::create(rewriter, loc, constant(begin), constant(end),
                                 constant(step));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  OpFoldResult iv = loop.getInductionVar();
  if (!descending)
    return body(iv);
  int64_t last = begin + (end - begin - 1) / step * step;
  body(affine::makeComposedFoldedAffineApply(
      rewriter, loc, begin + last - rewriter.getAffineDimExpr(0), {iv}));
}

Value PanelBuilder::allocate(int64_t rows, int64_t columns, Type type) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(&function.getBody().front());
  return memref::AllocaOp::create(rewriter, loc,
                                  MemRefType::get({rows, columns}, type),
                                  rewriter.getI64IntegerAttr(64));
}

Value PanelBuilder::subview(Value memref, ArrayRef<OpFoldResult> at,
                            ArrayRef<int64_t> sizes) {
  SmallVector<OpFoldResult> ones(at.size(), rewriter.getIndexAttr(1));
  return rewriter.createOrFold<memref::SubViewOp>(
      loc, memref, at, getAsIndexOpFoldResult(rewriter.getContext(), sizes),
      ones);
}

Value PanelBuilder::slice(const Matrix &matrix, OpFoldResult row,
                          OpFoldResult column, int64_t rows, int64_t columns) {
  if (matrix.transposed)
    return subview(matrix.value, {column, row}, {columns, rows});
  return subview(matrix.value, {row, column}, {rows, columns});
}

Value PanelBuilder::padBuffer(Value buffer, int64_t rows, int64_t columns) {
  if (cast<MemRefType>(buffer.getType()).getShape() ==
      ArrayRef<int64_t>{rows, columns})
    return buffer;
  fillZero(buffer);
  OpFoldResult zero = rewriter.getIndexAttr(0);
  return subview(buffer, {zero, zero}, {rows, columns});
}

void PanelBuilder::copy(Value from, Value to, bool transposed,
                        ConvertFn convert) {
  AffineMap identity = rewriter.getMultiDimIdentityMap(2);
  AffineMap swapped = AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0},
                                                   rewriter.getContext());
  SmallVector<AffineMap> copyMaps{transposed ? swapped : identity, identity};
  SmallVector<utils::IteratorType> kinds(2, utils::IteratorType::parallel);
  linalg::GenericOp::create(
      rewriter, loc, ValueRange(from), ValueRange(to), copyMaps, kinds,
      [&](OpBuilder &b, Location l, ValueRange args) {
        linalg::YieldOp::create(b, l, convert(b, l, args[0]));
      });
}

void PanelBuilder::fillZero(Value memref) {
  Value zero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(getElementTypeOrSelf(memref)));
  linalg::FillOp::create(rewriter, loc, ValueRange(zero), ValueRange(memref));
}

OpFoldResult PanelBuilder::select(OpFoldResult at, int64_t end,
                                  OpFoldResult below, OpFoldResult rest) {
  if (std::optional<int64_t> constant = getConstantIntValue(at))
    return *constant < end ? below : rest;
  if (isEqualConstantIntOrValue(below, rest))
    return below;
  auto toValue = [&](OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, value);
  };
  Value isBelow =
      arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                            toValue(at), toValue(rewriter.getIndexAttr(end)));
  return arith::SelectOp::create(rewriter, loc, isBelow, toValue(below),
                                 toValue(rest))
      .getResult();
}
