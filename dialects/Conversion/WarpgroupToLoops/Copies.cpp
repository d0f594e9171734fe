//===- Copies.cpp - Bulk copies as calls --------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy of the part of a window that lies inside of its array. The runtime
// does it, and arrives at the barrier.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Views.h"
#include "dialects/Conversion/WarpgroupToLoops/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace gridir;

namespace {

/// One dimension of a window, as far as it lies inside of its array.
struct ClippedDim {
  OpFoldResult offset, size;
  /// The start of that part in the window.
  OpFoldResult begin;
  /// True if there is another part; null if there is certainly none.
  Value isPartial;
};

ClippedDim clip(OpBuilder &builder, Location loc, KernelLowering &lowering,
                OpFoldResult offset, int64_t size, int64_t extent) {
  Value first = toIndex(builder, loc, offset);
  if (lowering.ranges.get(first).isIn(0, extent - size)) {
    if (isa<Value>(offset))
      offset = first;
    return {offset, builder.getIndexAttr(size), builder.getIndexAttr(0), {}};
  }
  Value zero = createIndex(builder, loc, 0);
  Value limit = createIndex(builder, loc, extent);
  Value length = createIndex(builder, loc, size);
  Value last = arith::AddIOp::create(builder, loc, first, length);
  auto clamp = [&](Value index) -> Value {
    Value raised = arith::MaxSIOp::create(builder, loc, index, zero);
    return arith::MinSIOp::create(builder, loc, raised, limit);
  };
  // A window outside of the array becomes empty, at an end of the array.
  Value begin = clamp(first);
  Value inside = arith::SubIOp::create(builder, loc, clamp(last), begin);
  Value skipped = arith::SubIOp::create(builder, loc, begin, first);
  Value isPartial = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ne, inside, length);
  return {begin, inside, skipped, isPartial};
}

/// The part of a window that lies inside of its array, and the same part of the
/// tile.
struct ClippedWindow {
  Value array, tile;
  /// True if there is another part; null if there is certainly none.
  Value isPartial;
};

/// `array` and `tile` are memrefs; the op names the window.
template <typename OpT>
ClippedWindow createWindow(OpBuilder &builder, KernelLowering &lowering, OpT op,
                           Value array, Value tile) {
  Location loc = op.getLoc();
  auto arrayType = cast<MemRefType>(array.getType());
  ArrayRef<int64_t> dropped = op.getDropped().value_or(ArrayRef<int64_t>());
  auto either = [&](Value a, Value b) -> Value {
    return a && b ? arith::OrIOp::create(builder, loc, a, b).getResult()
                  : (a ? a : b);
  };
  SmallVector<ClippedDim> dims;
  Value isPartial, isNowhere;
  for (auto [d, offset, size] : llvm::enumerate(
           getMixedValues(op.getStaticOffsets(), op.getOffsets(), builder),
           op.getSizes())) {
    int64_t extent = arrayType.getDimSize(d);
    ClippedDim &dim =
        dims.emplace_back(clip(builder, loc, lowering, offset, size, extent));
    isPartial = either(isPartial, dim.isPartial);
    if (!dim.isPartial || !llvm::is_contained(dropped, d))
      continue;
    // The only index is outside, and so is the whole window: its view has other
    // elements, and none is copied.
    isNowhere = either(isNowhere, dim.isPartial);
    Value last = createIndex(builder, loc, extent - 1);
    dim.offset = arith::MinSIOp::create(builder, loc,
                                        toIndex(builder, loc, dim.offset), last)
                     .getResult();
    dim.size = builder.getIndexAttr(1);
  }
  SmallVector<OpFoldResult> offsets, sizes, tileOffsets, tileSizes;
  SmallVector<int64_t> shape;
  for (auto [d, dim] : llvm::enumerate(dims)) {
    offsets.push_back(dim.offset);
    bool isDropped = llvm::is_contained(dropped, d);
    if (isNowhere && !isDropped)
      dim.size = arith::SelectOp::create(builder, loc, isNowhere,
                                         createIndex(builder, loc, 0),
                                         toIndex(builder, loc, dim.size))
                     .getResult();
    sizes.push_back(dim.size);
    if (isDropped)
      continue;
    tileOffsets.push_back(dim.begin);
    tileSizes.push_back(dim.size);
    shape.push_back(
        getConstantIntValue(dim.size).value_or(ShapedType::kDynamic));
  }
  SmallVector<OpFoldResult> ones(sizes.size(), builder.getIndexAttr(1)),
      tileOnes(tileSizes.size(), builder.getIndexAttr(1));
  auto windowType =
      cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
          shape, arrayType, offsets, sizes, ones));
  return {memref::SubViewOp::create(builder, loc, windowType, array, offsets,
                                    sizes, ones),
          memref::SubViewOp::create(builder, loc, tile, tileOffsets, tileSizes,
                                    tileOnes),
          isPartial};
}

