//===- ClusterRanks.cpp - The blocks of a cluster by their ranks ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/ClusterRanks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

LogicalResult ClusterRanks::checkAxes(Operation *op,
                                      ArrayRef<StringAttr> axes) {
  for (StringAttr axis : axes) {
    std::optional<unsigned> dim = kernel.findDim(axis);
    if (!dim || kernel.getDim(*dim).getKind() != grid::DimKind::Cluster)
      return op->emitError("expected an axis of the cluster, got ")
             << axis.getValue();
  }
  return success();
}

int64_t ClusterRanks::getSize(StringAttr axis) {
  return kernel.getDim(*kernel.findDim(axis)).getSize();
}

int64_t ClusterRanks::getStride(StringAttr axis) {
  int64_t stride = 1;
  for (unsigned i = *kernel.findDim(axis) + 1; i < kernel.getRank(); ++i)
    if (kernel.getDim(i).getKind() == grid::DimKind::Cluster)
      stride *= kernel.getDim(i).getSize();
  return stride;
}

Value ClusterRanks::createCoord(Location loc, StringAttr axis) {
  Value coord = arith::DivUIOp::create(
      builder, loc, own, createI32(builder, loc, getStride(axis)));
  return arith::RemUIOp::create(builder, loc, coord,
                                createI32(builder, loc, getSize(axis)));
}

int64_t ClusterRanks::getNumAlong(ArrayAttr axes) {
  int64_t count = 1;
  for (auto axis : axes.getAsRange<StringAttr>())
    count *= getSize(axis);
  return count;
}

Value ClusterRanks::createNeighbour(Location loc, ArrayAttr axes,
                                    int64_t distance) {
  Value rank = own;
  for (auto axis : llvm::reverse(axes.getAsRange<StringAttr>())) {
    int64_t size = getSize(axis), step = distance % size;
    distance /= size;
    if (step == 0)
      continue;
    Value other = arith::AddIOp::create(builder, loc, createCoord(loc, axis),
                                        createI32(builder, loc, step));
    other = arith::RemUIOp::create(builder, loc, other,
                                   createI32(builder, loc, size));
    rank = createPeer(loc, rank, axis, other);
  }
  return rank;
}

Value ClusterRanks::createFirst(Location loc, ArrayAttr axes) {
  Value rank = own;
  for (auto axis : axes.getAsRange<StringAttr>())
    rank = createPeer(loc, rank, axis, createI32(builder, loc, 0));
  return rank;
}

Value ClusterRanks::createPeer(Location loc, Value from, StringAttr axis,
                               Value coord) {
  Value difference =
      arith::SubIOp::create(builder, loc, coord, createCoord(loc, axis));
  difference = arith::MulIOp::create(builder, loc, difference,
                                     createI32(builder, loc, getStride(axis)));
  return arith::AddIOp::create(builder, loc, from, difference);
}

Value createPeerAddress(OpBuilder &builder, Location loc, Value address,
                        Value rank) {
  auto remote = LLVM::LLVMPointerType::get(
      builder.getContext(),
      static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  return NVVM::MapaOp::create(builder, loc, remote, address, rank);
}

View createPeerView(OpBuilder &builder, Location loc, const View &view,
                    Value rank) {
  View peer = view;
  peer.storage = std::make_shared<Storage>(*view.storage);
  peer.storage->base =
      createPeerAddress(builder, loc, view.storage->base, rank);
  return peer;
}

} // namespace gridir::warpgroup_to_nvvm
