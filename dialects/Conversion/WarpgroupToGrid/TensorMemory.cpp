//===- TensorMemory.cpp - Products in tensor memory -----------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MMAs and copies complete when they start. The first of two CTAs does the work
// of both, with loads from the other one.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToGrid/Patterns.h"
#include "dialects/Support/Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gridir;

namespace {

//===----------------------------------------------------------------------===//
// Two blocks
//===----------------------------------------------------------------------===//

/// The CTAs of an op: this one, or the two along an axis, for which the first
/// one runs the code that is inserted from here on.
class Blocks {
public:
  Blocks(OpBuilder &builder, Location loc, StringAttr axis)
      : builder(builder), guard(builder), loc(loc), axis(axis) {
    if (!axis)
      return;
    Value id = grid::ProgramIdOp::create(builder, loc, axis);
    Value isFirst = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, id, createI32(builder, loc, 0));
    auto first = scf::IfOp::create(builder, loc, isFirst);
    builder.setInsertionPointToStart(first.thenBlock());
  }

  int64_t getNumBlocks() const { return axis ? 2 : 1; }

  Value load(Value ref, int64_t block) {
    if (block == 0)
      return createWholeLoad(builder, loc, ref);
    auto type = cast<MemRefType>(ref.getType());
    return warpgroup::ClusterLoadOp::create(
        builder, loc,
        RankedTensorType::get(type.getShape(), type.getElementType()), ref,
        builder.getArrayAttr(axis), createI32(builder, loc, block));
  }

  void store(Value value, Value ref, int64_t block) {
    if (block == 0)
      grid::StoreOp::create(builder, loc, value, ref, /*mask=*/Value());
    else
      warpgroup::ClusterStoreOp::create(
          builder, loc, value, ref, builder.getArrayAttr(axis),
          createI32(builder, loc, block), /*reduction=*/{}, /*barrier=*/{});
  }

private:
  OpBuilder &builder;
  OpBuilder::InsertionGuard guard;
  Location loc;
  StringAttr axis;
};

/// Matrices side by side.
Value createColumns(OpBuilder &builder, Location loc, ArrayRef<Value> parts) {
  auto type = cast<RankedTensorType>(parts[0].getType());
  if (parts.size() == 1)
    return parts[0];
  int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  int64_t numParts = parts.size();
  Value whole = tensor::EmptyOp::create(
      builder, loc, {rows, columns * numParts}, type.getElementType());
  SmallVector<OpFoldResult> sizes{builder.getIndexAttr(rows),
                                  builder.getIndexAttr(columns)},
      ones(2, builder.getIndexAttr(1));
  for (auto [i, part] : llvm::enumerate(parts)) {
    SmallVector<OpFoldResult> offsets{builder.getIndexAttr(0),
                                      builder.getIndexAttr(i * columns)};
    whole = tensor::InsertSliceOp::create(builder, loc, part, whole, offsets,
                                          sizes, ones);
  }
  return whole;
}

//===----------------------------------------------------------------------===//
// Matrices with permuted elements
//===----------------------------------------------------------------------===//

/// Arithmetic of indices that are not negative.
class IndexMath {
public:
  IndexMath(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  Value multiply(Value index, int64_t factor) {
    return arith::MulIOp::create(builder, loc, index, number(factor));
  }
  Value divide(Value index, int64_t by) {
    return arith::DivUIOp::create(builder, loc, index, number(by));
  }
  Value rest(Value index, int64_t of) {
    return arith::RemUIOp::create(builder, loc, index, number(of));
  }
  Value sum(Value a, Value b) {
    return arith::AddIOp::create(builder, loc, a, b);
  }
  Value number(int64_t value) { return createIndex(builder, loc, value); }

private:
  OpBuilder &builder;
  Location loc;
};

using ElementFn =
    function_ref<Value(OpBuilder &, Location, Value row, Value column)>;

/// Creates a matrix with the elements that `fn` returns.
Value createMatrix(OpBuilder &builder, Location loc, int64_t rows,
                   int64_t columns, Type element, ElementFn fn) {
  return createElements(
      builder, loc, RankedTensorType::get({rows, columns}, element),
      [&](OpBuilder &builder, Location loc, ArrayRef<Value> coordinates) {
        return fn(builder, loc, coordinates[0], coordinates[1]);
      });
}

/// The factors of an operand, as tensor memory has them, of a tile.
Value createScales(OpBuilder &builder, Location loc, Value tile,
                   ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tile.getType());
  const int64_t span = type.getDimSize(2) * 4;
  return createMatrix(
      builder, loc, shape[0], shape[1], type.getElementType(),
      [&](OpBuilder &builder, Location loc, Value row, Value column) -> Value {
        IndexMath math(builder, loc);
        Value inner = math.rest(row, span);
        Value line = math.sum(math.multiply(math.divide(inner, 128), 32),
                              math.rest(inner, 32));
        Value group = math.divide(math.rest(inner, 128), 32);
        Value element = math.sum(math.multiply(group, 4), math.rest(column, 4));
        return tensor::ExtractOp::create(builder, loc, tile,
                                         ValueRange{math.divide(row, span),
                                                    math.divide(column, 4),
                                                    line, element});
      });
}

