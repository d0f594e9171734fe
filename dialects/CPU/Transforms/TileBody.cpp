//===- TileBody.cpp - tile the ops of a body to registers -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/ContiguousLoops.h"
#include "dialects/CPU/Transforms/ElementOffsets.h"
#include "dialects/CPU/Transforms/GatheredElements.h"
#include "dialects/CPU/Transforms/GatheredRows.h"
#include "dialects/CPU/Transforms/LaneReduction.h"
#include "dialects/CPU/Transforms/MirroredReads.h"
#include "dialects/CPU/Transforms/Passes.h"
#include "dialects/CPU/Transforms/VectorTarget.h"
#include "dialects/Support/CountableTypes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPUTILEBODYPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;
using gridir::cpu::LaneReduction;
using gridir::cpu::MirroredLoops;
using gridir::cpu::VectorTarget;

namespace {

bool isParallel(utils::IteratorType kind) {
  return kind == utils::IteratorType::parallel;
}

/// The loop that walks the last dimension of an operand, or -1.
int getInnermost(AffineMap map) {
  if (map.getNumResults() == 0)
    return -1;
  auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
  return dim ? static_cast<int>(dim.getPosition()) : -1;
}

/// The tiling of an op: a tile size for each loop, and the order of the loops.
struct Tiling {
  int vectorDim = -1;
  /// A second dimension that another operand has innermost: a transpose.
  int secondDim = -1;
  bool reducesVector = false;
  /// The accumulators of a reduction along `vectorDim`: element i of a row goes
  /// to the one at i modulo their number.
  int64_t accumulators = 1;
  /// The dimension of a reduction across rows that is cut into groups of
  /// `groupRows` rows. It is twice in the order: outside of the columns for the
  /// groups, and innermost for the rows of a group.
  int groupDim = -1;
  int64_t groupRows = 1;
  SmallVector<int64_t> sizes;
  SmallVector<unsigned> order;
  /// The loops that walk each operand backwards.
  MirroredLoops mirrored;
};

/// Emits a nest of loops around tiles of one op, with full tiles first and
/// smaller ones for the remainder of each dimension.
class TileNest {
public:
  using LeafFn = function_ref<void(TileNest &)>;

  TileNest(RewriterBase &rewriter, linalg::GenericOp op, const Tiling &tiling,
           int64_t lanes)
      : rewriter(rewriter), op(op), tiling(tiling), lanes(lanes),
        staticRanges(op.getStaticLoopRanges()),
        ranges(cast<linalg::LinalgOp>(op.getOperation())
                   .createLoopRanges(rewriter, op.getLoc())),
        offsets(ranges.size(), rewriter.getIndexAttr(0)),
        tileSizes(ranges.size(), 1) {}

  /// Runs `leaf` inside loops over `dims`, outermost first.
  void emit(ArrayRef<unsigned> dims, LeafFn leaf) {
    if (dims.empty())
      return leaf(*this);
    unsigned dim = dims.front();
    auto inner = [&](OpFoldResult offset, int64_t size) {
      offsets[dim] = offset;
      tileSizes[dim] = size;
      emit(dims.drop_front(), leaf);
    };
    if (static_cast<int>(dim) == tiling.groupDim)
      return llvm::is_contained(dims.drop_front(), dim)
                 ? emitStatic(dim, tiling.groupRows, inner)
                 : emitGroup(dim, inner);
    if (tiling.reducesVector && dim == static_cast<unsigned>(tiling.vectorDim))
      emitRow(dim, inner);
    else if (ShapedType::isDynamic(staticRanges[dim]))
      emitDynamic(dim, tiling.sizes[dim], inner);
    else
      emitStatic(dim, tiling.sizes[dim], inner);
  }

  SmallVector<OpFoldResult> getSizes() const {
    return getAsIndexOpFoldResult(rewriter.getContext(), tileSizes);
  }

