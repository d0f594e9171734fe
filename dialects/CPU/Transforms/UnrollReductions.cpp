//===- UnrollReductions.cpp - unroll short loops over accumulators --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/Passes.h"
#include "dialects/CPU/Transforms/VectorTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPUUNROLLREDUCTIONSPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;
using gridir::cpu::VectorTarget;

namespace {

/// The longest body: a few operations on vectors, beside the computation of
/// indices, which is constant in each copy.
constexpr int64_t kMostOps = 8;

class CPUUnrollReductionsPass
    : public gridir::cpu::impl::CPUUnrollReductionsPassBase<
          CPUUnrollReductionsPass> {
public:
  using CPUUnrollReductionsPassBase::CPUUnrollReductionsPassBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (!isShort(loop))
        return;
      if (isLong(*loop.getBody())) {
        ++numLarge;
        return;
      }
      loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      (void)loopUnrollFull(loop);
      ++numUnrolled;
    }
  }

private:
  /// True for an innermost loop of a few iterations that carries accumulators.
  static bool isShort(scf::ForOp loop) {
    if (loop.getInitArgs().empty() ||
        !llvm::all_of(loop.getResultTypes(), llvm::IsaPred<VectorType>) ||
        llvm::any_of(*loop.getBody(),
                     [](Operation &op) { return op.getNumRegions() != 0; }))
      return false;
    std::optional<llvm::APInt> turns = loop.getStaticTripCount();
    return turns && turns->ugt(1) && turns->ule(VectorTarget::kStreams);
  }

  static bool isLong(Block &body) {
    return llvm::count_if(body.without_terminator(), [](Operation &op) {
             return !llvm::all_of(op.getResultTypes(),
                                  llvm::IsaPred<IndexType>);
           }) > kMostOps;
  }
};

} // namespace
