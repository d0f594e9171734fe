//===- UnmapLoops.cpp - run a mapped kernel as loops on a CPU -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Mapping/Passes.h"
#include "dialects/GPU/Transforms/MappedKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"

namespace gridir::gpu {
#define GEN_PASS_DEF_GPUUNMAPLOOPSPASS
#include "dialects/GPU/Mapping/Passes.h.inc"
} // namespace gridir::gpu

using namespace mlir;
using namespace gridir::gpu;

namespace {

class GPUUnmapLoopsPass
    : public gridir::gpu::impl::GPUUnmapLoopsPassBase<GPUUnmapLoopsPass> {
public:
  using GPUUnmapLoopsPassBase::GPUUnmapLoopsPassBase;

  void runOnOperation() override {
    for (auto module : getOperation().getOps<mlir::gpu::GPUModuleOp>()) {
      emitError(module.getLoc(),
                "expected loops over CTAs and threads, got the "
                "code of a thread, as of a warpgroup program; "
                "its stage 'program' runs on a CPU");
      return signalPassFailure();
    }
    SmallVector<scf::ForallOp> loops;
    SmallVector<Operation *> barriers;
    SmallVector<memref::MemorySpaceCastOp> casts;
    getOperation().walk([&](Operation *op) {
      if (isBlockLoop(op) || isThreadLoop(op))
        loops.push_back(cast<scf::ForallOp>(op));
      else if (isa<mlir::gpu::BarrierOp>(op))
        barriers.push_back(op);
      else if (auto cast = dyn_cast<memref::MemorySpaceCastOp>(op))
        casts.push_back(cast);
    });
    // One thread after another does all of a loop before the next one.
    for (Operation *barrier : barriers)
      barrier->erase();
    for (memref::MemorySpaceCastOp cast : casts)
      if (failed(useHostMemory(cast)))
        return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (scf::ForallOp loop : loops) {
      if (reverse && isThreadLoop(loop) &&
          !ShapedType::isDynamic(loop.getStaticUpperBound()[0]))
        reverseThreads(loop);
      rewriter.setInsertionPoint(loop);
      if (failed(scf::forallToForLoop(rewriter, loop)))
        return signalPassFailure();
      ++numLoops;
    }
  }

private:
  static LogicalResult useHostMemory(memref::MemorySpaceCastOp cast) {
    auto alloc = cast.getSource().getDefiningOp<memref::AllocOp>();
    if (!alloc || !alloc->hasOneUse())
      return cast.emitError("expected the cast of a buffer in shared memory");
    OpBuilder builder(alloc);
    Value buffer = memref::AllocOp::create(
        builder, alloc.getLoc(),
        llvm::cast<MemRefType>(cast.getDest().getType()));
    cast.getDest().replaceAllUsesWith(buffer);
    cast.erase();
    alloc.erase();
    return success();
  }

  static void reverseThreads(scf::ForallOp loop) {
    OpBuilder builder = OpBuilder::atBlockBegin(loop.getBody());
    Location loc = loop.getLoc();
    Value thread = loop.getInductionVar(0);
    int64_t count = loop.getStaticUpperBound()[0];
    Value last = arith::ConstantIndexOp::create(builder, loc, count - 1);
    auto reversed = arith::SubIOp::create(builder, loc, last, thread);
    thread.replaceAllUsesExcept(reversed, reversed);
  }
};

} // namespace
