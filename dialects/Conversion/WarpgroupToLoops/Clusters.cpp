//===- Clusters.cpp - What blocks of a cluster do with one another --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same Ref of another block is at the same place of that block's memory,
// which the runtime finds. Its contents are copied to and from memory of this
// block's own.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToLoops/Patterns.h"

#include "dialects/Conversion/GridToLoops/LocalRefs.h"
#include "dialects/Conversion/GridToLoops/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"

using namespace mlir;
using namespace gridir;

FailureOr<unsigned> gridir::findClusterDim(KernelLowering &lowering,
                                           Operation *op, Attribute axis) {
  std::optional<unsigned> dim = lowering.kernel.findDim(axis);
  if (!dim || !llvm::is_contained(lowering.parallelDims, *dim) ||
      lowering.kernel.getDim(*dim).getKind() != grid::DimKind::Cluster)
    return LogicalResult(
        lowering.fail(op, "expected an axis of the cluster, got " +
                              cast<StringAttr>(axis).getValue()));
  return *dim;
}

Value gridir::createPeerAddress(OpBuilder &builder, Location loc,
                                KernelLowering &lowering, Value address,
                                ArrayRef<PlaceInCluster> places) {
  SmallVector<Value> ids(lowering.programIds);
  for (auto [dim, place] : places)
    ids[dim] = place;
  Value own = createI64(builder, loc, -1);
  return createRuntimeCall(
             builder, loc, lowering, "gridirTaskLocate",
             {address, own, createWorkItem(builder, loc, lowering, ids)},
             builder.getI64Type())
      .front();
}

namespace {

/// A pattern of an op on a Ref of another block.
template <typename OpT> class PeerPattern : public LoweringPattern<OpT> {
public:
  using LoweringPattern<OpT>::LoweringPattern;

protected:
  /// The places that the op names; those outside of the cluster are reported,
  /// and taken for the own one.
  FailureOr<SmallVector<PlaceInCluster>> getPlaces(OpBuilder &builder,
                                                   OpT op) const {
    KernelLowering &lowering = this->lowering;
    Location loc = op.getLoc();
    SmallVector<PlaceInCluster> places;
    for (auto [axis, value] :
         llvm::zip_equal(op.getAxes(), op.getCoordinates())) {
      FailureOr<unsigned> dim = findClusterDim(lowering, op, axis);
      if (failed(dim))
        return failure();
      Value place = toIndex(builder, loc, value);
      Value outside =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, place,
                                lowering.gridSizes[*dim]);
      lowering.reportIf(builder, loc, outside,
                        "block {0} is out of bounds [0, {1})", place,
                        lowering.gridSizes[*dim]);
      places.emplace_back(
          *dim, arith::SelectOp::create(builder, loc, outside,
                                        lowering.programIds[*dim], place));
    }
    return places;
  }

  FailureOr<Value> getMemory(OpBuilder &builder, OpT op) const {
    if (Value memref = createStridedMemRef(builder, op.getLoc(), op.getRef()))
      return memref;
    return LogicalResult(this->lowering.fail(
        op, "expected a Ref whose elements are at regular distances in memory, "
            "of another block"));
  }

  /// Memory for what a Ref holds, as a Ref of its own.
  Value createCopy(OpBuilder &builder, OpT op) const {
    auto type = cast<MemRefType>(op.getRef().getType());
    Value memory = this->lowering.allocate(op.getLoc(), type.getShape(),
                                           type.getElementType());
    return createRef(builder, op.getLoc(), memory, type);
  }

  /// Copies between a Ref of this block and the one of another.
  void createMove(OpBuilder &builder, OpT op, Value own, Value there,
                  Value memref, bool isLoad) const {
    KernelLowering &lowering = this->lowering;
    Location loc = op.getLoc();
    Value local = getMemRef(own), address = createAddress(builder, loc, local);
    std::string name = lowering.getName(op.getRef());
    if (lowering.recordsAccesses()) {
      Value site = createSite(builder, lowering, op,
                              (isLoad ? "read of " : "write of ") + name);
      createRuntimeCall(builder, loc, lowering, "gridirTaskSites",
                        {site, site});
    }
    createCopyDims(builder, loc, lowering, isLoad ? memref : local,
                   isLoad ? local : memref);
    createRuntimeCall(builder, loc, lowering, "gridirTaskMove",
                      {isLoad ? there : address, isLoad ? address : there,
                       createI64(builder, loc, getBytesPerElement(memref))});
  }
};