/// The metadata of a tile of a sparse operand, as tensor memory has it.
Value createMetadata(OpBuilder &builder, Location loc, Value tile,
                     ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tile.getType());
  return createMatrix(
      builder, loc, shape[0], shape[1], type.getElementType(),
      [&](OpBuilder &builder, Location loc, Value row, Value column) -> Value {
        IndexMath math(builder, loc);
        return tensor::ExtractOp::create(
            builder, loc, tile,
            ValueRange{math.divide(row, 128), math.divide(column, 64),
                       math.rest(row, 128), math.rest(column, 64)});
      });
}

//===----------------------------------------------------------------------===//
// Sparse and scaled operands
//===----------------------------------------------------------------------===//

/// The element of a sparse operand at a row and a column of the dense one. Two
/// of each four elements are stored, and the metadata has their positions.
Value createSparseElement(OpBuilder &builder, Location loc, Value operand,
                          Value metadata, Value row, Value column) {
  Type element = getElementTypeOrSelf(operand.getType());
  IndexMath math(builder, loc);
  Value inGroup = math.rest(column, 4);
  Value found = createZero(builder, loc, element);
  for (int64_t i = 0; i < 2; ++i) {
    Value at =
        math.sum(math.multiply(math.divide(column, 4), 2), math.number(i));
    Value metadataRow = row, metadataColumn = at;
    if (element.getIntOrFloatBitWidth() == 16) {
      // The matrix unit takes tiles of 16 rows and 16 columns by the halves of
      // the columns; each has both halves of the rows.
      Value rowHalf = math.rest(math.divide(row, 8), 2);
      Value columnHalf = math.rest(math.divide(at, 8), 2);
      auto exchange = [&](Value index, Value half) {
        Value group = math.multiply(math.divide(index, 16), 16);
        return math.sum(math.sum(group, math.multiply(half, 8)),
                        math.rest(index, 8));
      };
      metadataRow = exchange(row, columnHalf);
      metadataColumn = exchange(at, rowHalf);
    }
    Value stands = tensor::ExtractOp::create(
        builder, loc, metadata, ValueRange{metadataRow, metadataColumn});
    stands = arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(),
                                          stands);
    Value isHere = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         stands, inGroup);
    Value value =
        tensor::ExtractOp::create(builder, loc, operand, ValueRange{row, at});
    found = arith::SelectOp::create(builder, loc, isHere, value, found);
  }
  return found;
}

/// A number as an f32.
Value toF32(OpBuilder &builder, Location loc, Value value) {
  Type f32 = builder.getF32Type();
  return value.getType() == f32
             ? value
             : arith::ExtFOp::create(builder, loc, f32, value).getResult();
}

