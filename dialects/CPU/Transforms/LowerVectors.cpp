//===- LowerVectors.cpp - vector ops as those that LLVM has ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/Passes.h"

#include "dialects/Loops/Transforms/BodyRewrites.h"
#include "dialects/Support/CountableTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPULOWERVECTORSPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;

namespace {

class CPULowerVectorsPass
    : public gridir::cpu::impl::CPULowerVectorsPassBase<CPULowerVectorsPass> {
public:
  using CPULowerVectorsPassBase::CPULowerVectorsPassBase;

  void runOnOperation() override {
    if (failed(gridir::verifyVectorSizes(getOperation())))
      return signalPassFailure();
    unsigned before = countVectorOps();
    if (before == 0)
      return;
    RewritePatternSet patterns(&getContext());
    vector::populateVectorToVectorCanonicalizationPatterns(patterns);
    vector::populateVectorContractLoweringPatterns(
        patterns, vector::VectorContractLowering::OuterProduct);
    vector::populateVectorTransposeLoweringPatterns(
        patterns, vector::VectorTransposeLowering::Shuffle1D);
    // A vector of more than one dimension is an array of vectors in LLVM.
    vector::populateVectorBitCastLoweringPatterns(patterns);
    vector::populateVectorBroadcastLoweringPatterns(patterns);
    vector::populateVectorFromElementsUnrollPatterns(patterns);
    vector::populateVectorGatherLoweringPatterns(patterns);
    vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
    vector::populateVectorInterleaveLoweringPatterns(patterns);
    vector::populateVectorRankReducingFMAPattern(patterns);
    vector::populateVectorShapeCastLoweringPatterns(patterns);
    vector::populateVectorStepLoweringPatterns(patterns);
    vector::populateVectorToElementsUnrollPatterns(patterns);
    vector::populateVectorTransferLoweringPatterns(patterns,
                                                   /*maxTransferRank=*/1);
    // The numbers of lanes fit into 32 bits.
    vector::populateVectorMaskMaterializationPatterns(
        patterns, /*force32BitVectorIndices=*/true);
    vector::populateVectorMaskOpLoweringPatterns(patterns);
    (void)gridir::loops::applyPatternsInBlocks(getOperation(),
                                               std::move(patterns));
    numOpsBefore += before;
    numOpsAfter += countVectorOps();
  }

private:
  unsigned countVectorOps() {
    unsigned count = 0;
    getOperation()->walk([&](Operation *op) {
      count += isa_and_nonnull<vector::VectorDialect>(op->getDialect());
    });
    return count;
  }
};

} // namespace