  RewriterBase &rewriter;
  linalg::GenericOp op;
  const Tiling &tiling;
  int64_t lanes;
  SmallVector<int64_t> staticRanges;
  SmallVector<Range> ranges;
  SmallVector<OpFoldResult> offsets;
  SmallVector<int64_t> tileSizes;
  /// The first accumulator of the tile of a reduced row.
  int64_t firstAccumulator = 0;

private:
  using InnerFn = function_ref<void(OpFoldResult, int64_t)>;

  void emitLoop(Value begin, Value end, int64_t step, InnerFn inner) {
    Location loc = op.getLoc();
    Value stride = arith::ConstantIndexOp::create(rewriter, loc, step);
    auto loop = scf::ForOp::create(rewriter, loc, begin, end, stride);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    inner(loop.getInductionVar(), step);
  }

  /// After the full tiles one register at a time, then the last lanes.
  int64_t shorten(int64_t size, int64_t rest) const {
    return rest >= size ? size : std::min(lanes, rest);
  }

  /// Covers a static extent by loops over full tiles, then over single
  /// registers, then over the remaining lanes, so that no tile is masked.
  void emitStatic(unsigned dim, int64_t size, InnerFn inner) {
    int64_t range = staticRanges[dim];
    size = std::min(size, range);
    for (int64_t begin = 0; begin < range;) {
      size = shorten(size, range - begin);
      int64_t end = begin + (range - begin) / size * size;
      if (end - begin == size) {
        inner(rewriter.getIndexAttr(begin), size);
      } else {
        Location loc = op.getLoc();
        emitLoop(arith::ConstantIndexOp::create(rewriter, loc, begin),
                 arith::ConstantIndexOp::create(rewriter, loc, end), size,
                 inner);
      }
      begin = end;
    }
  }

  /// The rows of the group that the loop around this one is at.
  void emitGroup(unsigned dim, InnerFn inner) {
    Location loc = op.getLoc();
    OpFoldResult begin = offsets[dim];
    int64_t rows = tileSizes[dim];
    emitLoop(arith::ConstantIndexOp::create(rewriter, loc, 0),
             arith::ConstantIndexOp::create(rewriter, loc, rows), 1,
             [&](OpFoldResult row, int64_t size) {
               AffineExpr sum =
                   rewriter.getAffineDimExpr(0) + rewriter.getAffineDimExpr(1);
               inner(affine::makeComposedFoldedAffineApply(rewriter, loc, sum,
                                                           {begin, row}),
                     size);
             });
    // The next columns have the same rows.
    offsets[dim] = begin;
    tileSizes[dim] = rows;
  }

  /// Reduces a row in tiles of registers, with as many elements at a time as
  /// there are accumulators. The remainder begins at the first accumulator
  /// again; single elements if the size is dynamic.
  void emitRow(unsigned dim, InnerFn inner) {
    Location loc = op.getLoc();
    int64_t count = tiling.accumulators;
    auto emitTurn = [&](OpFoldResult begin, int64_t length) {
      int64_t size = std::min(tiling.sizes[dim], length);
      for (firstAccumulator = 0; firstAccumulator < length;
           firstAccumulator += size) {
        size = shorten(size, length - firstAccumulator);
        AffineExpr offset = rewriter.getAffineDimExpr(0) + firstAccumulator;
        inner(affine::makeComposedFoldedAffineApply(rewriter, loc, offset,
                                                    {begin}),
              size);
      }
    };
    int64_t range = staticRanges[dim];
    if (ShapedType::isDynamic(range)) {
      emitDynamic(dim, count, emitTurn);
      return;
    }
    int64_t whole = range / count * count;
    if (whole == count)
      emitTurn(rewriter.getIndexAttr(0), count);
    else
      emitLoop(arith::ConstantIndexOp::create(rewriter, loc, 0),
               arith::ConstantIndexOp::create(rewriter, loc, whole), count,
               emitTurn);
    if (whole != range)
      emitTurn(rewriter.getIndexAttr(whole), range - whole);
  }

