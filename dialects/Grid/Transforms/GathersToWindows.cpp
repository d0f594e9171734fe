//===- GathersToWindows.cpp - Windows instead of consecutive indices ------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/Analysis/MaskBounds.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

namespace gridir::grid {
#define GEN_PASS_DEF_GRIDGATHERSTOWINDOWSPASS
#include "dialects/Grid/Transforms/Passes.h.inc"
} // namespace gridir::grid

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;

namespace {

/// The window that an access at indices is of.
struct Window {
  /// For each dimension of the Ref: the first position, and the extent.
  SmallVector<Positions> offsets;
  SmallVector<int64_t> sizes;
  SmallVector<int64_t> dropped;
};

class GridGathersToWindowsPass
    : public gridir::grid::impl::GridGathersToWindowsPassBase<
          GridGathersToWindowsPass> {
public:
  using GridGathersToWindowsPassBase::GridGathersToWindowsPassBase;

  void runOnOperation() override {
    SmallVector<RefAccessOpInterface> accesses;
    getOperation().getBodyRegion().walk([&](RefAccessOpInterface access) {
      auto scatter = dyn_cast<ScatterOp>(*access);
      if (isa<GatherOp>(access) || (scatter && !scatter.getAdd()))
        accesses.push_back(access);
    });
    if (accesses.empty())
      return markAllAnalysesPreserved();
    ProgramValues values(getOperation());
    ElementRanges ranges(values);
    PositionReader reader(ranges);
    MaskBounds bounds(reader, ranges);
    for (RefAccessOpInterface access : accesses)
      if (std::optional<Window> window = match(access, reader, bounds))
        replace(access, *window);
    // The computation of indices that nothing else uses.
    IRRewriter rewriter(&getContext());
    if (numWindows != 0)
      (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }

private:
  static std::optional<Window> match(RefAccessOpInterface access,
                                     PositionReader &reader,
                                     MaskBounds &bounds) {
    auto ref = cast<MemRefType>(access.getAccessedRef().getType());
    ValueRange indices = access.getAccessIndices();
    ArrayRef<int64_t> dims = access.getAccessDims();
    // The dimensions of the indices come first in the value, and a mask has no
    // others.
    if (indices.empty() || !llvm::is_sorted(dims) ||
        dims.back() + 1 != static_cast<int64_t>(dims.size()) ||
        (access.getAccessMask() &&
         static_cast<int64_t>(dims.size()) != ref.getRank()))
      return std::nullopt;
    auto shape = cast<RankedTensorType>(indices.front().getType()).getShape();
    Window window;
    window.sizes.assign(ref.getShape().begin(), ref.getShape().end());
    window.offsets.resize(ref.getRank());
    // The dimensions of the value are those of the window, in order.
    unsigned next = 0;
    for (auto [dim, index] : llvm::zip_equal(dims, indices)) {
      std::optional<Positions> positions;
      if (getElementTypeOrSelf(index.getType()).isInteger(32))
        positions = reader.read(index);
      if (!positions)
        return std::nullopt;
      window.sizes[dim] = 1;
      bool isDropped = true;
      for (auto [d, step] : llvm::enumerate(positions->steps)) {
        if (shape[d] == 1 || step == 0)
          continue;
        if (step != 1 || d != next || !isDropped)
          return std::nullopt;
        window.sizes[dim] = shape[d];
        isDropped = false;
      }
      // A dimension of one element is one of the window, too.
      if (isDropped && next < shape.size() && shape[next] == 1)
        isDropped = false;
      if (isDropped)
        window.dropped.push_back(dim);
      else
        ++next;
      if (!bounds.areInside(access.getAccessMask(), *positions, shape,
                            ref.getDimSize(dim)))
        return std::nullopt;
      window.offsets[dim] = *positions;
    }
    if (next != shape.size())
      return std::nullopt;
    return window;
  }

  void replace(RefAccessOpInterface access, const Window &window) {
    OpBuilder builder(access);
    Location loc = access.getLoc();
    auto ref = cast<MemRefType>(access.getAccessedRef().getType());
    SmallVector<int64_t> statics, shape;
    SmallVector<Value> offsets;
    for (auto [dim, offset] : llvm::enumerate(window.offsets)) {
      // A window at a static offset is inside of the Ref.
      bool isStatic =
          offset.scalars.empty() && offset.constant >= 0 &&
          offset.constant + window.sizes[dim] <= ref.getDimSize(dim);
      statics.push_back(isStatic ? offset.constant : ShapedType::kDynamic);
      if (!isStatic)
        offsets.push_back(createSum(builder, loc, offset));
      if (!llvm::is_contained(window.dropped, static_cast<int64_t>(dim)))
        shape.push_back(window.sizes[dim]);
    }
    auto type =
        MemRefType::get(shape, ref.getElementType(),
                        MemRefLayoutAttrInterface(), ref.getMemorySpace());
    Value view = builder.createOrFold<SliceRefOp>(
        loc, type, access.getAccessedRef(), offsets, statics, window.sizes,
        SmallVector<int64_t>(ref.getRank(), 1), window.dropped);
    if (auto gather = dyn_cast<GatherOp>(*access)) {
      gather.replaceAllUsesWith(
          LoadOp::create(builder, loc, gather.getResult().getType(), view,
                         gather.getMask(), gather.getOther())
              .getResult());
    } else {
      auto scatter = cast<ScatterOp>(*access);
      StoreOp::create(builder, loc, scatter.getValue(), view,
                      scatter.getMask());
    }
    access->erase();
    ++numWindows;
  }

  static Value createSum(OpBuilder &builder, Location loc,
                         const Positions &offset) {
    Type type = builder.getI32Type();
    Value sum;
    for (Value scalar : offset.scalars) {
      if (scalar.getType().isIndex())
        scalar = arith::IndexCastOp::create(builder, loc, type, scalar);
      sum = sum ? arith::AddIOp::create(builder, loc, sum, scalar) : scalar;
    }
    if (sum && offset.constant == 0)
      return sum;
    Value constant = arith::ConstantOp::create(
        builder, loc, builder.getI32IntegerAttr(offset.constant));
    return sum ? arith::AddIOp::create(builder, loc, sum, constant) : constant;
  }
};

} // namespace
