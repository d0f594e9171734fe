//===- CheckWindows.cpp - Checks of windows at positions that are data ----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/Passes.h"

#include "dialects/Grid/Analysis/LoadedUses.h"
#include "dialects/Grid/Analysis/WindowPositions.h"
#include "dialects/Grid/IR/KernelParams.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Transforms/DataWindows.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPCHECKWINDOWSPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;

namespace {

class WarpgroupCheckWindowsPass
    : public warpgroup::impl::WarpgroupCheckWindowsPassBase<
          WarpgroupCheckWindowsPass> {
public:
  using WarpgroupCheckWindowsPassBase::WarpgroupCheckWindowsPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel->hasAttr(warpgroup::kScheduleAttr))
      return markAllAnalysesPreserved();
    ProgramValues values(kernel);
    SmallVector<std::pair<SliceRefOp, SmallVector<unsigned>>> found;
    kernel.getBodyRegion().walk([&](SliceRefOp slice) {
      SmallVector<unsigned> dims = getUnprovedDims(slice, values);
      if (!dims.empty())
        found.emplace_back(slice, std::move(dims));
    });
    bool isDisabled = disablesBoundsChecks(kernel);
    for (auto &[slice, dims] : found) {
      bool isUnchecked = isUnobserved(slice, isDisabled);
      for (unsigned dim : dims)
        if (isUnchecked && slice.getSizes()[dim] == 1)
          limitOffset(slice, dim);
        else
          check(slice, dim);
    }
    numChecked += found.size();
  }

private:
  /// True for a window that is only loaded from, if the values may be discarded
  /// or the author disabled checks: those from outside of its Ref are any
  /// values. A window with a part inside cannot be moved for them.
  static bool isUnobserved(SliceRefOp slice, bool isDisabled) {
    Value window = slice.getResult();
    return !window.use_empty() &&
           (isLoadedToDiscard(window) ||
            (isDisabled &&
             llvm::all_of(window.getUsers(), llvm::IsaPred<LoadOp>)));
  }

  static void check(SliceRefOp slice, unsigned dim) {
    OpBuilder builder(slice);
    int64_t size = slice.getSizes()[dim];
    std::string subject = size == 1 ? std::string("index {0}")
                                    : "a slice of " + std::to_string(size) +
                                          " elements from index {0}";
    OpOperand &offset = getOffset(slice, dim);
    offset.set(warpgroup::createCheckedIndex(
        builder, slice.getLoc(), offset.get(), getLastOffset(slice, dim),
        cast<MemRefType>(slice.getSource().getType()).getDimSize(dim),
        warpgroup::getBoundsMessage(subject, dim, slice)));
  }
};

} // namespace