  /// A size that is known at run time only: full tiles, then single elements.
  void emitDynamic(unsigned dim, int64_t size, InnerFn inner) {
    Location loc = op.getLoc();
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value end =
        getValueOrCreateConstantIndexOp(rewriter, loc, ranges[dim].size);
    if (size == 1)
      return emitLoop(zero, end, 1, inner);
    Value step = arith::ConstantIndexOp::create(rewriter, loc, size);
    Value rest = arith::RemUIOp::create(rewriter, loc, end, step);
    Value full = arith::SubIOp::create(rewriter, loc, end, rest);
    emitLoop(zero, full, size, inner);
    emitLoop(full, end, 1, inner);
  }
};

class CPUTileBodyPass
    : public gridir::cpu::impl::CPUTileBodyPassBase<CPUTileBodyPass> {
public:
  using CPUTileBodyPassBase::CPUTileBodyPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    CPUTileBodyPassBase::getDependentDialects(registry);
    linalg::registerTilingInterfaceExternalModels(registry);
  }

  void runOnOperation() override {
    target = {vectorBytes, vectorRegisters};
    IRRewriter rewriter(&getContext());
    turnCopiesIntoLinalg(rewriter);
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics() && !target.isContractionTile(op))
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops) {
      rewriter.setInsertionPoint(op);
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      if (!generic) {
        FailureOr<linalg::GenericOp> made =
            linalg::generalizeNamedOp(rewriter, op);
        if (failed(made))
          continue;
        generic = *made;
      }
      tile(rewriter, generic);
    }
  }

