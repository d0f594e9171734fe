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
#include "dialects/Support/Builders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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
    // Other kernels are mapped to threads, which check each element.
    if (gathers && !hasProducts(getOperation()))
      return markAllAnalysesPreserved();
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
    if (gathers)
      gatherWindows(values);
  }

private:
  static bool hasProducts(KernelOp kernel) {
    return kernel.getBodyRegion()
        .walk([](DotOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  /// Loads the elements of windows one by one, each at the nearest position
  /// inside of the Ref, if only some of them may be inside.
  void gatherWindows(ProgramValues &values) {
    SmallVector<SliceRefOp> windows;
    getOperation().getBodyRegion().walk([&](SliceRefOp slice) {
      auto isPlain = [](Operation *user) {
        auto load = dyn_cast<LoadOp>(user);
        return load && !load.getMask() && isa<RankedTensorType>(load.getType());
      };
      auto source = cast<MemRefType>(slice.getSource().getType());
      if (!slice.getResult().use_empty() && source.hasStaticShape() &&
          !llvm::is_contained(source.getShape(), 0) &&
          llvm::all_of(slice.getResult().getUsers(), isPlain) &&
          isLoadedToDiscard(slice.getResult()) &&
          !getUnprovedDims(slice, values).empty())
        windows.push_back(slice);
    });
    for (SliceRefOp slice : windows)
      gather(slice);
    numGathered += windows.size();
  }

  static void gather(SliceRefOp slice) {
    OpBuilder builder(slice);
    Location loc = slice.getLoc();
    auto shape = cast<MemRefType>(slice.getType()).getShape();
    SmallVector<Value> indices;
    SmallVector<int64_t> dims;
    unsigned next = 0;
    for (unsigned dim = 0; dim < slice.getSizes().size(); ++dim) {
      bool isDropped = llvm::is_contained(slice.getDropped(), dim);
      indices.push_back(createPositions(
          builder, loc, slice, dim,
          isDropped ? std::nullopt : std::optional(next++), shape));
      dims.push_back(dim);
    }
    for (Operation *user : llvm::make_early_inc_range(slice->getUsers())) {
      auto load = cast<LoadOp>(user);
      builder.setInsertionPoint(load);
      Value loaded =
          GatherOp::create(builder, load.getLoc(), load.getType(),
                           slice.getSource(), indices, dims, Value(), Value());
      load.getResult().replaceAllUsesWith(loaded);
      load.erase();
    }
    slice.erase();
  }

  /// The positions of a window's elements along a dimension of its Ref, each
  /// the nearest one inside of it, in the shape of the window.
  static Value createPositions(OpBuilder &builder, Location loc,
                               SliceRefOp slice, unsigned dim,
                               std::optional<unsigned> along,
                               ArrayRef<int64_t> shape) {
    Type element = builder.getI32Type();
    auto createConstant = [&](int64_t number) -> Value {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getIntegerAttr(element, number));
    };
    int64_t first = slice.getStaticOffsets()[dim];
    Value offset =
        ShapedType::isDynamic(first)
            ? gridir::toI32(builder, loc, getOffset(slice, dim).get())
            : createConstant(first);
    int64_t extent =
        cast<MemRefType>(slice.getSource().getType()).getDimSize(dim);
    int64_t span = (slice.getSizes()[dim] - 1) * slice.getStrides()[dim];
    // No sum wraps around.
    offset =
        arith::MaxSIOp::create(builder, loc, offset, createConstant(-span - 1));
    offset =
        arith::MinSIOp::create(builder, loc, offset, createConstant(extent));
    auto type = RankedTensorType::get(shape, element);
    Value empty = tensor::EmptyOp::create(builder, loc, shape, element);
    auto map = builder.getMultiDimIdentityMap(shape.size());
    SmallVector<utils::IteratorType> kinds(shape.size(),
                                           utils::IteratorType::parallel);
    int64_t stride = slice.getStrides()[dim];
    Value steps =
        linalg::GenericOp::create(
            builder, loc, type, ValueRange(), ValueRange(empty), map, kinds,
            [&](OpBuilder &body, Location loc, ValueRange) {
              Value step = arith::ConstantIntOp::create(body, loc, 0, 32);
              if (along) {
                Value index = linalg::IndexOp::create(body, loc, *along);
                step = arith::MulIOp::create(
                    body, loc,
                    arith::IndexCastOp::create(body, loc, element, index),
                    arith::ConstantIntOp::create(body, loc, stride, 32));
              }
              linalg::YieldOp::create(body, loc, step);
            })
            .getResult(0);
    auto createSplat = [&](int64_t number) -> Value {
      return arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(type, builder.getI32IntegerAttr(number)));
    };
    Value start =
        linalg::FillOp::create(builder, loc, offset, empty).getResult(0);
    Value position = arith::AddIOp::create(builder, loc, start, steps);
    position = arith::MaxSIOp::create(builder, loc, position, createSplat(0));
    return arith::MinSIOp::create(builder, loc, position,
                                  createSplat(extent - 1));
  }
};

} // namespace
