//===- ClusterRanks.h - The blocks of a cluster by their ranks --*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_CLUSTERRANKS_H
#define GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_CLUSTERRANKS_H

#include "dialects/Conversion/WarpgroupToNVVM/Storage.h"
#include "dialects/Conversion/WarpgroupToNVVM/ThreadBuilders.h"
#include "dialects/Grid/IR/Grid.h"

namespace gridir::warpgroup_to_nvvm {

/// The axes of a cluster, and the ranks of its blocks.
class ClusterRanks {
public:
  /// `own` is the rank of the block that executes the code.
  ClusterRanks(grid::KernelOp kernel, mlir::OpBuilder &builder, mlir::Value own)
      : kernel(kernel), builder(builder), own(own) {}

  /// Reports attributes that are not axes of the cluster.
  llvm::LogicalResult checkAxes(mlir::Operation *op,
                                mlir::ArrayRef<mlir::StringAttr> axes);

  /// The number of CTAs along an axis, and the stride between their ranks.
  int64_t getSize(mlir::StringAttr axis);
  int64_t getStride(mlir::StringAttr axis);

  /// The coordinate of the block along an axis.
  mlir::Value createCoord(mlir::Location loc, mlir::StringAttr axis);

  /// The number of CTAs along axes that count as one; the rank of the CTA at
  /// `distance`, modulo that number, and that of the first.
  int64_t getNumAlong(mlir::ArrayAttr axes);
  mlir::Value createNeighbour(mlir::Location loc, mlir::ArrayAttr axes,
                              int64_t distance);
  mlir::Value createFirst(mlir::Location loc, mlir::ArrayAttr axes);

  /// The rank of the block at a coordinate along an axis, and along all others
  /// where the one of rank `from` is.
  mlir::Value createPeer(mlir::Location loc, mlir::Value from,
                         mlir::StringAttr axis, mlir::Value coord);

private:
  grid::KernelOp kernel;
  mlir::OpBuilder &builder;
  mlir::Value own;
};

/// An address in shared memory as the one of the same offset in another block.
mlir::Value createPeerAddress(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value address, mlir::Value rank);

/// The same window of another block's memory.
View createPeerView(mlir::OpBuilder &builder, mlir::Location loc,
                    const View &view, mlir::Value rank);

} // namespace gridir::warpgroup_to_nvvm

#endif // GRIDIR_DIALECTS_CONVERSION_WARPGROUPTONVVM_CLUSTERRANKS_H