/// Describes the next copy to the runtime.
template <typename OpT>
void createSites(OpBuilder &builder, KernelLowering &lowering, OpT op) {
  if (!lowering.recordsAccesses())
    return;
  createRuntimeCall(
      builder, op.getLoc(), lowering, "gridirTaskSites",
      {createSite(builder, lowering, op,
                  "copy from " + lowering.getName(op.getSource())),
       createSite(builder, lowering, op,
                  "copy to " + lowering.getName(op.getDest()))});
}

template <typename OpT> class CopyPattern : public LoweringPattern<OpT> {
public:
  using LoweringPattern<OpT>::LoweringPattern;

protected:
  /// The memory of both ends; with `takesValues` that of the source is null
  /// where it is no memory but a value.
  FailureOr<std::pair<Value, Value>> getEnds(OpBuilder &builder, OpT op,
                                             bool takesValues = false) const {
    Value source = createStridedMemRef(builder, op.getLoc(), op.getSource());
    Value dest = createStridedMemRef(builder, op.getLoc(), op.getDest());
    if ((!source && !takesValues) || !dest)
      return LogicalResult(
          this->lowering.fail(op, "expected a copy between strided Refs"));
    return std::pair(source, dest);
  }

  /// Of the copies that end in an arrival, `count` says how many arrivals this
  /// one is, and `copies` for how many others the phase waits.
  struct Arrival {
    Value barrier;
    int64_t arrivals = 0;
    Value site, count, copies;
  };

  void createCall(OpBuilder &builder, OpT op, Value source, Value dest,
                  Arrival arrival = {}) const {
    Location loc = op.getLoc();
    auto orZero = [&](Value value) {
      return value ? value : createI64(builder, loc, 0);
    };
    createSites(builder, this->lowering, op);
    createCopyDims(builder, loc, this->lowering, source, dest);
    createRuntimeCall(
        builder, loc, this->lowering, "gridirTaskBulkCopy",
        {createAddress(builder, loc, source), createAddress(builder, loc, dest),
         createI64(builder, loc, getBytesPerElement(dest)),
         orZero(arrival.barrier), createI64(builder, loc, arrival.arrivals),
         orZero(arrival.site), orZero(arrival.count), orZero(arrival.copies)});
  }
};

/// Zeroes a tile if a part of the window is outside of the array.
void fillOutside(OpBuilder &builder, Location loc, KernelLowering &lowering,
                 const ClippedWindow &window, Value tile) {
  if (!window.isPartial)
    return;
  scf::IfOp::create(
      builder, loc, window.isPartial, [&](OpBuilder &builder, Location loc) {
        Type element = cast<MemRefType>(tile.getType()).getElementType();
        linalg::FillOp::create(builder, loc, createZero(builder, loc, element),
                               tile);
        // The copy itself writes only elements of the array.
        if (lowering.recordsAccesses())
          createMemoryState(builder, loc, lowering, tile, /*defined=*/true);
        scf::YieldOp::create(builder, loc);
      });
}

