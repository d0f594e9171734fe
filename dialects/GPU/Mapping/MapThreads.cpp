//===- MapThreads.cpp - share the work of a CTA among its threads ---------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Mapping/Passes.h"
#include "dialects/GPU/Mapping/SharedLoops.h"
#include "dialects/GPU/Mapping/ThreadLoops.h"
#include "dialects/GPU/Transforms/MappedKernel.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace gridir::gpu {
#define GEN_PASS_DEF_GPUMAPTHREADSPASS
#include "dialects/GPU/Mapping/Passes.h.inc"
} // namespace gridir::gpu

using namespace mlir;
using namespace gridir::gpu;

namespace {

class GPUMapThreadsPass
    : public gridir::gpu::impl::GPUMapThreadsPassBase<GPUMapThreadsPass> {
public:
  using GPUMapThreadsPassBase::GPUMapThreadsPassBase;

  void runOnOperation() override {
    if (isOutlined(getOperation()))
      return markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    FailureOr<func::FuncOp> kernel = getKernelFunction(module);
    if (failed(kernel))
      return signalPassFailure();
    FailureOr<scf::ForallOp> ctas = getBlockLoop(*kernel);
    if (failed(ctas))
      return signalPassFailure();
    int64_t warps = numWarps;
    gridir::kernel::MappingAttr mapping = getMapping(module);
    if (warps == 0)
      warps = mapping ? mapping.getNumWarps().value_or(4) : 4;
    if (warps < 1 || warps > 32) {
      module.emitError("expected from 1 to 32 warps in a CTA, got ") << warps;
      return signalPassFailure();
    }
    int64_t numThreads = 32 * warps;
    if (mapping)
      reductionBytes = mapping.getReductionScratchBytes();
    status = getStatus(*kernel);
    shareLoops(*ctas, numThreads);
    for (Operation *op : collectWriters(*ctas))
      if (failed(map(op, numThreads)))
        return signalPassFailure();
    if (failed(checkShared(*ctas)))
      return signalPassFailure();
    insertBarriers(*ctas);
    gridir::kernel::getABI(module)->setNumThreads(numThreads);
  }

private:
  /// The outermost loops that threads can share as they are.
  void shareLoops(scf::ForallOp ctas, int64_t numThreads) {
    SmallVector<scf::ForOp> loops;
    ctas.getBody()->walk<WalkOrder::PreOrder>(
        [&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (!loop->getParentOfType<scf::ForallOp>() ||
          isBlockLoop(loop->getParentOfType<scf::ForallOp>()))
        numSharedLoops += shareLoop(loop, status, numThreads);
  }

  /// Every thread may write the error report.
  bool isReport(Operation *op) const {
    auto store = dyn_cast<memref::StoreOp>(op);
    return store && store.getMemRef() == status;
  }

  SmallVector<Operation *> collectWriters(scf::ForallOp ctas) {
    SmallVector<Operation *> writers;
    ctas.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isThreadLoop(op))
        return WalkResult::skip();
      if (!(isa<linalg::LinalgOp, memref::CopyOp, memref::StoreOp>(op) ||
            (isPrint(op) && op->use_empty())) ||
          isReport(op))
        return WalkResult::advance();
      writers.push_back(op);
      return WalkResult::skip();
    });
    return writers;
  }

  /// Distributes one op. One thread executes a scalar store or a print. A
  /// reduction with few results is split, so that several threads compute
  /// partial results of each. Otherwise each thread computes whole elements of
  /// the result.
  LogicalResult map(Operation *op, int64_t numThreads) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    if (isa<memref::StoreOp>(op) || isPrint(op)) {
      // All threads have the value, and one of them stores or prints it.
      createThreadLoop(
          builder, loc, numThreads, builder.getIndexAttr(1),
          [&](OpBuilder &builder, Location, Value) { builder.clone(*op); });
      op->erase();
      ++numScalarStores;
      return success();
    }
    if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      if (!isa<MemRefType>(copy.getSource().getType()) ||
          !isa<MemRefType>(copy.getTarget().getType()))
        return op->emitError("expected memrefs of known rank to copy, got ")
               << copy.getSource().getType() << " and "
               << copy.getTarget().getType();
      op = linalg::makeMemRefCopyOp(builder, loc, copy.getSource(),
                                    copy.getTarget());
      copy.erase();
      builder.setInsertionPoint(op);
    }
    auto linalgOp = cast<linalg::LinalgOp>(op);
    if (!linalgOp.hasPureBufferSemantics())
      return op->emitError("expected memrefs to share among threads, got "
                           "tensors; bufferize the kernel first");
    if (std::optional<SplitReduction> split =
            matchSplitReduction(linalgOp, numThreads)) {
      if (reductionBytes && split->bytes > *reductionBytes)
        return op->emitError("expected reduction_scratch_bytes of at least ")
               << split->bytes << " for this reduction, got "
               << *reductionBytes;
      createSplitReduction(builder, linalgOp, *split, numThreads);
      ++numSplitReductions;
    } else {
      createElementLoops(builder, linalgOp, numThreads);
    }
    op->erase();
    ++numThreadLoops;
    return success();
  }

  /// All other code is run by every thread, so it must not write.
  LogicalResult checkShared(scf::ForallOp ctas) {
    WalkResult result =
        ctas.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
          if (isThreadLoop(op))
            return WalkResult::skip();
          if (isReport(op) ||
              op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
              op->hasTrait<OpTrait::IsTerminator>() ||
              isa<memref::LoadOp, memref::AllocOp, memref::AllocaOp,
                  mlir::gpu::BarrierOp>(op) ||
              isMemoryEffectFree(op))
            return WalkResult::advance();
          op->emitError("expected an operation that the threads of a CTA can "
                        "share, got '")
              << op->getName() << "'";
          return WalkResult::interrupt();
        });
    return failure(result.wasInterrupted());
  }

  /// The barrier after a loop over threads makes its stores visible to all
  /// threads. A barrier before a loop is needed only if all threads have read
  /// elements since the last barrier that the loop may overwrite.
  void insertBarriers(scf::ForallOp ctas) {
    SmallVector<Operation *> loops;
    ctas.getBody()->walk([&](scf::ForallOp loop) {
      if (isThreadLoop(loop))
        loops.push_back(loop);
    });
    for (Operation *loop : loops) {
      OpBuilder builder(loop);
      if (mayFollowRead(loop, ctas)) {
        mlir::gpu::BarrierOp::create(builder, loop->getLoc());
        ++numBarriers;
      }
      builder.setInsertionPointAfter(loop);
      mlir::gpu::BarrierOp::create(builder, loop->getLoc());
      ++numBarriers;
    }
  }

  bool mayFollowRead(Operation *loop, scf::ForallOp ctas) const {
    auto reads = [&](memref::LoadOp load) {
      return load.getMemRef() != status ? WalkResult::interrupt()
                                        : WalkResult::advance();
    };
    for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode()) {
      if (isa<mlir::gpu::BarrierOp>(op))
        return false;
      if (op->walk(reads).wasInterrupted())
        return true;
    }
    return loop->getBlock() != ctas.getBody();
  }

  std::optional<int64_t> reductionBytes;
  Value status;
};

} // namespace
