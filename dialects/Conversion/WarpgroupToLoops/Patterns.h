//===- Patterns.h - Patterns of the warpgroup dialect ----------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_WARPGROUPTOLOOPS_PATTERNS_H
#define GRIDIR_DIALECTS_CONVERSION_WARPGROUPTOLOOPS_PATTERNS_H

#include "dialects/Conversion/GridToLoops/Async.h"
#include "dialects/Conversion/GridToLoops/OtherDialects.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"

namespace gridir {

/// The number of arrivals that complete a phase of a barrier.
int64_t getNumArrivals(KernelLowering &lowering, mlir::Value barrier);

/// The address of a barrier, as an i64.
mlir::FailureOr<mlir::Value> createBarrierAddress(mlir::OpBuilder &builder,
                                                  KernelLowering &lowering,
                                                  mlir::Operation *op,
                                                  mlir::Value barrier);

/// The number with which messages identify the location and the action of an
/// op.
mlir::Value createSite(mlir::OpBuilder &builder, KernelLowering &lowering,
                       mlir::Operation *op, const mlir::Twine &what);

/// A coordinate along a dimension of the kernel's grid, as an index.
using ClusterCoordinate = std::pair<unsigned, mlir::Value>;

/// The dimension of the blocks of a cluster along an axis.
mlir::FailureOr<unsigned> findClusterDim(KernelLowering &lowering,
                                         mlir::Operation *op,
                                         mlir::Attribute axis);

/// The same address in the block of the cluster with these coordinates.
mlir::Value createPeerAddress(mlir::OpBuilder &builder, mlir::Location loc,
                              KernelLowering &lowering, mlir::Value address,
                              llvm::ArrayRef<ClusterCoordinate> coordinates);

/// Arrives once at the barrier at that address; `site` is the number of the
/// access.
void createArrival(mlir::OpBuilder &builder, KernelLowering &lowering,
                   mlir::Operation *op, mlir::Value barrier,
                   mlir::Value address);

void populateWarpgroupBarrierPatterns(mlir::RewritePatternSet &patterns,
                                      KernelLowering &lowering);
void populateWarpgroupCopyPatterns(mlir::RewritePatternSet &patterns,
                                   KernelLowering &lowering);
void populateWarpgroupClusterPatterns(mlir::RewritePatternSet &patterns,
                                      KernelLowering &lowering);
void populateClusterLaunchPatterns(mlir::RewritePatternSet &patterns,
                                   KernelLowering &lowering);
void populateWarpgroupDevicePatterns(mlir::RewritePatternSet &patterns,
                                     KernelLowering &lowering);
void populateWarpPatterns(mlir::RewritePatternSet &patterns,
                          KernelLowering &lowering);
void populateCombinedStorePatterns(mlir::RewritePatternSet &patterns);

} // namespace gridir

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTOLOOPS_PATTERNS_H
