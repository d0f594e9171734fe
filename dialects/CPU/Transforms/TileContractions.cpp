//===- TileContractions.cpp - contractions as panels and register tiles ---===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/DotPanels.h"
#include "dialects/CPU/Transforms/DotProducts.h"
#include "dialects/CPU/Transforms/NumberConversions.h"
#include "dialects/CPU/Transforms/PanelBuilder.h"
#include "dialects/CPU/Transforms/Passes.h"
#include "dialects/CPU/Transforms/VectorTarget.h"
#include "dialects/Support/CountableTypes.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPUTILECONTRACTIONSPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;
using gridir::cpu::DotEmitter;
using gridir::cpu::DotForm;
using gridir::cpu::DotOperand;
using gridir::cpu::DotPanel;
using gridir::cpu::kLineBytes;
using gridir::cpu::PanelBuilder;
using gridir::cpu::VectorTarget;

namespace {

/// Words of the reduction per panel: 16 columns of f32 take 16 KiB, half of a
/// first-level cache, and 32 columns for tiles all of it.
constexpr int64_t kPanelDepth = 256;
/// Bytes of the only panel of a right operand: an eighth of a second-level
/// cache of 512 KiB.
constexpr int64_t kMostPanelBytes = 64 << 10;
/// Columns of so few bits leave a vector mostly empty: where the right operand
/// lies along k, a reduction is better. The order of the sums depends on it, so
/// that it is the same for every CPU.
constexpr int64_t kNarrowBits = 128;
/// Minimum number of rows for which copying the right operand pays off.
constexpr int64_t kRowsWorthPacking = 16;
/// Steps of the outermost loop where the right operand is read along its rows.
constexpr int64_t kStreamedSteps = 16;
/// Minimum number of rows whose additions hide the reads of a narrow panel.
constexpr int64_t kRowsThatHideReads = 64;
/// Minimum number of panels for which copying the left operand pays off.
constexpr int64_t kPanelsWorthCopying = 4;
/// The widest part of a row that is fetched ahead. Of a wider one, a processor
/// fetches the rest by itself.
constexpr int64_t kMostPartBytes = 2 * kLineBytes;
/// Lines that a tile may fetch: one op each.
constexpr int64_t kMostLines = 32;

/// A 2-d view of one operand, and whether its second dimension is the one that
/// its name says first: A is (m, k), B is (k, n).
struct Matrix {
  Value value;
  bool transposed = false;
};

/// The first row and column of a part of a matrix.
struct Corner {
  OpFoldResult row, column;
};

/// out(m, n) += a(m, k) * b(k, n) on views of the operands of one op.
class ContractionTiler : PanelBuilder {
public:
  ContractionTiler(RewriterBase &rewriter, func::FuncOp function,
                   linalg::LinalgOp op, const VectorTarget &target,
                   ArrayRef<std::string> dotProducts, int64_t prefetchBytes)
      : PanelBuilder(rewriter, function, op.getLoc()), op(op), target(target),
        dotProducts(dotProducts), prefetchBytes(prefetchBytes) {}

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
    // Floats that are summed as integers are converted in a way of their own.
    if (isa<IntegerType>(computeType) && (isa<FloatType>(getElementType(lhs)) ||
                                          isa<FloatType>(getElementType(rhs))))
      return failure();
    lanes = target.getLanes(computeType);
    bool isAlongK =
        maps[rhs].getDimPosition(maps[rhs].getNumResults() - 1) == k;
    if (ranges[n] == 1 ||
        (isAlongK &&
         ranges[n] * computeType.getIntOrFloatBitWidth() <= kNarrowBits))
      return failure();

    form = gridir::cpu::findDotForm(getDotOperand(lhs), getDotOperand(rhs),
                                    computeType, ranges[k], dotProducts,
                                    target.bytes);
    packedType = form ? form->product->getElementType(rewriter.getContext())
                      : computeType;
    // The instruction for bf16 adds the second product of two first: the order
    // of a CPU that has it is that of all, but of those with tiles.
    descends = getElementType(lhs).isBF16() && getElementType(rhs).isBF16() &&
               !hasTiles();

    rewriter.setInsertionPoint(op);
    offsets.assign(op.getNumLoops(), rewriter.getIndexAttr(0));
    emitOuterLoops(0);
    rewriter.eraseOp(op);
    return success();
  }

