//===- TileContractions.cpp - contractions as panels and register tiles ---===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/ContractionPlan.h"
#include "dialects/CPU/Transforms/DotPanels.h"
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
using gridir::cpu::ContractionPlan;
using gridir::cpu::DotEmitter;
using gridir::cpu::DotPanel;
using gridir::cpu::kLineBytes;
using gridir::cpu::Matrix;
using gridir::cpu::PanelBuilder;
using gridir::cpu::VectorTarget;

namespace {

/// The first row and column of a part of a matrix.
struct Corner {
  OpFoldResult row, column;
};

/// Emits out(m, n) += a(m, k) * b(k, n) on views of the operands of one op.
class ContractionTiler : PanelBuilder {
public:
  ContractionTiler(RewriterBase &rewriter, func::FuncOp function,
                   const ContractionPlan &plan)
      : PanelBuilder(rewriter, function, plan.op->getLoc()), plan(plan) {}

  /// Replaces the op.
  void run() {
    rewriter.setInsertionPoint(plan.op);
    offsets.assign(plan.ranges.size(), rewriter.getIndexAttr(0));
    emitOuterLoops(0);
    rewriter.eraseOp(plan.op);
  }

  int64_t getNumPrefetched() const { return numPrefetched; }

private:
  /// Takes the first row or step of a part, and their number.
  using PartFn = function_ref<void(OpFoldResult, int64_t)>;

