//===- ResolveViews.cpp - views of memory as offsets and strides ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace gridir::cpu {
#define GEN_PASS_DEF_CPURESOLVEVIEWSPASS
#include "dialects/CPU/Transforms/Passes.h.inc"
} // namespace gridir::cpu

using namespace mlir;

namespace {

class CPUResolveViewsPass
    : public gridir::cpu::impl::CPUResolveViewsPassBase<CPUResolveViewsPass> {
public:
  using CPUResolveViewsPassBase::CPUResolveViewsPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> views;
    getOperation()->walk([&](Operation *op) {
      if (isa<ViewLikeOpInterface, memref::ExtractStridedMetadataOp,
              memref::ExtractAlignedPointerAsIndexOp>(op))
        views.push_back(op);
    });
    if (views.empty())
      return;
    numViews += views.size();
    RewritePatternSet patterns(&getContext());
    memref::populateExpandStridedMetadataPatterns(patterns);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    (void)applyOpPatternsGreedily(views, std::move(patterns), config);
  }
};

} // namespace
