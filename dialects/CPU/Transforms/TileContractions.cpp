//===- TileContractions.cpp - contractions as panels and register tiles ---===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/Passes.h"
#include "dialects/CPU/Transforms/VectorTarget.h"
#include "dialects/Support/CountableTypes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPUTILECONTRACTIONSPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;
using gridir::cpu::VectorTarget;

namespace {

/// Steps of the reduction per panel: 16 columns of f32 take 16 KiB, half of a
/// first-level cache.
constexpr int64_t kPanelDepth = 256;
/// Columns of so few bits leave a vector mostly empty: where the right operand
/// lies along k, a reduction is better. The order of the sums depends on it, so
/// that it is the same for every CPU.
constexpr int64_t kNarrowBits = 128;
/// A right operand that fewer rows read than this is not worth a copy.
constexpr int64_t kRowsWorthPacking = 16;

/// A 2-d view of one operand, and whether its second dimension is the one that
/// its name says first: A is (m, k), B is (k, n).
struct Matrix {
  Value value;
  bool transposed = false;
};

/// out(m, n) += a(m, k) * b(k, n) on views of the operands of one op.
class ContractionTiler {
public:
  ContractionTiler(RewriterBase &rewriter, func::FuncOp function,
                   linalg::LinalgOp op, const VectorTarget &target)
      : rewriter(rewriter), function(function), op(op), target(target),
        loc(op.getLoc()) {}

  /// Fails without a change if the op is left to the tiling of other ops.
  LogicalResult run() {
    FailureOr<linalg::ContractionDimensions> dims =
        linalg::inferContractionDims(op);
    ranges = op.getStaticLoopRanges();
    if (failed(dims) || !linalg::isaContractionOpInterface(op) ||
        llvm::any_of(ranges, ShapedType::isDynamic) || op.getNumLoops() == 0 ||
        dims->m.empty() || dims->n.empty() || dims->k.empty() ||
        llvm::is_contained(ranges, 0))
      return failure();
    maps = op.getIndexingMapsArray();
    for (AffineMap map : maps)
      if (!map.isProjectedPermutation() || map.getNumResults() < 2)
        return failure();
    for (Value operand : op->getOperands())
      if (!getElementTypeOrSelf(operand.getType()).isIntOrFloat())
        return failure();

    // Whichever side has the innermost dimension of the result is the one that
    // vectors run along.
    unsigned innermost = maps[2].getDimPosition(maps[2].getNumResults() - 1);
    lhs = 0, rhs = 1;
    SmallVector<unsigned, 2> rows = dims->m, columns = dims->n;
    if (llvm::is_contained(dims->m, innermost)) {
      std::swap(lhs, rhs);
      std::swap(rows, columns);
    }
    if (!llvm::is_contained(columns, innermost))
      return failure();
    n = innermost;
    m = rows.back();
    k = dims->k.back();
    outType = getElementType(2);
    computeType = outType;
    if (outType.isF16() || outType.isBF16())
      computeType = rewriter.getF32Type();
    else if (outType.isInteger() && outType.getIntOrFloatBitWidth() < 32)
      computeType = rewriter.getI32Type();
    lanes = target.getLanes(computeType);
    bool isAlongK =
        maps[rhs].getDimPosition(maps[rhs].getNumResults() - 1) == k;
    if (ranges[n] == 1 ||
        (isAlongK &&
         ranges[n] * computeType.getIntOrFloatBitWidth() <= kNarrowBits))
      return failure();

    rewriter.setInsertionPoint(op);
    offsets.assign(op.getNumLoops(), rewriter.getIndexAttr(0));
    emitOuterLoops(0);
    rewriter.eraseOp(op);
    return success();
  }

private:
  using BodyFn = function_ref<void(OpFoldResult)>;

  Type getElementType(unsigned operand) {
    return cast<MemRefType>(op->getOperand(operand).getType()).getElementType();
  }

  /// Runs `body` for begin, begin + step, ... below end.
  void emitLoop(int64_t begin, int64_t end, int64_t step, BodyFn body) {
    if (begin >= end)
      return;
    if (begin + step >= end)
      return body(rewriter.getIndexAttr(begin));
    auto constant = [&](int64_t value) {
      return arith::ConstantIndexOp::create(rewriter, loc, value);
    };
    auto loop = scf::ForOp::create(rewriter, loc, constant(begin),
                                   constant(end), constant(step));
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }

