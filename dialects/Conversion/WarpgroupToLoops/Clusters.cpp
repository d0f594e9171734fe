//===- Clusters.cpp - What blocks of a cluster do with one another --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same Ref of another block is at the same offset in that block's memory,
// which the runtime finds. Its contents are copied to and from memory of this
// block's own.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToLoops/Peers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

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
                                ArrayRef<ClusterCoordinate> coordinates) {
  SmallVector<Value> ids(lowering.programIds);
  for (auto [dim, coordinate] : coordinates)
    ids[dim] = coordinate;
  Value own = createI64(builder, loc, -1);
  return createRuntimeCall(
             builder, loc, lowering, "gridirTaskLocate",
             {address, own, createWorkItem(builder, loc, lowering, ids)},
             builder.getI64Type())
      .front();
}

namespace {

/// A pattern of an op on a Ref of another block.
template <typename OpT> class ClusterPattern : public PeerPattern<OpT> {
public:
  using PeerPattern<OpT>::PeerPattern;

protected:
  /// The coordinates that the op names; those outside of the cluster are
  /// reported, and taken for those of this block.
  FailureOr<SmallVector<ClusterCoordinate>> getCoordinates(OpBuilder &builder,
                                                           OpT op) const {
    KernelLowering &lowering = this->lowering;
    Location loc = op.getLoc();
    SmallVector<ClusterCoordinate> coordinates;
    for (auto [axis, value] :
         llvm::zip_equal(op.getAxes(), op.getCoordinates())) {
      FailureOr<unsigned> dim = findClusterDim(lowering, op, axis);
      if (failed(dim))
        return failure();
      Value coordinate = toIndex(builder, loc, value);
      Value outside =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                coordinate, lowering.gridSizes[*dim]);
      lowering.reportIf(builder, loc, outside,
                        "block {0} is out of bounds [0, {1})", coordinate,
                        lowering.gridSizes[*dim]);
      coordinates.emplace_back(
          *dim, arith::SelectOp::create(builder, loc, outside,
                                        lowering.programIds[*dim], coordinate));
    }
    return coordinates;
  }
};

class ClusterLoadPattern : public ClusterPattern<warpgroup::ClusterLoadOp> {
public:
  using ClusterPattern::ClusterPattern;

  LogicalResult matchAndRewrite(warpgroup::ClusterLoadOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto coordinates = getCoordinates(rewriter, op);
    FailureOr<Value> memref = getMemory(rewriter, op);
    if (failed(coordinates) || failed(memref))
      return failure();
    Value there =
        createPeerAddress(rewriter, loc, lowering,
                          createAddress(rewriter, loc, *memref), *coordinates);
    rewriter.replaceOp(op, createLoad(rewriter, op, there, *memref));
    return success();
  }
};

class ClusterStorePattern : public ClusterPattern<warpgroup::ClusterStoreOp> {
public:
  using ClusterPattern::ClusterPattern;

  LogicalResult matchAndRewrite(warpgroup::ClusterStoreOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto coordinates = getCoordinates(rewriter, op);
    FailureOr<Value> memref = getMemory(rewriter, op);
    if (failed(coordinates) || failed(memref))
      return failure();
    Value there =
        createPeerAddress(rewriter, loc, lowering,
                          createAddress(rewriter, loc, *memref), *coordinates);
    createStore(rewriter, op, there, *memref);
    if (Value barrier = op.getBarrier()) {
      FailureOr<Value> address =
          createBarrierAddress(rewriter, lowering, op, barrier);
      if (failed(address))
        return failure();
      createArrival(
          rewriter, lowering, op, barrier,
          createPeerAddress(rewriter, loc, lowering, *address, *coordinates));
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// The load and the store of an update are not interrupted by other programs.
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
    auto old = warpgroup::ClusterLoadOp::create(
        rewriter, loc, op.getValue().getType(), op.getRef(), op.getAxes(),
        op.getCoordinates());
    old->setAttr(warpgroup::kUpdateAttr, rewriter.getUnitAttr());
    Value next = createElementwise(
        rewriter, loc, old.getType(), {old.getResult(), op.getValue()},
        [&](OpBuilder &builder, Location loc, ValueRange args) {
          return createCombination(builder, loc, *kind, args[0], args[1]);
        });
    rewriter.modifyOpInPlace(op, [&] {
      op.getValueMutable().assign(next);
      op.removeReductionAttr();
      op->setAttr(warpgroup::kUpdateAttr, rewriter.getUnitAttr());
    });
    return success();
  }
};

} // namespace

void gridir::populateWarpgroupClusterPatterns(RewritePatternSet &patterns,
                                              KernelLowering &lowering) {
  patterns.add<ClusterLoadPattern, ClusterStorePattern>(patterns.getContext(),
                                                        lowering);
}

void gridir::populateCombinedStorePatterns(RewritePatternSet &patterns) {
  patterns.add<CombinedStorePattern>(patterns.getContext());
}
