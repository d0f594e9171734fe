//===- DotPanels.cpp - panels and tiles for dot products ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/DotPanels.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using gridir::cpu::DotEmitter;

/// The extent of a dimension of a memref.
static int64_t getSize(Value memref, unsigned dim) {
  return cast<MemRefType>(memref.getType()).getDimSize(dim);
}

/// Interleaves the elements of several vectors.
static Value interleaveAll(OpBuilder &builder, Location loc,
                           ArrayRef<Value> vectors) {
  if (vectors.size() == 1)
    return vectors.front();
  SmallVector<Value> even, odd;
  for (auto [i, vector] : llvm::enumerate(vectors))
    (i % 2 == 0 ? even : odd).push_back(vector);
  Value low = interleaveAll(builder, loc, even);
  Value high = interleaveAll(builder, loc, odd);
  return vector::InterleaveOp::create(builder, loc, low, high);
}

Value DotEmitter::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value DotEmitter::offsetBy(OpFoldResult base, int64_t offset) {
  return getValueOrCreateConstantIndexOp(
      builder, loc,
      affine::makeComposedFoldedAffineApply(
          builder, loc, builder.getAffineDimExpr(0) + offset, {base}));
}

Value DotEmitter::read(Value memref, Value row, Value column, int64_t count) {
  auto type = VectorType::get({count}, getElementTypeOrSelf(memref));
  return vector::TransferReadOp::create(
      builder, loc, type, memref, ValueRange{row, column},
      /*padding=*/std::nullopt, ArrayRef<bool>{true});
}

Value DotEmitter::asElements(Value words) {
  Type element = form.product->getElementType(builder.getContext());
  auto type =
      VectorType::get({form.product->getNumElements() * lanes}, element);
  return vector::BitCastOp::create(builder, loc, type, words);
}

void DotEmitter::pack(Value matrix, const DotPanel &panel, ConvertFn convert) {
  int64_t width = getSize(matrix, 1), size = form.product->getNumElements();
  auto type = VectorType::get({lanes}, builder.getI32Type());
  SmallVector<Value> excess;
  Value bias;
  if (panel.excess) {
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    excess.assign(width / lanes, zero);
    bias = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            VectorType::get({size * lanes}, builder.getI8Type()),
            builder.getI8IntegerAttr(-128)));
  }
  auto packWord = [&](OpBuilder &, Location, Value word, ValueRange carried) {
    AffineExpr d0 = builder.getAffineDimExpr(0);
    OpFoldResult first = affine::makeComposedFoldedAffineApply(
        builder, loc, d0 * size, {OpFoldResult(word)});
    SmallVector<Value> sums;
    for (int64_t column = 0; column < width; column += lanes) {
      Value at = constant(column);
      SmallVector<Value> rows;
      for (int64_t i = 0; i < size; ++i)
        rows.push_back(convert(read(matrix, offsetBy(first, i), at, lanes)));
      Value words = vector::BitCastOp::create(
          builder, loc, type, interleaveAll(builder, loc, rows));
      vector::StoreOp::create(builder, loc, words, panel.words,
                              ValueRange{word, at});
      if (panel.excess)
        sums.push_back(form.product->create(builder, loc, carried[sums.size()],
                                            bias, asElements(words)));
    }
    scf::YieldOp::create(builder, loc, sums);
  };
  auto loop = scf::ForOp::create(builder, loc, constant(0),
                                 constant(getSize(matrix, 0) / size),
                                 constant(1), excess, packWord);
  for (auto [i, sum] : llvm::enumerate(loop.getResults()))
    vector::StoreOp::create(builder, loc, sum, panel.excess,
                            ValueRange{constant(0), constant(i * lanes)});
}

void DotEmitter::emitTile(Value left, const DotPanel &panel, Value result,
                          OpFoldResult row, int64_t rows) {
  if (form.product->hasTiles)
    return emitOnTiles(left, panel, result, row, rows);
  emitOnVectors(left, panel, result, row, rows);
}

