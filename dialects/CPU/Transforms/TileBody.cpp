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
#include "dialects/CPU/Transforms/TileNest.h"
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
#include "llvm/Support/MathExtras.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPUTILEBODYPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;
using gridir::cpu::LaneReduction;
using gridir::cpu::MirroredLoops;
using gridir::cpu::TileNest;
using gridir::cpu::Tiling;
using gridir::cpu::VectorTarget;

namespace {

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
    Tiling tiling = gridir::cpu::chooseTiling(op, target, cacheBytes);
    numGrouped += tiling.groupDim >= 0;
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
      return op.getIteratorTypesArray()[d] != utils::IteratorType::parallel;
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