private:
  /// A memref.copy of a strided view would become a call of MLIR's runner
  /// library.
  void turnCopiesIntoLinalg(RewriterBase &rewriter) {
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp copy) {
      if (isa<MemRefType>(copy.getSource().getType()) &&
          isa<MemRefType>(copy.getTarget().getType()))
        copies.push_back(copy);
    });
    for (memref::CopyOp copy : copies) {
      // Views that are equal may be known as one value only now.
      if (copy.getSource() == copy.getTarget()) {
        rewriter.eraseOp(copy);
        continue;
      }
      rewriter.setInsertionPoint(copy);
      rewriter.replaceOpWithNewOp<linalg::CopyOp>(copy, copy.getSource(),
                                                  copy.getTarget());
    }
  }

  /// True if every op of the body has a form on vectors.
  static bool hasVectorForm(linalg::GenericOp op) {
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      if (op.isDpsInit(&operand)
              ? !map.isProjectedPermutation(/*allowZeroInResults=*/true)
              : !gridir::cpu::getForwardMap(map, ranges))
        return false;
    }
    return llvm::all_of(
        op.getBody()->without_terminator(), [&](Operation &inner) {
          if (auto load = dyn_cast<memref::LoadOp>(inner))
            return gridir::cpu::isGather(op, load);
          return isa<linalg::IndexOp, arith::ConstantOp>(inner) ||
                 OpTrait::hasElementwiseMappableTraits(&inner);
        });
  }

  /// True if an op can be vectorized and viewed as tiles.
  static bool canTile(linalg::GenericOp op) {
    return op.getNumLoops() > 0 && hasVectorForm(op) &&
           gridir::areArraysOfNumbers(op->getOperandTypes());
  }

  Tiling chooseTiling(linalg::GenericOp op) {
    unsigned numLoops = op.getNumLoops();
    SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();

    Tiling tiling;
    // Prefer operands that are written as a whole, then those that are read as
    // a whole, then any.
    for (AffineMap map : llvm::reverse(maps))
      if (map.getNumResults() == numLoops && getInnermost(map) >= 0) {
        tiling.vectorDim = getInnermost(map);
        break;
      }
    for (AffineMap map : maps)
      if (tiling.vectorDim < 0)
        tiling.vectorDim = getInnermost(map);
    if (tiling.vectorDim < 0)
      tiling.vectorDim = numLoops - 1;
    unsigned vector = tiling.vectorDim;
    tiling.reducesVector = !isParallel(kinds[vector]);
    for (AffineMap map : maps) {
      int innermost = getInnermost(map);
      if (innermost >= 0 && innermost != tiling.vectorDim &&
          map.isFunctionOfDim(vector) && isParallel(kinds[innermost]))
        tiling.secondDim = innermost;
    }

    bool reduces = op.getNumReductionLoops() > 0;
    int64_t lanes = target.getLanes(op);
    int64_t unroll = reduces && !tiling.reducesVector
                         ? target.getOuterReductionUnroll()
                         : target.getElementwiseUnroll();
    tiling.sizes.assign(numLoops, 1);
    tiling.sizes[vector] = lanes * unroll;
    if (tiling.secondDim >= 0 && !tiling.reducesVector) {
      // A square of registers is transposed at a time; 8 by 8 is fastest.
      int64_t side = std::min<int64_t>(lanes, 8);
      tiling.sizes[vector] = side;
      tiling.sizes[tiling.secondDim] = side;
    } else if (reduces && !tiling.reducesVector) {
      chooseGroups(op, lanes, tiling);
      if (tiling.groupDim < 0)
        chooseRows(op, lanes, tiling);
    }

    for (unsigned d = 0; d < numLoops; ++d)
      if (d != vector && isParallel(kinds[d]))
        tiling.order.push_back(d);
    // Each element is reduced in the order of the loops, so groups of the last
    // dimension are inside the loops over the others.
    bool isGrouped = tiling.groupDim >= 0;
    if (!tiling.reducesVector && !isGrouped)
      tiling.order.push_back(vector);
    for (unsigned d = 0; d < numLoops; ++d)
      if (d != vector && !isParallel(kinds[d]))
        tiling.order.push_back(d);
    if (isGrouped)
      tiling.order.append({vector, static_cast<unsigned>(tiling.groupDim)});
    if (tiling.reducesVector)
      tiling.order.push_back(vector);
    return tiling;
  }

  /// Reduces several short rows of accumulators at a time: one would wait for
  /// each addition.
  void chooseRows(linalg::GenericOp op, int64_t lanes, Tiling &tiling) const {
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
    int64_t columns = ranges[tiling.vectorDim];
    if (ShapedType::isDynamic(columns) || columns == 0)
      return;
    int64_t rows =
        target.getOuterReductionUnroll() / llvm::divideCeil(columns, lanes);
    for (unsigned d = ranges.size(); d-- > 0;) {
      if (static_cast<int>(d) == tiling.vectorDim || !isParallel(kinds[d]))
        continue;
      if (rows > 1 && !ShapedType::isDynamic(ranges[d]))
        tiling.sizes[d] = std::min(rows, ranges[d]);
      return;
    }
  }

  /// True for a part of an argument of the function that exceeds the caches.
  bool exceedsCaches(Value array) const {
    while (auto view = array.getDefiningOp<ViewLikeOpInterface>())
      array = view.getViewSource();
    return cacheBytes > 0 && gridir::cpu::isLargeOperand(array, cacheBytes);
  }

  /// Cuts a reduction across rows of an array that exceeds the caches into
  /// groups of rows: a tile is then one line of each row of a group, and the
  /// accumulators of the other columns wait in memory. A processor fetches a
  /// few rows ahead, and not parts of many rows.
  void chooseGroups(linalg::GenericOp op, int64_t lanes, Tiling &tiling) {
    SmallVector<unsigned> reduced;
    op.getReductionDims(reduced);
    unsigned rows = reduced.back(), columns = tiling.vectorDim;
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    VectorTarget line{gridir::cpu::kLineBytes, /*registers=*/1};
    int64_t streams = 0, width = lanes;
    bool isLarge = false;
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      if (getInnermost(map) != tiling.vectorDim || !map.isFunctionOfDim(rows))
        continue;
      ++streams;
      isLarge |= exceedsCaches(input->get());
      width = std::max(
          width, line.getLanes(getElementTypeOrSelf(input->get().getType())));
    }
    if (!isLarge || streams > VectorTarget::kStreams / 2)
      return;
    int64_t groupRows = llvm::bit_floor(
        static_cast<uint64_t>(VectorTarget::kStreams / streams));
    width = std::min(width, lanes * target.getOuterReductionUnroll());
    if (ShapedType::isDynamic(ranges[rows]) || ranges[rows] < groupRows ||
        ShapedType::isDynamic(ranges[columns]) || ranges[columns] <= width)
      return;
    tiling.groupDim = rows;
    tiling.groupRows = groupRows;
    tiling.sizes[columns] = width;
    ++numGrouped;
  }

  /// True if the elements of each array can be counted. Upstream's types of
  /// views cannot hold the strides of others.
  static bool areCountable(ValueRange arrays) {
    return llvm::all_of(arrays.getTypes(), [](Type type) {
      auto array = dyn_cast<MemRefType>(type);
      return !array || !array.hasStaticShape() ||
             *gridir::countPoints(array.getShape()) <
                 std::numeric_limits<int64_t>::max();
    });
  }

  void tile(RewriterBase &rewriter, linalg::GenericOp op) {
    if (!areCountable(op->getOperands())) {
      ++numLeft;
      return;
    }
    op = gridir::cpu::walkGatheredRows(rewriter, op);
    op = gridir::cpu::turnLoadsIntoOperands(rewriter, op);
    if (!canTile(op)) {
      ++numLeft;
      return;
    }
    op = gridir::cpu::collapseContiguousLoops(rewriter, op);
    ArrayAttr maps = op.getIndexingMaps();
    MirroredLoops mirrored = *gridir::cpu::walkForwards(rewriter, op);
    Tiling tiling = chooseTiling(op);
    tiling.mirrored = std::move(mirrored);
    if (tiling.reducesVector) {
      if (failed(tileInnerReduction(rewriter, op, tiling))) {
        op.setIndexingMapsAttr(maps);
        ++numLeft;
        return;
      }
    } else {
      TileNest nest(rewriter, op, tiling, target.getLanes(op));
      nest.emit(tiling.order, [](TileNest &nest) { emitTile(nest); });
    }
    rewriter.eraseOp(op);
    ++numTiled;
  }

  static linalg::GenericOp makeTile(TileNest &nest) {
    FailureOr<TilingResult> tiled =
        cast<TilingInterface>(nest.op.getOperation())
            .getTiledImplementation(nest.rewriter, nest.offsets,
                                    nest.getSizes());
    auto tile = cast<linalg::GenericOp>(tiled->tiledOps.front());
    moveMirroredViews(nest, tile);
    return tile;
  }

  /// Moves the views of a tile to the other end of the loops that run
  /// backwards.
  static void moveMirroredViews(TileNest &nest, linalg::GenericOp tile) {
    RewriterBase &rewriter = nest.rewriter;
    for (auto [operand, loops] :
         llvm::zip_equal(tile->getOpOperands(), nest.tiling.mirrored)) {
      if (loops.empty())
        continue;
      auto view = operand.get().getDefiningOp<memref::SubViewOp>();
      assert(view && view->getBlock() == tile->getBlock() &&
             "a tile is a view of each operand that loops walk");
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(tile);
      AffineMap map = tile.getMatchingIndexingMap(&operand);
      SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
      for (unsigned loop : loops) {
        AffineExpr dim = rewriter.getAffineDimExpr(loop);
        AffineExpr end = rewriter.getAffineConstantExpr(
            nest.staticRanges[loop] - nest.tileSizes[loop]);
        offsets[*map.getResultPosition(dim)] =
            affine::makeComposedFoldedAffineApply(
                rewriter, view.getLoc(), end - rewriter.getAffineDimExpr(0),
                {nest.offsets[loop]});
      }
      operand.set(memref::SubViewOp::create(
          rewriter, view.getLoc(), view.getSource(), offsets,
          view.getMixedSizes(), view.getMixedStrides()));
    }
  }

  /// Drops the loops of one iteration, and lets the others run backwards again.
  static void finishTile(TileNest &nest, linalg::GenericOp tile) {
    RewriterBase &rewriter = nest.rewriter;
    tile = gridir::cpu::dropUnitDims(rewriter, tile);
    ArrayRef<int64_t> sizes(nest.tileSizes);
    unsigned numLoops = tile.getNumLoops();
    SmallVector<AffineMap> maps = tile.getIndexingMapsArray();
    bool isMirrored = false;
    for (auto [map, loops] : llvm::zip_equal(maps, nest.tiling.mirrored))
      for (unsigned loop : loops) {
        if (sizes[loop] == 1)
          continue;
        unsigned position = loop;
        if (numLoops != sizes.size())
          position = llvm::count_if(sizes.take_front(loop),
                                    [](int64_t size) { return size != 1; });
        AffineExpr dim = rewriter.getAffineDimExpr(position);
        map = map.replace(dim, sizes[loop] - 1 - dim, numLoops, 0);
        isMirrored = true;
      }
    if (isMirrored)
      tile.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  }

  static void emitTile(TileNest &nest) { finishTile(nest, makeTile(nest)); }

  /// A reduction along the innermost dimension keeps one accumulator per lane
  /// and combines the lanes once per row.
  LogicalResult tileInnerReduction(RewriterBase &rewriter, linalg::GenericOp op,
                                   Tiling &tiling) {
    FailureOr<LaneReduction> reduction = gridir::cpu::matchLaneReduction(op);
    if (failed(reduction))
      return failure();
    int64_t range = op.getStaticLoopRanges()[tiling.vectorDim];
    // Without a neutral element the function is idempotent, and the order of
    // the elements makes no difference: as many as hide its latency.
    int64_t accumulators = VectorTarget::getAccumulators(op);
    if (!reduction->neutral)
      accumulators = std::max(accumulators, tiling.sizes[tiling.vectorDim]);
    // Each result has separate accumulators.
    tiling.accumulators =
        accumulators / llvm::PowerOf2Ceil(op.getNumDpsInits());
    if (!ShapedType::isDynamic(range))
      tiling.accumulators = std::min<int64_t>(
          tiling.accumulators,
          llvm::bit_floor(static_cast<uint64_t>(std::max<int64_t>(1, range))));

    Location loc = op.getLoc();
    SmallVector<Value> buffers;
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(&getOperation().getBody().front());
      for (Type element : op.getBody()->getTerminator()->getOperandTypes())
        buffers.push_back(memref::AllocaOp::create(
            rewriter, loc, MemRefType::get({tiling.accumulators}, element)));
    }
    auto isReduced = [&](unsigned d) {
      return !isParallel(op.getIteratorTypesArray()[d]);
    };
    ArrayRef<unsigned> order = tiling.order;
    unsigned numOuter =
        llvm::count_if(order, [&](unsigned d) { return !isReduced(d); });

    TileNest nest(rewriter, op, tiling, target.getLanes(op));
    nest.emit(order.take_front(numOuter), [&](TileNest &row) {
      SmallVector<Value> results = createResultViews(row);
      for (auto [buffer, result] : llvm::zip_equal(buffers, results)) {
        Value init;
        if (reduction->neutral)
          init = arith::ConstantOp::create(rewriter, loc, *reduction->neutral);
        else
          init = memref::LoadOp::create(rewriter, loc, result);
        linalg::FillOp::create(rewriter, loc, ValueRange(init),
                               ValueRange(buffer));
      }
      row.emit(order.drop_front(numOuter),
               [&](TileNest &tile) { emitLanes(tile, buffers); });
      combineLanes(row, *reduction, buffers, results);
    });
    return success();
  }

  /// One tile of the row, accumulated lane by lane.
  static void emitLanes(TileNest &nest, ArrayRef<Value> buffers) {
    RewriterBase &rewriter = nest.rewriter;
    linalg::GenericOp tile = makeTile(nest);
    unsigned vector = nest.tiling.vectorDim;
    int64_t width = nest.tileSizes[vector];
    SmallVector<Value> lanes(buffers);
    for (Value &buffer : lanes)
      if (cast<MemRefType>(buffer.getType()).getDimSize(0) != width)
        buffer = memref::SubViewOp::create(
            rewriter, tile.getLoc(), buffer,
            ArrayRef<int64_t>{nest.firstAccumulator}, ArrayRef<int64_t>{width},
            ArrayRef<int64_t>{1});
    SmallVector<AffineMap> maps = tile.getIndexingMapsArray();
    SmallVector<utils::IteratorType> kinds = tile.getIteratorTypesArray();
    maps.pop_back_n(lanes.size());
    // A loop that no input walks has one turn in this tile, and must be walked
    // by the lanes for its extent to be known.
    SmallVector<AffineExpr> walked;
    for (unsigned d = 0; d < kinds.size(); ++d)
      if (d != vector && llvm::none_of(maps, [&](AffineMap map) {
            return map.isFunctionOfDim(d);
          })) {
        walked.push_back(rewriter.getAffineDimExpr(d));
        kinds[d] = utils::IteratorType::parallel;
      }
    if (!walked.empty()) {
      SmallVector<int64_t> shape(walked.size(), 1);
      shape.push_back(width);
      ReassociationIndices all =
          llvm::to_vector(llvm::seq<int64_t>(shape.size()));
      for (Value &buffer : lanes)
        buffer = memref::ExpandShapeOp::create(rewriter, tile.getLoc(), shape,
                                               buffer, {all});
    }
    walked.push_back(rewriter.getAffineDimExpr(vector));
    maps.append(lanes.size(),
                AffineMap::get(kinds.size(), 0, walked, rewriter.getContext()));
    kinds[vector] = utils::IteratorType::parallel;
    auto perLane = linalg::GenericOp::create(
        rewriter, tile.getLoc(), tile.getDpsInputs(), lanes, maps, kinds);
    rewriter.inlineRegionBefore(tile.getRegion(), perLane.getRegion(),
                                perLane.getRegion().begin());
    rewriter.eraseOp(tile);
    finishTile(nest, perLane);
  }

  /// The elements that the row is reduced to, as memrefs of rank 0.
  static SmallVector<Value> createResultViews(TileNest &nest) {
    RewriterBase &rewriter = nest.rewriter;
    linalg::GenericOp op = nest.op;
    SmallVector<Value> views;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      Value out = init.get();
      SmallVector<OpFoldResult> offsets;
      for (AffineExpr expr : op.getMatchingIndexingMap(&init).getResults()) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        offsets.push_back(dim ? nest.offsets[dim.getPosition()]
                              : OpFoldResult(rewriter.getIndexAttr(0)));
      }
      SmallVector<OpFoldResult> ones(offsets.size(), rewriter.getIndexAttr(1));
      if (!offsets.empty()) {
        MemRefType type = memref::SubViewOp::inferRankReducedResultType(
            {}, cast<MemRefType>(out.getType()), offsets, ones, ones);
        out = memref::SubViewOp::create(rewriter, op.getLoc(), type, out,
                                        offsets, ones, ones);
      }
      views.push_back(out);
    }
    return views;
  }

  /// Each result = the result combined with every lane.
  static void combineLanes(TileNest &nest, const LaneReduction &reduction,
                           ValueRange buffers, ValueRange results) {
    RewriterBase &rewriter = nest.rewriter;
    SmallVector<AffineMap> maps(buffers.size(),
                                rewriter.getMultiDimIdentityMap(1));
    maps.append(results.size(), AffineMap::get(1, 0, rewriter.getContext()));
    linalg::GenericOp::create(
        rewriter, nest.op.getLoc(), buffers, results, maps,
        ArrayRef<utils::IteratorType>{utils::IteratorType::reduction},
        [&](OpBuilder &b, Location l, ValueRange args) {
          linalg::YieldOp::create(b, l, reduction.combine(b, nest.op, args));
        });
  }

  VectorTarget target;
};

} // namespace
