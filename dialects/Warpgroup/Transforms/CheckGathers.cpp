//===- CheckGathers.cpp - Checks of indices that are data -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/Passes.h"

#include "dialects/Grid/Analysis/ElementRanges.h"
#include "dialects/Grid/Analysis/LoadedUses.h"
#include "dialects/Grid/Analysis/ProgramValues.h"
#include "dialects/Support/Builders.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Transforms/DataWindows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPCHECKGATHERSPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;

namespace {

class WarpgroupCheckGathersPass
    : public warpgroup::impl::WarpgroupCheckGathersPassBase<
          WarpgroupCheckGathersPass> {
public:
  using WarpgroupCheckGathersPassBase::WarpgroupCheckGathersPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel->hasAttr(warpgroup::kScheduleAttr))
      return markAllAnalysesPreserved();
    ProgramValues values(kernel);
    ElementRanges ranges(values);
    SmallVector<std::pair<GatherOp, SmallVector<unsigned>>> found;
    kernel.getBodyRegion().walk([&](GatherOp gather) {
      SmallVector<unsigned> unproved;
      for (auto [number, index] : llvm::enumerate(gather.getIndices()))
        if (!ranges.get(index).isIn(0, getExtent(gather, number) - 1))
          unproved.push_back(number);
      if (!unproved.empty())
        found.emplace_back(gather, std::move(unproved));
    });
    for (auto &[gather, unproved] : found)
      for (unsigned number : unproved)
        check(gather, number);
    numChecked += found.size();
  }

private:
  static int64_t getExtent(GatherOp gather, unsigned number) {
    return cast<MemRefType>(gather.getRef().getType())
        .getDimSize(gather.getDims()[number]);
  }

  /// As an unsigned number a negative index is too large.
  static void check(GatherOp gather, unsigned number) {
    OpBuilder builder(gather);
    Location loc = gather.getLoc();
    OpOperand &index = gather.getIndicesMutable()[number];
    // Elements that an author discards may be outside of the Ref.
    if (!mayBeDiscarded(gather))
      createAssert(builder, gather, number);
    Value last = createInteger(builder, loc, index.get().getType(),
                               getExtent(gather, number) - 1);
    index.set(arith::MinUIOp::create(builder, loc, index.get(), last));
  }

  /// Checks the largest of the indices whose mask is true.
  static void createAssert(OpBuilder &builder, GatherOp gather,
                           unsigned number) {
    Location loc = gather.getLoc();
    Value indices = gather.getIndices()[number];
    auto type = cast<RankedTensorType>(indices.getType());
    Type element = type.getElementType();
    if (Value mask = gather.getMask())
      indices = arith::SelectOp::create(builder, loc, mask, indices,
                                        createZero(builder, loc, type));
    Value init = createZero(builder, loc, RankedTensorType::get({}, element));
    auto largest = linalg::ReduceOp::create(
        builder, loc, indices, init,
        llvm::to_vector(llvm::seq<int64_t>(type.getRank())),
        [](OpBuilder &inner, Location loc, ValueRange values) {
          Value larger =
              arith::MaxUIOp::create(inner, loc, values[0], values[1]);
          linalg::YieldOp::create(inner, loc, larger);
        });
    Value found = tensor::ExtractOp::create(builder, loc, largest.getResult(0),
                                            ValueRange()),
          extent =
              createInteger(builder, loc, element, getExtent(gather, number)),
          isInside = arith::CmpIOp::create(
              builder, loc, arith::CmpIPredicate::ult, found, extent);
    AssertOp::create(builder, loc, isInside,
                     warpgroup::getBoundsMessage("index {0}",
                                                 gather.getDims()[number],
                                                 gather.getRef()),
                     ValueRange{toIndex(builder, loc, found),
                                toIndex(builder, loc, extent)});
  }
};

} // namespace
