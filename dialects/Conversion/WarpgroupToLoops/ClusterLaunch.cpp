//===- ClusterLaunch.cpp - Clusters that have not begun -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime tracks which clusters have started. It returns the first work
// item of a cancelled cluster, or -1.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToLoops/Patterns.h"

#include "dialects/Conversion/GridToLoops/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gridir;

namespace {

/// By default all blocks start at the same time.
constexpr int64_t kAllBlocks = std::numeric_limits<int32_t>::max();

template <typename OpT>
FailureOr<Value> createAnswerAddress(OpBuilder &builder,
                                     KernelLowering &lowering, OpT op) {
  if (Value memref = createStridedMemRef(builder, op.getLoc(), op.getAnswer()))
    return createAddress(builder, op.getLoc(), memref);
  return LogicalResult(lowering.fail(op, "expected a contiguous answer"));
}

class TryCancelPattern : public LoweringPattern<warpgroup::TryClusterCancelOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(warpgroup::TryClusterCancelOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    FailureOr<Value> answer = createAnswerAddress(rewriter, lowering, op);
    FailureOr<Value> barrier =
        createBarrierAddress(rewriter, lowering, op, op.getBarrier());
    if (failed(answer) || failed(barrier))
      return failure();
    int64_t clusterBlocks = 1;
    for (auto dim : lowering.kernel.getDims().getAsRange<grid::DimAttr>())
      if (dim.getKind() == grid::DimKind::Cluster)
        // Without blocks, no program makes a request.
        clusterBlocks *= std::max<int64_t>(dim.getSize(), 1);
    int64_t clustersAtOnce = std::max<int64_t>(
        op.getBlocksAtOnce().value_or(kAllBlocks) / clusterBlocks, 1);
    std::string name = lowering.getName(op.getAnswer());
    createRuntimeCall(
        rewriter, loc, lowering, "gridirTaskAskForCluster",
        {*answer,
         createI64(rewriter, loc, warpgroup::getNumWarpgroups(lowering.kernel)),
         createI64(rewriter, loc, op.getAlone()),
         createI64(rewriter, loc, clustersAtOnce),
         createSite(rewriter, lowering, op, "write of " + name)});
    createArrival(rewriter, lowering, op, op.getBarrier(), *barrier);
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
    Location loc = op.getLoc();
    FailureOr<Value> answer = createAnswerAddress(rewriter, lowering, op);
    if (failed(answer))
      return failure();
    Value item =
        createRuntimeCall(rewriter, loc, lowering, "gridirTaskReadAnswer",
                          {*answer}, rewriter.getI64Type())
            .front();
    Value zero = createI64(rewriter, loc, 0);
    Value found = arith::CmpIOp::create(rewriter, loc,
                                        arith::CmpIPredicate::sge, item, zero);
    item = arith::SelectOp::create(rewriter, loc, found, item, zero);
    llvm::SmallDenseMap<unsigned, Value> coordinates;
    for (unsigned d : llvm::reverse(lowering.parallelDims)) {
      Value size = toI64(rewriter, loc, lowering.gridSizes[d]);
      coordinates[d] = arith::TruncIOp::create(
          rewriter, loc, rewriter.getI32Type(),
          arith::RemUIOp::create(rewriter, loc, item, size));
      item = arith::DivUIOp::create(rewriter, loc, item, size);
    }
    SmallVector<Value> results;
    for (Attribute axis : op.getAxes()) {
      std::optional<unsigned> dim = lowering.kernel.findDim(axis);
      if (!dim || !coordinates.contains(*dim) ||
          lowering.kernel.getDim(*dim).getKind() != grid::DimKind::Grid)
        return lowering.fail(op, "expected an axis of the grid, got " +
                                     cast<StringAttr>(axis).getValue());
      results.push_back(coordinates[*dim]);
    }
    results.push_back(found);
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void gridir::populateClusterLaunchPatterns(RewritePatternSet &patterns,
                                           KernelLowering &lowering) {
  patterns.add<TryCancelPattern, QueryCancelPattern>(patterns.getContext(),
                                                     lowering);
}
