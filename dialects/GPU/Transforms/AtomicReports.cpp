//===- AtomicReports.cpp - let one thread of all write the error report ---===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/GPU/Transforms/MappedKernel.h"
#include "dialects/GPU/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"

namespace gridir::gpu {
#define GEN_PASS_DEF_GPUATOMICREPORTSPASS
#include "dialects/GPU/Transforms/Passes.h.inc"
} // namespace gridir::gpu

using namespace mlir;
using namespace gridir::gpu;

namespace {

/// The word of the report that is set by its writer.
constexpr int64_t kTaken = 3;

class GPUAtomicReportsPass
    : public gridir::gpu::impl::GPUAtomicReportsPassBase<GPUAtomicReportsPass> {
public:
  using GPUAtomicReportsPassBase::GPUAtomicReportsPassBase;

  void runOnOperation() override {
    if (isOutlined(getOperation()))
      return markAllAnalysesPreserved();
    FailureOr<func::FuncOp> kernel = getKernelFunction(getOperation());
    if (failed(kernel))
      return signalPassFailure();
    Value status = getStatus(*kernel);
    llvm::MapVector<Block *, SmallVector<Operation *>> reports;
    for (Operation *user : status.getUsers())
      if (auto store = dyn_cast<memref::StoreOp>(user))
        reports[store->getBlock()].push_back(store);
    for (auto &[block, stores] : reports) {
      // Users are in no order; the block has it.
      llvm::sort(stores, [](Operation *a, Operation *b) {
        return a->isBeforeInBlock(b);
      });
      guard(stores, status);
      ++numReports;
    }
  }

private:
  static void guard(ArrayRef<Operation *> stores, Value status) {
    OpBuilder builder(stores.back());
    Location loc = stores.back()->getLoc();
    Value index = arith::ConstantIndexOp::create(builder, loc, kTaken);
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 64);
    Value one = arith::ConstantIntOp::create(builder, loc, 1, 64);
    Value taken =
        memref::AtomicRMWOp::create(builder, loc, arith::AtomicRMWKind::assign,
                                    one, status, ValueRange{index});
    Value isFirst = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::eq, taken, zero);
    auto writes = scf::IfOp::create(builder, loc, isFirst,
                                    /*withElseRegion=*/false);
    for (Operation *store : stores)
      store->moveBefore(writes.thenYield());
  }
};

} // namespace