/// The factor of an element: the rows of `scales` are those of as many blocks,
/// each with some more than are used.
Value createFactor(OpBuilder &builder, Location loc, Value scales, Value row,
                   int64_t numRows, int64_t numBlocks, Value k, int64_t depth) {
  auto type = cast<RankedTensorType>(scales.getType());
  IndexMath math(builder, loc);
  int64_t used = numRows / numBlocks, all = type.getDimSize(0) / numBlocks;
  Value at = math.sum(math.multiply(math.divide(row, used), all),
                      math.rest(row, used));
  Value factor = tensor::ExtractOp::create(
      builder, loc, scales,
      ValueRange{at, math.divide(k, depth / type.getDimSize(1))});
  return toF32(builder, loc, factor);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

class Tcgen05MmaPattern : public OpRewritePattern<warpgroup::Tcgen05MmaOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(warpgroup::Tcgen05MmaOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    {
      Blocks blocks(rewriter, loc, op.getCollectiveAttr());
      SmallVector<Value> columns;
      for (int64_t block = 0; block < blocks.getNumBlocks(); ++block)
        columns.push_back(blocks.load(op.getRhs(), block));
      Value rhs = createColumns(rewriter, loc, columns);
      for (int64_t block = 0; block < blocks.getNumBlocks(); ++block)
        createBlock(rewriter, op, blocks, block, rhs);
    }
    if (op.getBarrier())
      warpgroup::Tcgen05CommitOp::create(rewriter, loc, op.getBarrier(),
                                         op.getCollectiveAttr());
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// The rows of one block.
  void createBlock(OpBuilder &builder, warpgroup::Tcgen05MmaOp op,
                   Blocks &blocks, int64_t block, Value rhs) const {
    Location loc = op.getLoc();
    Value old = blocks.load(op.getAcc(), block);
    auto type = cast<RankedTensorType>(old.getType());
    Value accumulates = tensor::SplatOp::create(
        builder, loc, op.getAccumulate(), type.getShape());
    old = arith::SelectOp::create(builder, loc, accumulates, old,
                                  createZero(builder, loc, type));
    Value lhs = blocks.load(op.getLhs(), block);
    if (op.getMetadata() || op.getLhsScale())
      lhs = createLhs(builder, op, blocks, block, lhs);
    if (op.getRhsScale())
      rhs = createScaledRhs(builder, loc, rhs,
                            blocks.load(op.getRhsScale(), block),
                            blocks.getNumBlocks());
    Value sum = createProduct(builder, loc, lhs, rhs, old,
                              op.getUnsignedLhsAttr(), op.getUnsignedRhsAttr());
    blocks.store(sum, op.getAcc(), block);
  }

  /// The left operand with all its elements, times their factors.
  Value createLhs(OpBuilder &builder, warpgroup::Tcgen05MmaOp op,
                  Blocks &blocks, int64_t block, Value lhs) const {
    Value metadata, scales;
    if (op.getMetadata())
      metadata = blocks.load(op.getMetadata(), block);
    if (op.getLhsScale())
      scales = blocks.load(op.getLhsScale(), block);
    auto type = cast<RankedTensorType>(lhs.getType());
    int64_t rows = type.getDimSize(0);
    int64_t depth = type.getDimSize(1) * (metadata ? 2 : 1);
    return createMatrix(
        builder, op.getLoc(), rows, depth,
        scales ? builder.getF32Type() : type.getElementType(),
        [&](OpBuilder &builder, Location loc, Value row, Value k) -> Value {
          Value value = metadata ? createSparseElement(builder, loc, lhs,
                                                       metadata, row, k)
                                 : tensor::ExtractOp::create(builder, loc, lhs,
                                                             ValueRange{row, k})
                                       .getResult();
          if (!scales)
            return value;
          Value factor = createFactor(builder, loc, scales, row, rows,
                                      /*numBlocks=*/1, k, depth);
          return arith::MulFOp::create(builder, loc, toF32(builder, loc, value),
                                       factor);
        });
  }

  Value createScaledRhs(OpBuilder &builder, Location loc, Value rhs,
                        Value scales, int64_t numBlocks) const {
    auto type = cast<RankedTensorType>(rhs.getType());
    int64_t depth = type.getDimSize(0), columns = type.getDimSize(1);
    return createMatrix(
        builder, loc, depth, columns, builder.getF32Type(),
        [&](OpBuilder &builder, Location loc, Value k, Value column) -> Value {
          Value value = tensor::ExtractOp::create(builder, loc, rhs,
                                                  ValueRange{k, column});
          Value factor = createFactor(builder, loc, scales, column, columns,
                                      numBlocks, k, depth);
          return arith::MulFOp::create(builder, loc, toF32(builder, loc, value),
                                       factor);
        });
  }
};

class TmemCopyPattern : public OpRewritePattern<warpgroup::TmemCopyOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(warpgroup::TmemCopyOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    {
      Blocks blocks(rewriter, loc, op.getCollectiveAttr());
      ArrayRef<int64_t> shape =
          cast<MemRefType>(op.getDest().getType()).getShape();
      for (int64_t block = 0; block < blocks.getNumBlocks(); ++block) {
        Value value = blocks.load(op.getSource(), block);
        if (op.getScales())
          value = createScales(rewriter, loc, value, shape);
        else if (op.getMetadata())
          value = createMetadata(rewriter, loc, value, shape);
        blocks.store(value, op.getDest(), block);
      }
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void gridir::populateTensorMemoryPatterns(RewritePatternSet &patterns) {
  patterns.add<Tcgen05MmaPattern, TmemCopyPattern>(patterns.getContext());
}
