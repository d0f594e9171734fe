//===- DropMasks.cpp - Remove masks that all elements pass ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/Analysis/BlockAccess.h"
#include "dialects/Grid/Analysis/ElementRanges.h"
#include "dialects/Grid/Analysis/RefRegions.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDDROPMASKSPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;

namespace {

class GridDropMasksPass
    : public gridir::grid::impl::GridDropMasksPassBase<GridDropMasksPass> {
public:
  using GridDropMasksPassBase::GridDropMasksPassBase;

  void runOnOperation() override {
    SmallVector<RefAccessOpInterface> accesses;
    getOperation().getBodyRegion().walk([&](RefAccessOpInterface access) {
      if (isa<LoadOp, StoreOp>(access) && access.getAccessMask())
        accesses.push_back(access);
    });
    if (accesses.empty())
      return markAllAnalysesPreserved();
    BlockAccess blocks(getOperation());
    ElementRanges ranges(blocks.getValues());
    for (RefAccessOpInterface access : accesses) {
      if (!ranges.get(access.getAccessMask()).isConstant(1) ||
          mayBeOutside(access.getAccessedRef(), blocks))
        continue;
      if (auto load = dyn_cast<LoadOp>(*access)) {
        load.getMaskMutable().clear();
        load.getOtherMutable().clear();
      } else {
        cast<StoreOp>(*access).getMaskMutable().clear();
      }
      ++numDropped;
    }
    // The computation of a mask that nothing else uses.
    IRRewriter rewriter(&getContext());
    if (numDropped != 0)
      (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }

private:
  /// True if a Ref may be in a block outside of its array. Programs may access
  /// such a block with a mask only.
  static bool mayBeOutside(Value ref, BlockAccess &blocks) {
    KernelOp kernel = blocks.getKernel();
    return llvm::any_of(
        getRefRegions(ref, blocks.getValues()), [&](const RefRegion &region) {
          auto root = dyn_cast_if_present<BlockArgument>(region.root);
          if (!root || root.getOwner() != kernel.getBodyBlock() ||
              root.getArgNumber() >= kernel.getNumOperandSpecs())
            return !region.root;
          unsigned operand = root.getArgNumber();
          unsigned rank = kernel.getOperandSpec(operand).getRank();
          return llvm::any_of(llvm::seq(rank), [&](unsigned dim) {
            return blocks.liesOutside(operand, dim).kind != QueryResult::no;
          });
        });
  }
};

} // namespace