  /// One loop for each batch dimension and for each further m, n and k.
  void emitOuterLoops(unsigned dim) {
    if (dim == op.getNumLoops())
      return emitMatmul();
    if (dim == m || dim == n || dim == k)
      return emitOuterLoops(dim + 1);
    emitLoop(0, ranges[dim], 1, [&](OpFoldResult iv) {
      offsets[dim] = iv;
      emitOuterLoops(dim + 1);
    });
  }

  /// A buffer at the entry of the function, where no loop allocates it.
  Value allocate(int64_t rows, int64_t columns) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&function.getBody().front());
    return memref::AllocaOp::create(
        rewriter, loc, MemRefType::get({rows, columns}, computeType),
        rewriter.getI64IntegerAttr(64));
  }

  Value subview(Value memref, ArrayRef<OpFoldResult> at,
                ArrayRef<int64_t> sizes) {
    SmallVector<OpFoldResult> ones(at.size(), rewriter.getIndexAttr(1));
    return rewriter.createOrFold<memref::SubViewOp>(
        loc, memref, at, getAsIndexOpFoldResult(rewriter.getContext(), sizes),
        ones);
  }

  /// The 2-d view over `first` and `second` of an operand at this iteration of
  /// the outer loops.
  Matrix getMatrix(unsigned operand, unsigned first, unsigned second) {
    Value memref = op->getOperand(operand);
    AffineMap map = maps[operand];
    SmallVector<OpFoldResult> at, sizes, ones;
    SmallVector<int64_t> shape;
    for (unsigned i = 0; i < map.getNumResults(); ++i) {
      unsigned dim = map.getDimPosition(i);
      bool kept = dim == first || dim == second;
      at.push_back(kept ? OpFoldResult(rewriter.getIndexAttr(0))
                        : offsets[dim]);
      sizes.push_back(rewriter.getIndexAttr(kept ? ranges[dim] : 1));
      ones.push_back(rewriter.getIndexAttr(1));
      if (kept)
        shape.push_back(ranges[dim]);
    }
    bool transposed = *map.getResultPosition(rewriter.getAffineDimExpr(first)) >
                      *map.getResultPosition(rewriter.getAffineDimExpr(second));
    if (map.getNumResults() == 2)
      return {memref, transposed};
    auto type = memref::SubViewOp::inferRankReducedResultType(
        shape, cast<MemRefType>(memref.getType()), at, sizes, ones);
    return {memref::SubViewOp::create(rewriter, loc, cast<MemRefType>(type),
                                      memref, at, sizes, ones),
            transposed};
  }

  /// The part of a matrix from (row, column) on.
  Value slice(const Matrix &matrix, OpFoldResult row, OpFoldResult column,
              int64_t rows, int64_t columns) {
    if (matrix.transposed)
      return subview(matrix.value, {column, row}, {columns, rows});
    return subview(matrix.value, {row, column}, {rows, columns});
  }

  /// The signedness that the body reads an input with, as an op.
  Value extend(OpBuilder &b, Location l, Value value, unsigned operand) {
    if (value.getType() == computeType)
      return value;
    BlockArgument arg = op.getBlock()->getArgument(operand);
    bool isUnsigned =
        value.getType().isInteger(1) ||
        llvm::any_of(arg.getUsers(),
                     llvm::IsaPred<arith::ExtUIOp, arith::UIToFPOp>);
    bool isWider = value.getType().getIntOrFloatBitWidth() >
                   computeType.getIntOrFloatBitWidth();
    if (isa<FloatType>(computeType)) {
      if (isa<IntegerType>(value.getType()) && isUnsigned)
        return arith::UIToFPOp::create(b, l, computeType, value);
      if (isa<IntegerType>(value.getType()))
        return arith::SIToFPOp::create(b, l, computeType, value);
      if (isWider)
        return arith::TruncFOp::create(b, l, computeType, value);
      return arith::ExtFOp::create(b, l, computeType, value);
    }
    if (isWider)
      return arith::TruncIOp::create(b, l, computeType, value);
    if (isUnsigned)
      return arith::ExtUIOp::create(b, l, computeType, value);
    return arith::ExtSIOp::create(b, l, computeType, value);
  }

  Value truncate(OpBuilder &b, Location l, Value value) {
    if (isa<FloatType>(outType))
      return arith::TruncFOp::create(b, l, outType, value);
    return arith::TruncIOp::create(b, l, outType, value);
  }

  /// to = convert(from), element by element; `from` may be transposed.
  void copy(Value from, Value to, bool transposed,
            function_ref<Value(OpBuilder &, Location, Value)> convert) {
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

  void fillZero(Value memref) {
    Value zero = arith::ConstantOp::create(rewriter, loc,
                                           rewriter.getZeroAttr(computeType));
    linalg::FillOp::create(rewriter, loc, ValueRange(zero), ValueRange(memref));
  }

  void emitMatmul() {
    a = packLeft(getMatrix(lhs, m, k));
    b = getMatrix(rhs, k, n);
    c = getMatrix(2, m, n);
    // Full panels, then narrower ones; their width stays a power of two times
    // a register, or LLVM takes vectors apart.
    int64_t width =
        lanes * std::min<int64_t>(target.getContractionColumns(),
                                  llvm::bit_floor<uint64_t>(
                                      std::max<int64_t>(1, ranges[n] / lanes)));
    for (int64_t begin = 0; begin < ranges[n];) {
      while (width > lanes && ranges[n] - begin < width)
        width /= 2;
      int64_t end = begin + (ranges[n] - begin) / width * width;
      if (end == begin) {
        emitPanel(rewriter.getIndexAttr(begin), ranges[n] - begin, width);
        return;
      }
      emitLoop(begin, end, width,
               [&](OpFoldResult column) { emitPanel(column, width, width); });
      begin = end;
    }
  }

  /// All rows of `columns` columns of the result, computed `width` wide.
  void emitPanel(OpFoldResult column, int64_t columns, int64_t width) {
    OpFoldResult zero = rewriter.getIndexAttr(0);
    int64_t rows = ranges[m];
    Matrix out{slice(c, zero, column, rows, columns), c.transposed};
    bool separate = columns != width || outType != computeType;
    Value result = out.value;
    if (separate) {
      result = allocate(rows, width);
      if (columns != width)
        fillZero(result);
      Value valid = subview(result, {zero, zero}, {rows, columns});
      copy(out.value, valid, false, [&](OpBuilder &b, Location l, Value v) {
        return extend(b, l, v, 2);
      });
    }
    int64_t depth = std::min(kPanelDepth, ranges[k]);
    int64_t whole = ranges[k] / depth * depth;
    auto emitDepth = [&](OpFoldResult from, int64_t steps) {
      Matrix left{slice(a, zero, from, rows, steps), a.transposed};
      Matrix right = packRight(from, column, steps, columns, width);
      emitRows(left, right, result, steps, width);
    };
    emitLoop(0, whole, depth,
             [&](OpFoldResult from) { emitDepth(from, depth); });
    if (whole != ranges[k])
      emitDepth(rewriter.getIndexAttr(whole), ranges[k] - whole);
    if (separate) {
      Value valid = subview(result, {zero, zero}, {rows, columns});
      copy(valid, out.value, false, [&](OpBuilder &b, Location l, Value v) {
        return outType == computeType ? v : truncate(b, l, v);
      });
    }
  }

  /// The left operand is read one element at a time, in either order; it is
  /// copied only to convert it, and once for all panels.
  Matrix packLeft(const Matrix &matrix) {
    if (getElementType(lhs) == computeType)
      return matrix;
    Value buffer = allocate(ranges[m], ranges[k]);
    copy(matrix.value, buffer, matrix.transposed,
         [&](OpBuilder &builder, Location l, Value v) {
           return extend(builder, l, v, lhs);
         });
    return {buffer, false};
  }

  /// The right operand as `steps` contiguous rows of `width` elements.
  Matrix packRight(OpFoldResult from, OpFoldResult column, int64_t steps,
                   int64_t columns, int64_t width) {
    Matrix part{slice(b, from, column, steps, columns), b.transposed};
    bool needed =
        getElementType(rhs) != computeType || b.transposed || columns != width;
    if (!needed && ranges[m] < kRowsWorthPacking)
      return part;
    Value buffer = allocate(steps, width);
    Value valid = buffer;
    if (columns != width) {
      fillZero(buffer);
      OpFoldResult zero = rewriter.getIndexAttr(0);
      valid = subview(buffer, {zero, zero}, {steps, columns});
    }
    copy(part.value, valid, b.transposed,
         [&](OpBuilder &builder, Location l, Value v) {
           return extend(builder, l, v, rhs);
         });
    return {buffer, false};
  }

  /// Tiles of a few rows, each with its accumulators in registers over `steps`
  /// steps of the reduction.
  void emitRows(Matrix left, Matrix right, Value result, int64_t steps,
                int64_t width) {
    int64_t height = std::min(target.getContractionRows(), ranges[m]);
    int64_t whole = ranges[m] / height * height, rest = ranges[m] - whole;
    // A tile of few rows has too few accumulators to hide the latency of an
    // addition: two equal tiles are better than a full one and the rest.
    int64_t half = (height + rest) / 2;
    bool halves = whole != 0 && rest != 0 && 2 * rest <= height &&
                  2 * half == height + rest;
    if (halves)
      whole -= height;
    auto emitTile = [&](OpFoldResult row, int64_t rows) {
      emitLoop(0, steps, 1, [&](OpFoldResult step) {
        OpFoldResult zero = rewriter.getIndexAttr(0);
        Value x = slice(left, row, step, rows, 1);
        Value y = slice(right, step, zero, 1, width);
        Value z = subview(result, {row, zero}, {rows, width});
        emitContraction(x, y, z, left.transposed);
      });
    };
    emitLoop(0, whole, height,
             [&](OpFoldResult row) { emitTile(row, height); });
    if (halves) {
      emitLoop(whole, ranges[m], half,
               [&](OpFoldResult row) { emitTile(row, half); });
    } else if (rest != 0) {
      emitTile(rewriter.getIndexAttr(whole), rest);
    }
  }

  void emitContraction(Value x, Value y, Value z, bool transposed) {
    AffineExpr dm, dn, dk;
    bindDims(rewriter.getContext(), dm, dn, dk);
    auto map = [&](AffineExpr first, AffineExpr second) -> Attribute {
      return AffineMapAttr::get(
          AffineMap::get(3, 0, {first, second}, rewriter.getContext()));
    };
    linalg::ContractOp::create(
        rewriter, loc, ValueRange{x, y}, ValueRange{z},
        rewriter.getArrayAttr({transposed ? map(dk, dm) : map(dm, dk),
                               map(dk, dn), map(dm, dn)}));
  }

  RewriterBase &rewriter;
  func::FuncOp function;
  linalg::LinalgOp op;
  const VectorTarget &target;
  Location loc;
  SmallVector<int64_t> ranges;
  SmallVector<AffineMap> maps;
  SmallVector<OpFoldResult> offsets;
  unsigned lhs = 0, rhs = 1, m = 0, n = 0, k = 0;
  Type outType, computeType;
  int64_t lanes = 1;
  Matrix a, b, c;
};

class CPUTileContractionsPass
    : public gridir::cpu::impl::CPUTileContractionsPassBase<
          CPUTileContractionsPass> {
public:
  using CPUTileContractionsPassBase::CPUTileContractionsPassBase;

  void runOnOperation() override {
    VectorTarget target{vectorBytes, vectorRegisters};
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics() &&
          linalg::isaContractionOpInterface(op) &&
          gridir::areArraysOfNumbers(op->getOperandTypes()) &&
          llvm::all_of(op->getOperandTypes(), [](Type type) {
            return getElementTypeOrSelf(type).isIntOrFloat();
          }))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      ContractionTiler tiler(rewriter, getOperation(), op, target);
      if (succeeded(tiler.run()))
        ++numTiled;
      else
        ++numLeft;
    }
  }
};

} // namespace