void DotEmitter::emitOnVectors(Value left, const DotPanel &panel, Value result,
                               OpFoldResult row, int64_t rows) {
  int64_t numWords = getSize(panel.words, 0), width = getSize(panel.words, 1);
  int64_t size = form.product->getNumElements();
  auto type = VectorType::get({lanes}, builder.getI32Type());
  auto loadWords = [&](Value memref, Value word, int64_t column) -> Value {
    return vector::LoadOp::create(builder, loc, type, memref,
                                  ValueRange{word, constant(column)});
  };
  SmallVector<Value> accumulators;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t column = 0; column < width; column += lanes) {
      Value sum = read(result, offsetBy(row, r), constant(column), lanes);
      if (panel.excess)
        sum = arith::SubIOp::create(
            builder, loc, sum, loadWords(panel.excess, constant(0), column));
      accumulators.push_back(sum);
    }
  auto emitStep = [&](OpBuilder &, Location, Value step, ValueRange carried) {
    AffineExpr d0 = builder.getAffineDimExpr(0);
    Value word = affine::makeComposedAffineApply(
        builder, loc, numWords - 1 - d0, {OpFoldResult(step)});
    Value first = affine::makeComposedAffineApply(
        builder, loc, (numWords - 1 - d0) * size, {OpFoldResult(step)});
    SmallVector<Value> columns, sums;
    for (int64_t column = 0; column < width; column += lanes)
      columns.push_back(asElements(loadWords(panel.words, word, column)));
    for (int64_t r = 0; r < rows; ++r) {
      Value one = vector::BitCastOp::create(
          builder, loc, VectorType::get({1}, builder.getI32Type()),
          read(left, offsetBy(row, r), first, size));
      Value x =
          asElements(vector::BroadcastOp::create(builder, loc, type, one));
      for (Value y : columns)
        sums.push_back(form.product->create(builder, loc, carried[sums.size()],
                                            form.isSwapped ? y : x,
                                            form.isSwapped ? x : y));
    }
    scf::YieldOp::create(builder, loc, sums);
  };
  auto loop = scf::ForOp::create(builder, loc, constant(0), constant(numWords),
                                 constant(1), accumulators, emitStep);
  auto sums = loop.getResults().begin();
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t column = 0; column < width; column += lanes)
      vector::TransferWriteOp::create(
          builder, loc, *sums++, result,
          ValueRange{offsetBy(row, r), constant(column)}, ArrayRef<bool>{true});
}

void DotEmitter::emitOnTiles(Value left, const DotPanel &panel, Value result,
                             OpFoldResult row, int64_t rows) {
  const int64_t height = form.product->getNumRows();
  int64_t numWords = getSize(panel.words, 0), width = getSize(panel.words, 1);
  auto sumType = amx::TileType::get({height, lanes},
                                    getElementTypeOrSelf(result.getType()));
  auto type =
      amx::TileType::get({height, form.product->getNumSteps()},
                         form.product->getElementType(builder.getContext()));
  SmallVector<Value> rowsOfTiles, columnsOfTiles, accumulators;
  for (int64_t r = 0; r < rows; r += height)
    rowsOfTiles.push_back(offsetBy(row, r));
  for (int64_t column = 0; column < width; column += lanes)
    columnsOfTiles.push_back(constant(column));
  for (Value r : rowsOfTiles)
    for (Value column : columnsOfTiles)
      accumulators.push_back(amx::TileLoadOp::create(
          builder, loc, sumType, result, ValueRange{r, column}));
  auto emitStep = [&](OpBuilder &, Location, Value word, ValueRange carried) {
    Value first = affine::makeComposedAffineApply(
        builder, loc,
        builder.getAffineDimExpr(0) * form.product->getNumElements(),
        {OpFoldResult(word)});
    SmallVector<Value> columns, sums;
    for (Value column : columnsOfTiles)
      columns.push_back(amx::TileLoadOp::create(builder, loc, type, panel.words,
                                                ValueRange{word, column}));
    for (Value r : rowsOfTiles) {
      Value x = amx::TileLoadOp::create(builder, loc, type, left,
                                        ValueRange{r, first});
      for (Value y : columns)
        sums.push_back(
            form.createTile(builder, loc, carried[sums.size()], x, y));
    }
    scf::YieldOp::create(builder, loc, sums);
  };
  auto loop = scf::ForOp::create(builder, loc, constant(0), constant(numWords),
                                 constant(height), accumulators, emitStep);
  auto sums = loop.getResults().begin();
  for (Value r : rowsOfTiles)
    for (Value column : columnsOfTiles)
      amx::TileStoreOp::create(builder, loc, result, ValueRange{r, column},
                               *sums++);
}
