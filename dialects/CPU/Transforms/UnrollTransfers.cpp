//===- UnrollTransfers.cpp - transfers of one dimension -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/Passes.h"
#include "dialects/CPU/Transforms/StridedTransfers.h"
#include "dialects/Support/CountableTypes.h"

#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPUUNROLLTRANSFERSPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;

namespace {

class CPUUnrollTransfersPass
    : public gridir::cpu::impl::CPUUnrollTransfersPassBase<
          CPUUnrollTransfersPass> {
public:
  using CPUUnrollTransfersPassBase::CPUUnrollTransfersPassBase;

  void runOnOperation() override {
    if (failed(gridir::verifyVectorSizes(getOperation())))
      return signalPassFailure();
    SmallVector<Operation *> transfers;
    getOperation()->walk([&](VectorTransferOpInterface transfer) {
      transfers.push_back(transfer);
    });
    numTransfers += transfers.size();
    RewritePatternSet patterns(&getContext());
    VectorTransferToSCFOptions options;
    options.enableFullUnroll();
    populateVectorToSCFConversionPatterns(patterns, options);
    gridir::cpu::populateStridedTransferPatterns(patterns);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    (void)applyOpPatternsGreedily(transfers, std::move(patterns), config);
  }
};

} // namespace