class LoadPattern : public CopyPattern<warpgroup::TmaLoadOp> {
public:
  using CopyPattern::CopyPattern;

  LogicalResult matchAndRewrite(warpgroup::TmaLoadOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto ends = getEnds(rewriter, op);
    FailureOr<Value> barrier =
        createBarrierAddress(rewriter, lowering, op, op.getBarrier());
    if (failed(ends) || failed(barrier))
      return failure();
    auto [source, dest] = *ends;
    Arrival arrival;
    arrival.barrier = *barrier;
    arrival.arrivals = getNumArrivals(lowering, op.getBarrier());
    arrival.count = createI64(rewriter, loc, 1);
    if (op.getLeaderTracked() && failed(trackByLeader(rewriter, op, arrival)))
      return failure();
    ClippedWindow window = createWindow(rewriter, lowering, op, source, dest);
    fillOutside(rewriter, loc, lowering, window, dest);
    arrival.site = createSite(rewriter, lowering, op,
                              "copy to " + lowering.getName(op.getDest()));
    createCall(rewriter, op, window.array, window.tile, arrival);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// The first block arrives for the copies of all, which the phase waits for.
  LogicalResult trackByLeader(OpBuilder &builder, warpgroup::TmaLoadOp op,
                              Arrival &arrival) const {
    Location loc = op.getLoc();
    FailureOr<unsigned> dim =
        findClusterDim(lowering, op, (*op.getCollective())[0]);
    if (failed(dim))
      return failure();
    Value zero = createIndex(builder, loc, 0);
    arrival.barrier = createPeerAddress(builder, loc, lowering, arrival.barrier,
                                        ClusterCoordinate(*dim, zero));
    Value isLeader =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                              lowering.programIds[*dim], zero);
    int64_t numOthers = lowering.kernel.getDim(*dim).getSize() - 1;
    arrival.count = arith::SelectOp::create(builder, loc, isLeader,
                                            createI64(builder, loc, 1),
                                            createI64(builder, loc, 0));
    arrival.copies = arith::SelectOp::create(builder, loc, isLeader,
                                             createI64(builder, loc, numOthers),
                                             createI64(builder, loc, -1));
    return success();
  }
};

class StorePattern : public CopyPattern<warpgroup::TmaStoreOp> {
public:
  using CopyPattern::CopyPattern;

