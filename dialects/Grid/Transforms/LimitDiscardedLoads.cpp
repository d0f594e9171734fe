//===- LimitDiscardedLoads.cpp - positions of loads that may be unused ----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/Analysis/LoadedUses.h"
#include "dialects/Grid/Analysis/WindowPositions.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDLIMITDISCARDEDLOADSPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir::grid;

namespace {

class GridLimitDiscardedLoadsPass
    : public gridir::grid::impl::GridLimitDiscardedLoadsPassBase<
          GridLimitDiscardedLoadsPass> {
public:
  using GridLimitDiscardedLoadsPassBase::GridLimitDiscardedLoadsPassBase;

  void runOnOperation() override {
    ProgramValues values(getOperation());
    SmallVector<std::pair<SliceRefOp, unsigned>> found;
    getOperation().getBodyRegion().walk([&](SliceRefOp slice) {
      if (slice.getResult().use_empty() ||
          !isLoadedToDiscard(slice.getResult()))
        return;
      // A window with a part inside would have other elements elsewhere.
      for (unsigned dim : getUnprovedDims(slice, values))
        if (slice.getSizes()[dim] == 1 && getLastOffset(slice, dim) >= 0)
          found.emplace_back(slice, dim);
    });
    for (auto [slice, dim] : found)
      limitOffset(slice, dim);
    numLimited += found.size();
  }
};

} // namespace