  bool usesDotProduct() const { return form.has_value(); }
  int64_t getNumPrefetched() const { return numPrefetched; }

private:
  /// Takes the first row or step of a part, and their number.
  using PartFn = function_ref<void(OpFoldResult, int64_t)>;

  bool hasTiles() const { return form && form->product->hasTiles; }

  /// Rows and steps, rounded up to whole tiles.
  int64_t padRows(int64_t rows) const {
    return form ? llvm::alignTo(rows, form->product->getNumRows()) : rows;
  }
  int64_t padSteps(int64_t steps) const {
    return form ? llvm::alignTo(steps, form->product->getNumSteps()) : steps;
  }

  /// Four of the eight tiles are accumulators, in two rows of two.
  int64_t getTileRows() const {
    return hasTiles() ? 2 * form->product->getNumRows()
                      : target.getContractionRows();
  }
  int64_t getTileColumns() const {
    return hasTiles() ? 2 : target.getContractionColumns();
  }

  int64_t getBytes(unsigned operand) {
    return llvm::divideCeil(getElementType(operand).getIntOrFloatBitWidth(), 8);
  }

  Type getElementType(unsigned operand) {
    return cast<MemRefType>(op->getOperand(operand).getType()).getElementType();
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

  static bool isLastDimUnitStride(Value memref) {
    return cast<MemRefType>(memref.getType()).isLastDimUnitStride();
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
  bool isUnsigned(unsigned operand) {
    BlockArgument arg = op.getBlock()->getArgument(operand);
    return arg.getType().isInteger(1) ||
           llvm::any_of(arg.getUsers(),
                        llvm::IsaPred<arith::ExtUIOp, arith::UIToFPOp>);
  }

  DotOperand getDotOperand(unsigned operand) {
    return {getElementType(operand), isUnsigned(operand)};
  }

  /// Numbers of an input, or a vector of them, with elements of this type.
  Value extend(OpBuilder &b, Location l, Value value, unsigned operand,
               Type element) {
    return gridir::cpu::convertNumber(b, l, value, element,
                                      isUnsigned(operand));
  }

  /// Steps per panel. A single panel serves all columns, so that nothing reads
  /// the left operand again: its rows are read as far as a second-level cache
  /// keeps the panel.
  int64_t getDepth(int64_t width) const {
    if (hasTiles())
      return kPanelDepth * form->product->getNumElements();
    if (ranges[n] > width)
      return kPanelDepth;
    return std::max(kPanelDepth,
                    kMostPanelBytes * 8 /
                        (width * computeType.getIntOrFloatBitWidth()));
  }

  /// True if the outermost loop runs over the steps of the reduction, and
  /// copies the part of the left operand that they take. All columns use the
  /// copy while a second-level cache has it. Accumulators are then in the
  /// result.
  bool isLeftCopied(int64_t width) {
    return !form && outType == computeType && ranges[k] > kPanelDepth &&
           ranges[m] >= kRowsWorthPacking &&
           ranges[n] >= kPanelsWorthCopying * width;
  }

  /// True if the outermost loop runs over the steps of the reduction, so that
  /// the right operand is read along its rows. Few rows of the result do not
  /// hide the reads of panels of one line of each row, which no processor
  /// fetches ahead.
  bool isRightStreamed(int64_t width) {
    bool isNarrow = width * getBytes(rhs) <= kMostPartBytes;
    return !form && !b.transposed && outType == computeType &&
           getElementType(rhs) == packedType &&
           ranges[m] < (isNarrow ? kRowsThatHideReads : kRowsWorthPacking) &&
           ranges[n] > width && ranges[k] > kStreamedSteps && isRightLarge();
  }

  /// Divides the columns into panels of decreasing width. The left operand is
  /// packed once for all panels, or once per panel depth; the right operand
  /// once per panel and step of the reduction.
  void emitMatmul() {
    a = getMatrix(lhs, m, k);
    b = getMatrix(rhs, k, n);
    c = getMatrix(2, m, n);
    // Full panels, then narrower ones; their width stays a power of two times
    // a register, or LLVM takes vectors apart.
    int64_t width =
        lanes * std::min<int64_t>(getTileColumns(),
                                  llvm::bit_floor<uint64_t>(
                                      std::max<int64_t>(1, ranges[n] / lanes)));
    isStreamed = isRightStreamed(width);
    bool isCopied = !isStreamed && isLeftCopied(width);
    stepsAreOutermost = isCopied || isStreamed;
    if (!stepsAreOutermost) {
      a = packLeft(a, /*copied=*/false);
      return emitColumns(width, rewriter.getIndexAttr(0), ranges[k]);
    }
    Matrix whole = a;
    emitSteps(rewriter.getIndexAttr(0), ranges[k],
              isCopied ? kPanelDepth : kStreamedSteps,
              [&](OpFoldResult from, int64_t steps) {
                OpFoldResult zero = rewriter.getIndexAttr(0);
                a = packLeft({slice(whole, zero, from, ranges[m], steps),
                              whole.transposed},
                             isCopied);
                emitColumns(width, from, steps);
              });
  }

  /// Runs `body` for parts of `depth` of the `steps` from `from` on, in the
  /// order of the reduction.
  void emitSteps(OpFoldResult from, int64_t steps, int64_t depth, PartFn body) {
    int64_t whole = steps / depth * depth;
    auto emitPart = [&](OpFoldResult at, int64_t count) {
      body(affine::makeComposedFoldedAffineApply(
               rewriter, loc,
               rewriter.getAffineDimExpr(0) + rewriter.getAffineDimExpr(1),
               {from, at}),
           count);
    };
    auto emitWhole = [&] {
      emitLoop(
          0, whole, depth, [&](OpFoldResult at) { emitPart(at, depth); },
          descends);
    };
    if (!descends)
      emitWhole();
    if (whole != steps)
      emitPart(rewriter.getIndexAttr(whole), steps - whole);
    if (descends)
      emitWhole();
  }

  /// Adds the products of these steps to all columns of the result.
  void emitColumns(int64_t width, OpFoldResult from, int64_t steps) {
    for (int64_t begin = 0; begin < ranges[n];) {
      while (width > lanes && ranges[n] - begin < width)
        width /= 2;
      int64_t end = begin + (ranges[n] - begin) / width * width;
      if (end == begin) {
        emitPanel(rewriter.getIndexAttr(begin), ranges[n] - begin, width, from,
                  steps);
        return;
      }
      emitLoop(begin, end, width, [&](OpFoldResult column) {
        emitPanel(column, width, width, from, steps);
      });
      begin = end;
    }
  }

  /// Adds the products of `count` steps from `begin` on to all rows of
  /// `columns` columns of the result, with panels of `width` columns.
  /// Accumulators are in a separate buffer if the panel is padded or the
  /// accumulator type differs from the result's. The order of the reduction is
  /// the same on every CPU, so that results are equal to the bit; instructions
  /// for bf16 determine the direction.
  void emitPanel(OpFoldResult column, int64_t columns, int64_t width,
                 OpFoldResult begin, int64_t count) {
    OpFoldResult zero = rewriter.getIndexAttr(0);
    int64_t rows = ranges[m];
    Matrix out{slice(c, zero, column, rows, columns), c.transposed};
    bool padded = columns != width || rows != padRows(rows);
    bool separate = padded || outType != computeType ||
                    (hasTiles() && !isLastDimUnitStride(out.value));
    Value result = out.value;
    if (separate) {
      result = allocate(padRows(rows), width, computeType);
      if (padded)
        fillZero(result);
      Value valid = subview(result, {zero, zero}, {rows, columns});
      copy(out.value, valid, false, [&](OpBuilder &b, Location l, Value v) {
        return extend(b, l, v, 2, computeType);
      });
    }
    int64_t depth = std::min(getDepth(width), count);
    emitSteps(begin, count, depth, [&](OpFoldResult from, int64_t steps) {
      // A copy of the left operand has these steps only.
      OpFoldResult first = stepsAreOutermost ? zero : from;
      Matrix left{slice(a, zero, first, padRows(rows), padSteps(steps)),
                  a.transposed};
      std::optional<Corner> next;
      if (isRightFollowed(depth, width))
        next = getNextPanel(from, column, steps, width);
      auto prefetch = [&](OpFoldResult row, int64_t numRows) {
        if (next)
          prefetchRight(*next, steps, width, row, numRows);
      };
      if (form)
        return emitDotRows(left, from, column, result, steps, columns, width,
                           prefetch);
      // Reads of lines that lie apart overlap more in a loop that only copies.
      if (isOnlyCopied(columns, width) && !next) {
        Matrix part{slice(b, from, column, steps, columns), b.transposed};
        return emitRows(left, part, allocate(steps, width, packedType), result,
                        steps, width, prefetch);
      }
      Matrix right = packRight(from, column, steps, columns, width);
      emitRows(left, right, /*panel=*/{}, result, steps, width, prefetch);
    });
    if (separate) {
      Value valid = subview(result, {zero, zero}, {rows, columns});
      copy(valid, out.value, false, [&](OpBuilder &b, Location l, Value v) {
        return gridir::cpu::convertNumber(b, l, v, outType,
                                          /*isUnsigned=*/false);
      });
    }
  }

  /// The left operand is read one element at a time, in either order, or one
  /// word; it is copied for that, to convert it, or if `copied` says so.
  Matrix packLeft(const Matrix &matrix, bool copied) {
    bool hasWords = !matrix.transposed && isLastDimUnitStride(matrix.value);
    bool isBiased = form && form->isBiased;
    int64_t depth = cast<MemRefType>(matrix.value.getType())
                        .getDimSize(matrix.transposed ? 0 : 1);
    int64_t rows = padRows(ranges[m]), steps = padSteps(depth);
    bool padded = rows != ranges[m] || steps != depth;
    if (!copied && getElementType(lhs) == packedType && !isBiased &&
        (!form || hasWords) && !padded)
      return matrix;
    Value buffer = allocate(rows, steps, packedType);
    Value valid = padBuffer(buffer, ranges[m], depth);
    copy(matrix.value, valid, matrix.transposed,
         [&](OpBuilder &builder, Location l, Value v) -> Value {
           v = extend(builder, l, v, lhs, packedType);
           if (!isBiased)
             return v;
           Value bias = arith::ConstantOp::create(
               builder, l, builder.getI8IntegerAttr(-128));
           return arith::XOrIOp::create(builder, l, v, bias);
         });
    return {buffer, false};
  }

  /// The part of a buffer that is filled next, after the rest is zero.
  Value padBuffer(Value buffer, int64_t rows, int64_t columns) {
    if (cast<MemRefType>(buffer.getType()).getShape() ==
        ArrayRef<int64_t>{rows, columns})
      return buffer;
    fillZero(buffer);
    OpFoldResult zero = rewriter.getIndexAttr(0);
    return subview(buffer, {zero, zero}, {rows, columns});
  }

  /// True if panels of the right operand have its elements as they are, and
  /// enough rows use them. The first tile can copy such a panel beside its
  /// additions.
  bool isOnlyCopied(int64_t columns, int64_t width) {
    return !form && !isStreamed && !b.transposed && columns == width &&
           getElementType(rhs) == packedType && ranges[m] >= kRowsWorthPacking;
  }

  /// The right operand as contiguous rows of `width` elements, one for each of
  /// `steps` steps, and for tiles of those that fill the last one.
  Matrix packRight(OpFoldResult from, OpFoldResult column, int64_t steps,
                   int64_t columns, int64_t width) {
    Matrix part{slice(b, from, column, steps, columns), b.transposed};
    bool padded = b.transposed || columns != width || steps != padSteps(steps);
    // Words are made of vectors of whole rows, converted or not.
    if (form && !padded)
      return part;
    bool needed = getElementType(rhs) != packedType || padded;
    if (!needed && (isStreamed || ranges[m] < kRowsWorthPacking))
      return part;
    Value buffer = allocate(padSteps(steps), width, packedType);
    Value valid = padBuffer(buffer, steps, columns);
    copy(part.value, valid, b.transposed,
         [&](OpBuilder &builder, Location l, Value v) {
           return extend(builder, l, v, rhs, packedType);
         });
    return {buffer, false};
  }

  /// The argument of the function that the right operand is a part of, or none.
  MemRefType getRightArray() {
    Value root = op->getOperand(rhs);
    while (auto view = root.getDefiningOp<memref::SubViewOp>())
      root = view.getSource();
    return isa<BlockArgument>(root) ? cast<MemRefType>(root.getType())
                                    : MemRefType();
  }

  /// Rows of the next panel of `steps` rows that a tile fetches.
  int64_t getFetchedRows(int64_t steps, int64_t rows) {
    return llvm::divideCeil(steps * rows, padRows(ranges[m]));
  }

  /// True if another panel of the right operand is packed after one, by this op
  /// or by the next program of a kernel whose grid has the reduction last, and
  /// a processor does not fetch it by itself.
  bool isRightFollowed(int64_t depth, int64_t width) {
    if (isStreamed || hasTiles() || b.transposed ||
        (descends && depth < ranges[k]) ||
        width * getBytes(rhs) > kMostPartBytes ||
        getFetchedRows(depth, getTileRows()) *
                llvm::divideCeil(width * getBytes(rhs), kLineBytes) >
            kMostLines)
      return false;
    return isRightLarge() && (depth < ranges[k] || width < ranges[n] ||
                              hasRowsAfter(getRightArray()));
  }

  /// True if the right operand is a part of an array of `prefetchBytes`.
  bool isRightLarge() {
    MemRefType type = getRightArray();
    if (prefetchBytes <= 0 || !type || !type.hasStaticShape())
      return false;
    std::optional<int64_t> elements = gridir::countPoints(type.getShape());
    return elements &&
           *elements >= llvm::divideCeilSigned(prefetchBytes, getBytes(rhs));
  }

  /// True if the array has rows that this op does not read.
  bool hasRowsAfter(MemRefType array) {
    AffineExpr step = rewriter.getAffineDimExpr(k);
    return array.getRank() != maps[rhs].getNumResults() ||
           array.getDimSize(*maps[rhs].getResultPosition(step)) > ranges[k];
  }

  /// The panel after the one at (from, column): the next rows, or the first
  /// ones of the next columns; the other way around if steps are outermost.
  /// After the last panel it is the first one of the rows that the next program
  /// multiplies.
  Corner getNextPanel(OpFoldResult from, OpFoldResult column, int64_t steps,
                      int64_t width) {
    auto add = [&](OpFoldResult base, int64_t offset) {
      return affine::makeComposedFoldedAffineApply(
          rewriter, loc, rewriter.getAffineDimExpr(0) + offset, {base});
    };
    OpFoldResult zero = rewriter.getIndexAttr(0);
    OpFoldResult after =
        rewriter.getIndexAttr(hasRowsAfter(getRightArray()) ? ranges[k] : 0);
    auto inRows = [&](OpFoldResult below, OpFoldResult last) {
      return select(from, ranges[k] - steps, below, last);
    };
    auto inColumns = [&](OpFoldResult below, OpFoldResult last) {
      return select(column, ranges[n] - width, below, last);
    };
    if (stepsAreOutermost) {
      OpFoldResult row = inRows(add(from, steps), after);
      return {inColumns(from, row), inColumns(add(column, width), zero)};
    }
    OpFoldResult row = inColumns(zero, after);
    OpFoldResult start = inColumns(add(column, width), zero);
    return {inRows(add(from, steps), row), inRows(column, start)};
  }

  /// Fetches a panel, a share of its rows before each tile.
  void prefetchRight(const Corner &panel, int64_t steps, int64_t width,
                     OpFoldResult row, int64_t rows) {
    auto apply = [&](AffineExpr expr, ArrayRef<OpFoldResult> operands) {
      return getValueOrCreateConstantIndexOp(
          rewriter, loc,
          affine::makeComposedFoldedAffineApply(rewriter, loc, expr, operands));
    };
    AffineExpr d0, d1;
    bindDims(rewriter.getContext(), d0, d1);
    int64_t all = padRows(ranges[m]);
    for (int64_t i = 0, e = getFetchedRows(steps, rows); i < e; ++i)
      for (int64_t j = 0; j < width; j += kLineBytes / getBytes(rhs)) {
        Value next =
            apply((d0 * steps).floorDiv(all) + d1 + i, {row, panel.row});
        Value at = apply(d0 + j, {panel.column});
        memref::PrefetchOp::create(rewriter, loc, b.value, ValueRange{next, at},
                                   /*isWrite=*/false, /*localityHint=*/3,
                                   /*isDataCache=*/true);
        ++numPrefetched;
      }
  }

  /// Adds the products of a panel to all rows of the result. If there is a
  /// buffer, the first tile copies the panel to it; the others read the copy.
  void emitRows(Matrix left, Matrix right, Value buffer, Value result,
                int64_t steps, int64_t width, PartFn prefetch) {
    OpFoldResult zero = rewriter.getIndexAttr(0);
    auto emitTile = [&](OpFoldResult row, int64_t rows, const Matrix &panel,
                        Value copied) {
      prefetch(row, rows);
      auto emitStep = [&](OpFoldResult step) {
        Value x = slice(left, row, step, rows, 1);
        Value y = slice(panel, step, zero, 1, width);
        Value z = subview(result, {row, zero}, {rows, width});
        emitContraction(x, y, z, left.transposed);
        if (copied)
          copy(y, subview(copied, {step, zero}, {1, width}), false,
               [](OpBuilder &, Location, Value v) { return v; });
      };
      emitLoop(0, steps, 1, emitStep, descends);
    };
    if (!buffer)
      return emitTiles([&](OpFoldResult row, int64_t rows) {
        emitTile(row, rows, right, {});
      });
    emitTiles([&](OpFoldResult row,
                  int64_t rows) { emitTile(row, rows, {buffer, false}, {}); },
              [&](OpFoldResult row, int64_t rows) {
                emitTile(row, rows, right, buffer);
              });
  }

  /// As above, by an instruction for dot products over a panel of words.
  void emitDotRows(Matrix left, OpFoldResult from, OpFoldResult column,
                   Value result, int64_t steps, int64_t columns, int64_t width,
                   PartFn prefetch) {
    DotEmitter emitter(rewriter, loc, *form, lanes);
    DotPanel panel;
    Type word = rewriter.getI32Type();
    panel.words = allocate(padSteps(steps) / form->product->getNumElements(),
                           width, word);
    if (form->isBiased)
      panel.excess = allocate(1, width, word);
    Matrix right = packRight(from, column, steps, columns, width);
    emitter.pack(right.value, panel, [&](Value vector) {
      return extend(rewriter, loc, vector, rhs, packedType);
    });
    emitTiles([&](OpFoldResult row, int64_t rows) {
      prefetch(row, rows);
      emitter.emitTile(left.value, panel, result, row, rows);
    });
  }

  /// Tiles of a few rows, each with its accumulators in registers over all
  /// steps of a panel. The first one may have a form of its own.
  void emitTiles(PartFn emitTile, PartFn emitFirst = {}) {
    int64_t all = padRows(ranges[m]), height = std::min(getTileRows(), all);
    int64_t whole = all / height * height, rest = all - whole;
    // A tile of few rows has too few accumulators to hide the latency of an
    // addition: two equal tiles are better than a full one and the rest.
    int64_t half = (height + rest) / 2;
    bool halves = whole != 0 && rest != 0 && 2 * rest <= height &&
                  2 * half == height + rest && half == padRows(half);
    if (halves)
      whole -= height;
    int64_t begin = 0;
    assert((!emitFirst || whole != 0) && "expected a first tile of all rows");
    if (emitFirst) {
      emitFirst(rewriter.getIndexAttr(0), height);
      begin = height;
    }
    emitLoop(begin, whole, height,
             [&](OpFoldResult row) { emitTile(row, height); });
    if (halves) {
      emitLoop(whole, all, half,
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

  linalg::LinalgOp op;
  const VectorTarget &target;
  ArrayRef<std::string> dotProducts;
  int64_t prefetchBytes, numPrefetched = 0;
  SmallVector<int64_t> ranges;
  SmallVector<AffineMap> maps;
  SmallVector<OpFoldResult> offsets;
  unsigned lhs = 0, rhs = 1, m = 0, n = 0, k = 0;
  Type outType, computeType, packedType;
  std::optional<DotForm> form;
  bool descends = false, stepsAreOutermost = false, isStreamed = false;
  int64_t lanes = 1;
  Matrix a, b, c;
};

class CPUTileContractionsPass
    : public gridir::cpu::impl::CPUTileContractionsPassBase<
          CPUTileContractionsPass> {
public:
  using CPUTileContractionsPassBase::CPUTileContractionsPassBase;

  void runOnOperation() override {
    for (const std::string &name : dotProducts)
      if (llvm::none_of(gridir::cpu::getDotProducts(),
                        [&](const auto &it) { return it.name == name; })) {
        getOperation().emitError()
            << "expected a dot-product instruction, got '" << name << "'";
        return signalPassFailure();
      }
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
      ContractionTiler tiler(rewriter, getOperation(), op, target, dotProducts,
                             prefetchBytes);
      if (failed(tiler.run())) {
        ++numLeft;
        continue;
      }
      ++numTiled;
      numPrefetched += tiler.getNumPrefetched();
      if (tiler.usesDotProduct())
        ++numDotProducts;
    }
  }
};

} // namespace
