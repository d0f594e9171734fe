//===- Rearrange.cpp - Bits and elements that change places ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Rearrange.h"
#include "dialects/Conversion/GridToLoops/Lowering.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {
namespace {

template <typename Op> class RearrangePattern : public LoweringPattern<Op> {
public:
  using LoweringPattern<Op>::LoweringPattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, createRearranged(rewriter, op));
    return success();
  }
};

} // namespace

void populateRearrangePatterns(RewritePatternSet &patterns,
                               KernelLowering &lowering) {
  patterns.add<RearrangePattern<BitcastOp>, RearrangePattern<RotateOp>>(
      patterns.getContext(), lowering);
}

} // namespace gridir