  LogicalResult matchAndRewrite(warpgroup::TmaStoreOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto ends = getEnds(rewriter, op, /*takesValues=*/true);
    if (failed(ends))
      return failure();
    auto [source, dest] = *ends;
    OpBuilder::InsertionGuard guard(rewriter);
    if (op.getPredicate()) {
      auto copied = scf::IfOp::create(rewriter, loc, op.getPredicate());
      rewriter.setInsertionPointToStart(copied.thenBlock());
    }
    bool isMemory = static_cast<bool>(source);
    if (!isMemory)
      source = createBuffer(rewriter, op);
    ClippedWindow window = createWindow(rewriter, lowering, op, dest, source);
    if (op.getReduction() || !isMemory)
      storeNow(rewriter, op, window, isMemory);
    else
      createCall(rewriter, op, window.tile, window.array);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Returns the memory of a view with another element type.
  static Value createBuffer(OpBuilder &builder, warpgroup::TmaStoreOp op) {
    Value value = readRef(builder, op.getLoc(), op.getSource());
    auto type = cast<RankedTensorType>(value.getType());
    return bufferization::ToBufferOp::create(
        builder, op.getLoc(),
        MemRefType::get(type.getShape(), type.getElementType()), value,
        /*readOnly=*/true);
  }

  /// Stores each element, or combines it with the one in memory. No other
  /// program runs then.
  void storeNow(OpBuilder &builder, warpgroup::TmaStoreOp op,
                const ClippedWindow &window, bool isMemory) const {
    Location loc = op.getLoc();
    if (lowering.recordsAccesses()) {
      createRecordedAccess(
          builder, loc, lowering,
          isMemory ? window.tile : resolveRef(op.getSource()).memref,
          grid::AccessKind::Read, lowering.getName(op.getSource()));
      createRecordedAccess(builder, loc, lowering, window.array,
                           op.getReduction() ? grid::AccessKind::Atomic
                                             : grid::AccessKind::Write,
                           lowering.getName(op.getDest()));
    }
    int64_t rank = cast<MemRefType>(window.array.getType()).getRank();
    SmallVector<AffineMap> maps(2, builder.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
    linalg::GenericOp::create(
        builder, loc, window.tile, window.array, maps, loops,
        [&](OpBuilder &builder, Location loc, ValueRange elements) {
          Value stored =
              op.getReduction()
                  ? createCombination(builder, loc, *op.getReduction(),
                                      elements[1], elements[0])
                  : elements[0];
          linalg::YieldOp::create(builder, loc, stored);
        });
  }
};

/// A copy by threads is complete when it starts, which no barrier can observe.
class CpAsyncPattern : public CopyPattern<warpgroup::CpAsyncOp> {
public:
  using CopyPattern::CopyPattern;

  LogicalResult matchAndRewrite(warpgroup::CpAsyncOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto ends = getEnds(rewriter, op);
    if (failed(ends))
      return failure();
    auto [source, dest] = *ends;
    ClippedWindow window = createWindow(rewriter, lowering, op, source, dest);
    fillOutside(rewriter, loc, lowering, window, dest);
    if (lowering.recordsAccesses()) {
      createRecordedAccess(rewriter, loc, lowering, window.array,
                           grid::AccessKind::Read,
                           lowering.getName(op.getSource()));
      createRecordedAccess(rewriter, loc, lowering, window.tile,
                           grid::AccessKind::Write,
                           lowering.getName(op.getDest()));
    }
    linalg::CopyOp::create(rewriter, loc, window.array, window.tile);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Proxies matter only to the checks.
class CommitSmemPattern : public LoweringPattern<warpgroup::CommitSmemOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(warpgroup::CommitSmemOp op,
                                PatternRewriter &rewriter) const override {
    if (lowering.recordsAccesses())
      createRuntimeCall(rewriter, op.getLoc(), lowering, "gridirTaskCommit",
                        {});
    rewriter.eraseOp(op);
    return success();
  }
};

/// The checks take global memory for one that all proxies see.
class CommitGmemPattern : public LoweringPattern<warpgroup::CommitGmemOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(warpgroup::CommitGmemOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

class CommitGroupPattern : public LoweringPattern<warpgroup::CommitGroupOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(warpgroup::CommitGroupOp op,
                                PatternRewriter &rewriter) const override {
    createRuntimeCall(rewriter, op.getLoc(), lowering, "gridirTaskCloseGroup",
                      {});
    rewriter.eraseOp(op);
    return success();
  }
};

class WaitGroupPattern : public LoweringPattern<warpgroup::WaitGroupOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(warpgroup::WaitGroupOp op,
                                PatternRewriter &rewriter) const override {
    createRuntimeCall(rewriter, op.getLoc(), lowering, "gridirTaskWaitGroups",
                      {createI64(rewriter, op.getLoc(), op.getPending()),
                       createI64(rewriter, op.getLoc(), op.getRead())});
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void gridir::populateWarpgroupCopyPatterns(RewritePatternSet &patterns,
                                           KernelLowering &lowering) {
  patterns.add<LoadPattern, StorePattern, CpAsyncPattern, CommitSmemPattern,
               CommitGmemPattern, CommitGroupPattern, WaitGroupPattern>(
      patterns.getContext(), lowering);
}
