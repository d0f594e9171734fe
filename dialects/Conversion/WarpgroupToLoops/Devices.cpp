//===- Devices.cpp - Memory of other devices ------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToLoops/Peers.h"

using namespace mlir;
using namespace gridir;

namespace {

/// A pattern of an op on a Ref of another device, where it is as far from the
/// array's first element as here.
template <typename OpT> class DevicePattern : public PeerPattern<OpT> {
public:
  using PeerPattern<OpT>::PeerPattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    KernelLowering &lowering = this->lowering;
    Location loc = op.getLoc();
    FailureOr<Value> memref = this->getMemory(rewriter, op);
    FailureOr<Value> device = createDeviceNumber(
        rewriter, lowering, op, op.getDevice(), op.getDeviceIdType());
    if (failed(memref) || failed(device))
      return failure();
    Value there = createRuntimeCall(rewriter, loc, lowering, "gridirTaskLocate",
                                    {createAddress(rewriter, loc, *memref),
                                     *device, createI64(rewriter, loc, -1)},
                                    rewriter.getI64Type())
                      .front();
    replace(op, rewriter, there, *memref);
    return success();
  }

protected:
  virtual void replace(OpT op, PatternRewriter &rewriter, Value there,
                       Value memref) const = 0;
};

class DeviceLoadPattern : public DevicePattern<warpgroup::DeviceLoadOp> {
public:
  using DevicePattern::DevicePattern;

protected:
  void replace(warpgroup::DeviceLoadOp op, PatternRewriter &rewriter,
               Value there, Value memref) const override {
    rewriter.replaceOp(op, createLoad(rewriter, op, there, memref));
  }
};

class DeviceStorePattern : public DevicePattern<warpgroup::DeviceStoreOp> {
public:
  using DevicePattern::DevicePattern;

protected:
  void replace(warpgroup::DeviceStoreOp op, PatternRewriter &rewriter,
               Value there, Value memref) const override {
    createStore(rewriter, op, there, memref);
    rewriter.eraseOp(op);
  }
};

} // namespace

void gridir::populateWarpgroupDevicePatterns(RewritePatternSet &patterns,
                                             KernelLowering &lowering) {
  patterns.add<DeviceLoadPattern, DeviceStorePattern>(patterns.getContext(),
                                                      lowering);
}
