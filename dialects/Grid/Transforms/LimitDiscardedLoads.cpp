//===- LimitDiscardedLoads.cpp - positions of loads that may be unused ----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/Analysis/LoadedUses.h"
#include "dialects/Grid/Analysis/ProgramValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

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
    SmallVector<std::pair<OpOperand *, int64_t>> found;
    getOperation().getBodyRegion().walk([&](SliceRefOp slice) {
      if (slice.getResult().use_empty() ||
          !isLoadedToDiscard(slice.getResult()))
        return;
      auto type = cast<MemRefType>(slice.getSource().getType());
      OpOperand *offset = slice.getOffsetsMutable().begin();
      for (auto [first, size, extent] : llvm::zip_equal(
               slice.getStaticOffsets(), slice.getSizes(), type.getShape())) {
        if (!ShapedType::isDynamic(first))
          continue;
        OpOperand &position = *offset++;
        // A window with a part inside would have other elements elsewhere.
        if (size == 1 && !ShapedType::isDynamic(extent) && extent > 0 &&
            !values.getRange(position.get()).isIn(0, extent - 1))
          found.emplace_back(&position, extent - 1);
      }
    });
    for (auto [position, last] : found)
      limit(*position, last);
    numLimited += found.size();
  }

private:
  static void limit(OpOperand &position, int64_t last) {
    Operation *owner = position.getOwner();
    OpBuilder builder(owner);
    Location loc = owner->getLoc();
    Type type = position.get().getType();
    auto getConstant = [&](int64_t number) {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getIntegerAttr(type, number));
    };
    Value notNegative =
        arith::MaxSIOp::create(builder, loc, position.get(), getConstant(0));
    position.set(
        arith::MinSIOp::create(builder, loc, notNegative, getConstant(last)));
  }
};

} // namespace