class ClusterLoadPattern : public PeerPattern<warpgroup::ClusterLoadOp> {
public:
  using PeerPattern::PeerPattern;

  LogicalResult matchAndRewrite(warpgroup::ClusterLoadOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto places = getPlaces(rewriter, op);
    FailureOr<Value> memref = getMemory(rewriter, op);
    if (failed(places) || failed(memref))
      return failure();
    Value there =
        createPeerAddress(rewriter, loc, lowering,
                          createAddress(rewriter, loc, *memref), *places);
    Value copy = createCopy(rewriter, op);
    createMove(rewriter, op, copy, there, *memref, /*isLoad=*/true);
    Value value = readRef(rewriter, loc, copy, /*mayOverwrite=*/true);
    // The next load here goes to the same memory.
    rewriter.replaceOpWithNewOp<bufferization::AllocTensorOp>(
        op, cast<RankedTensorType>(value.getType()), ValueRange(), value);
    return success();
  }
};

class ClusterStorePattern : public PeerPattern<warpgroup::ClusterStoreOp> {
public:
  using PeerPattern::PeerPattern;

  LogicalResult matchAndRewrite(warpgroup::ClusterStoreOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto places = getPlaces(rewriter, op);
    FailureOr<Value> memref = getMemory(rewriter, op);
    if (failed(places) || failed(memref))
      return failure();
    Value there =
        createPeerAddress(rewriter, loc, lowering,
                          createAddress(rewriter, loc, *memref), *places);
    Value copy = createCopy(rewriter, op);
    writeRef(rewriter, loc, op.getValue(), copy);
    createMove(rewriter, op, copy, there, *memref, /*isLoad=*/false);
    if (Value barrier = op.getBarrier()) {
      FailureOr<Value> address =
          createBarrierAddress(rewriter, lowering, op, barrier);
      if (failed(address))
        return failure();
      createArrival(
          rewriter, lowering, op, barrier,
          createPeerAddress(rewriter, loc, lowering, *address, *places));
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// Nobody else runs between the load and the store of a combination.
class CombinedStorePattern
    : public OpRewritePattern<warpgroup::ClusterStoreOp> {
public:
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(warpgroup::ClusterStoreOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<grid::AtomicKind> kind = op.getReduction();
    if (!kind)
      return failure();
    Location loc = op.getLoc();
    Value old = warpgroup::ClusterLoadOp::create(
        rewriter, loc, op.getValue().getType(), op.getRef(), op.getAxes(),
        op.getCoordinates());
    Value next = createElementwise(
        rewriter, loc, old.getType(), {old, op.getValue()},
        [&](OpBuilder &builder, Location loc, ValueRange args) {
          return createCombination(builder, loc, *kind, args[0], args[1]);
        });
    rewriter.modifyOpInPlace(op, [&] {
      op.getValueMutable().assign(next);
      op.removeReductionAttr();
    });
    return success();
  }
};

/// All clusters of the grid are run: none is left to be done elsewhere.
class TryCancelPattern : public LoweringPattern<warpgroup::TryClusterCancelOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(warpgroup::TryClusterCancelOp op,
                                PatternRewriter &rewriter) const override {
    FailureOr<Value> address =
        createBarrierAddress(rewriter, lowering, op, op.getBarrier());
    if (failed(address))
      return failure();
    createArrival(rewriter, lowering, op, op.getBarrier(), *address);
    rewriter.eraseOp(op);
    return success();
  }
};

class QueryCancelPattern
    : public LoweringPattern<warpgroup::QueryClusterCancelOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(warpgroup::QueryClusterCancelOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> results;
    for (Type type : op.getResultTypes())
      results.push_back(createZero(rewriter, op.getLoc(), type));
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void gridir::populateWarpgroupClusterPatterns(RewritePatternSet &patterns,
                                              KernelLowering &lowering) {
  patterns.add<ClusterLoadPattern, ClusterStorePattern, TryCancelPattern,
               QueryCancelPattern>(patterns.getContext(), lowering);
}

void gridir::populateCombinedStorePatterns(RewritePatternSet &patterns) {
  patterns.add<CombinedStorePattern>(patterns.getContext());
}
