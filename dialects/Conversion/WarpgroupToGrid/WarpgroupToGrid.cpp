//===- WarpgroupToGrid.cpp - What is done at once, as ops of grid -------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/Passes.h"
#include "dialects/Conversion/WarpgroupToGrid/Patterns.h"

#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace gridir {
#define GEN_PASS_DEF_CONVERTWARPGROUPTOGRIDPASS
#include "dialects/Conversion/Passes.h.inc"
} // namespace gridir

using namespace mlir;

namespace {

/// Counts erased ops.
struct Listener : RewriterBase::Listener {
  void notifyOperationErased(Operation *op) override { ++numReplaced; }
  unsigned numReplaced = 0;
};

class ConvertWarpgroupToGridPass
    : public gridir::impl::ConvertWarpgroupToGridPassBase<
          ConvertWarpgroupToGridPass> {
public:
  using ConvertWarpgroupToGridPassBase::ConvertWarpgroupToGridPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    gridir::populateRowCopyPatterns(patterns);
    gridir::populateWarpgroupProductPatterns(patterns);
    gridir::populateTensorMemoryPatterns(patterns);
    Listener listener;
    walkAndApplyPatterns(getOperation(), std::move(patterns), &listener);
    numConverted = listener.numReplaced;
    if (listener.numReplaced == 0)
      markAllAnalysesPreserved();
  }
};

} // namespace