  /// One loop for each batch dimension and for each further m, n and k.
  void emitOuterLoops(unsigned dim) {
    if (dim == plan.ranges.size())
      return emitMatmul();
    if (dim == plan.m || dim == plan.n || dim == plan.k)
      return emitOuterLoops(dim + 1);
    emitLoop(0, plan.ranges[dim], 1, [&](OpFoldResult iv) {
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
    Value memref = plan.op->getOperand(operand);
    AffineMap map = plan.maps[operand];
    SmallVector<OpFoldResult> at, sizes, ones;
    SmallVector<int64_t> shape;
    for (unsigned i = 0; i < map.getNumResults(); ++i) {
      unsigned dim = map.getDimPosition(i);
      bool kept = dim == first || dim == second;
      at.push_back(kept ? OpFoldResult(rewriter.getIndexAttr(0))
                        : offsets[dim]);
      sizes.push_back(rewriter.getIndexAttr(kept ? plan.ranges[dim] : 1));
      ones.push_back(rewriter.getIndexAttr(1));
      if (kept)
        shape.push_back(plan.ranges[dim]);
    }
    bool transposed = plan.isTransposed(operand, first, second);
    if (map.getNumResults() == 2)
      return {memref, transposed};
    auto type = memref::SubViewOp::inferRankReducedResultType(
        shape, cast<MemRefType>(memref.getType()), at, sizes, ones);
    return {memref::SubViewOp::create(rewriter, loc, cast<MemRefType>(type),
                                      memref, at, sizes, ones),
            transposed};
  }

  /// Numbers of an input, or a vector of them, with elements of this type.
  Value extend(OpBuilder &b, Location l, Value value, unsigned operand,
               Type element) {
    return gridir::cpu::convertNumber(b, l, value, element,
                                      plan.isUnsigned(operand));
  }

  /// Divides the columns into panels of decreasing width. The left operand is
  /// packed once for all panels, or once per panel depth; the right operand
  /// once per panel and step of the reduction.
  void emitMatmul() {
    a = getMatrix(plan.lhs, plan.m, plan.k);
    b = getMatrix(plan.rhs, plan.k, plan.n);
    c = getMatrix(2, plan.m, plan.n);
    if (!plan.areStepsOutermost()) {
      a = packLeft(a, /*copied=*/false);
      return emitColumns(rewriter.getIndexAttr(0), plan.ranges[plan.k]);
    }
    Matrix whole = a;
    emitSteps(rewriter.getIndexAttr(0), plan.ranges[plan.k],
              plan.getOutermostSteps(), [&](OpFoldResult from, int64_t steps) {
                OpFoldResult zero = rewriter.getIndexAttr(0);
                a = packLeft(
                    {slice(whole, zero, from, plan.ranges[plan.m], steps),
                     whole.transposed},
                    plan.isLeftCopied);
                emitColumns(from, steps);
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
          plan.descends);
    };
    if (!plan.descends)
      emitWhole();
    if (whole != steps)
      emitPart(rewriter.getIndexAttr(whole), steps - whole);
    if (plan.descends)
      emitWhole();
  }

  /// Adds the products of these steps to all columns of the result.
  void emitColumns(OpFoldResult from, int64_t steps) {
    int64_t width = plan.width;
    for (int64_t begin = 0; begin < plan.ranges[plan.n];) {
      while (width > plan.lanes && plan.ranges[plan.n] - begin < width)
        width /= 2;
      int64_t end = begin + (plan.ranges[plan.n] - begin) / width * width;
      if (end == begin) {
        emitPanel(rewriter.getIndexAttr(begin), plan.ranges[plan.n] - begin,
                  width, from, steps);
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
    int64_t rows = plan.ranges[plan.m];
    Matrix out{slice(c, zero, column, rows, columns), c.transposed};
    bool padded = columns != width || rows != plan.padRows(rows);
    bool separate = padded || plan.outType != plan.computeType ||
                    (plan.hasTiles() && !isLastDimUnitStride(out.value));
    Value result = out.value;
    if (separate) {
      result = allocate(plan.padRows(rows), width, plan.computeType);
      if (padded)
        fillZero(result);
      Value valid = subview(result, {zero, zero}, {rows, columns});
      copy(out.value, valid, false, [&](OpBuilder &b, Location l, Value v) {
        return extend(b, l, v, 2, plan.computeType);
      });
    }
    int64_t depth = std::min(plan.getDepth(width), count);
    emitSteps(begin, count, depth, [&](OpFoldResult from, int64_t steps) {
      // A copy of the left operand has these steps only.
      OpFoldResult first = plan.areStepsOutermost() ? zero : from;
      Matrix left{
          slice(a, zero, first, plan.padRows(rows), plan.padSteps(steps)),
          a.transposed};
      std::optional<Corner> next;
      if (plan.isRightFollowed(depth, width))
        next = getNextPanel(from, column, steps, width);
      auto prefetch = [&](OpFoldResult row, int64_t numRows) {
        if (next)
          prefetchRight(*next, steps, width, row, numRows);
      };
      if (plan.form)
        return emitDotRows(left, from, column, result, steps, columns, width,
                           prefetch);
      // Reads of lines that lie apart overlap more in a loop that only copies.
      if (plan.isRightOnlyCopied(columns, width) && !next) {
        Matrix part{slice(b, from, column, steps, columns), b.transposed};
        return emitRows(left, part, allocate(steps, width, plan.packedType),
                        result, steps, width, prefetch);
      }
      Matrix right = packRight(from, column, steps, columns, width);
      emitRows(left, right, /*panel=*/{}, result, steps, width, prefetch);
    });
    if (separate) {
      Value valid = subview(result, {zero, zero}, {rows, columns});
      copy(valid, out.value, false, [&](OpBuilder &b, Location l, Value v) {
        return gridir::cpu::convertNumber(b, l, v, plan.outType,
                                          /*isUnsigned=*/false);
      });
    }
  }

  /// The left operand is read one element at a time, in either order, or one
  /// word; it is copied for that, to convert it, or if `copied` says so.
  Matrix packLeft(const Matrix &matrix, bool copied) {
    bool hasWords = !matrix.transposed && isLastDimUnitStride(matrix.value);
    bool isBiased = plan.form && plan.form->isBiased;
    int64_t depth = cast<MemRefType>(matrix.value.getType())
                        .getDimSize(matrix.transposed ? 0 : 1);
    int64_t rows = plan.padRows(plan.ranges[plan.m]),
            steps = plan.padSteps(depth);
    bool padded = rows != plan.ranges[plan.m] || steps != depth;
    if (!copied && plan.getElementType(plan.lhs) == plan.packedType &&
        !isBiased && (!plan.form || hasWords) && !padded)
      return matrix;
    Value buffer = allocate(rows, steps, plan.packedType);
    Value valid = padBuffer(buffer, plan.ranges[plan.m], depth);
    copy(matrix.value, valid, matrix.transposed,
         [&](OpBuilder &builder, Location l, Value v) -> Value {
           v = extend(builder, l, v, plan.lhs, plan.packedType);
           if (!isBiased)
             return v;
           Value bias = arith::ConstantOp::create(
               builder, l, builder.getI8IntegerAttr(-128));
           return arith::XOrIOp::create(builder, l, v, bias);
         });
    return {buffer, false};
  }

  /// The right operand as contiguous rows of `width` elements, one for each of
  /// `steps` steps, and for tiles of those that fill the last one.
  Matrix packRight(OpFoldResult from, OpFoldResult column, int64_t steps,
                   int64_t columns, int64_t width) {
    Matrix part{slice(b, from, column, steps, columns), b.transposed};
    bool padded =
        b.transposed || columns != width || steps != plan.padSteps(steps);
    // Words are made of vectors of whole rows, converted or not.
    if (plan.form && !padded)
      return part;
    bool needed = plan.getElementType(plan.rhs) != plan.packedType || padded;
    if (!needed && (plan.isRightStreamed || !plan.isPackingWorthwhile()))
      return part;
    Value buffer = allocate(plan.padSteps(steps), width, plan.packedType);
    Value valid = padBuffer(buffer, steps, columns);
    copy(part.value, valid, b.transposed,
         [&](OpBuilder &builder, Location l, Value v) {
           return extend(builder, l, v, plan.rhs, plan.packedType);
         });
    return {buffer, false};
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
        rewriter.getIndexAttr(plan.hasRowsAfter() ? plan.ranges[plan.k] : 0);
    auto inRows = [&](OpFoldResult below, OpFoldResult last) {
      return select(from, plan.ranges[plan.k] - steps, below, last);
    };
    auto inColumns = [&](OpFoldResult below, OpFoldResult last) {
      return select(column, plan.ranges[plan.n] - width, below, last);
    };
    if (plan.areStepsOutermost()) {
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
    int64_t all = plan.padRows(plan.ranges[plan.m]);
    for (int64_t i = 0, e = plan.getFetchedRows(steps, rows); i < e; ++i)
      for (int64_t j = 0; j < width;
           j += kLineBytes / plan.getBytes(plan.rhs)) {
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
      emitLoop(0, steps, 1, emitStep, plan.descends);
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
    DotEmitter emitter(rewriter, loc, *plan.form, plan.lanes);
    DotPanel panel;
    Type word = rewriter.getI32Type();
    panel.words =
        allocate(plan.padSteps(steps) / plan.form->product->getNumElements(),
                 width, word);
    if (plan.form->isBiased)
      panel.excess = allocate(1, width, word);
    Matrix right = packRight(from, column, steps, columns, width);
    emitter.pack(right.value, panel, [&](Value vector) {
      return extend(rewriter, loc, vector, plan.rhs, plan.packedType);
    });
    emitTiles([&](OpFoldResult row, int64_t rows) {
      prefetch(row, rows);
      emitter.emitTile(left.value, panel, result, row, rows);
    });
  }

  /// Tiles of a few rows, each with its accumulators in registers over all
  /// steps of a panel. The first one may have a form of its own.
  void emitTiles(PartFn emitTile, PartFn emitFirst = {}) {
    int64_t all = plan.padRows(plan.ranges[plan.m]),
            height = std::min(plan.getTileRows(), all);
    int64_t whole = all / height * height, rest = all - whole;
    // A tile of few rows has too few accumulators to hide the latency of an
    // addition: two equal tiles are better than a full one and the rest.
    int64_t half = (height + rest) / 2;
    bool halves = whole != 0 && rest != 0 && 2 * rest <= height &&
                  2 * half == height + rest && half == plan.padRows(half);
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

  const ContractionPlan &plan;
  SmallVector<OpFoldResult> offsets;
  int64_t numPrefetched = 0;
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
      FailureOr<ContractionPlan> plan =
          ContractionPlan::get(op, target, dotProducts, prefetchBytes);
      if (failed(plan)) {
        ++numLeft;
        continue;
      }
      ContractionTiler tiler(rewriter, getOperation(), *plan);
      tiler.run();
      ++numTiled;
      numPrefetched += tiler.getNumPrefetched();
      if (plan->form)
        ++numDotProducts;
    }
  }
};

} // namespace
