//===- GathersToWindows.cpp - Windows instead of consecutive indices ------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/Passes.h"

#include "dialects/Grid/Analysis/ElementPositions.h"
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
    for (RefAccessOpInterface access : accesses)
      if (std::optional<Window> window = match(access, reader, ranges))
        replace(access, *window);
    // The computation of indices that nothing else uses.
    IRRewriter rewriter(&getContext());
    if (numWindows != 0)
      (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }

private:
  static std::optional<Window> match(RefAccessOpInterface access,
                                     PositionReader &reader,
                                     ElementRanges &ranges) {
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
      if (!isInBounds(*positions, ref.getDimSize(dim) - window.sizes[dim],
                      ranges))
        return std::nullopt;
      window.offsets[dim] = *positions;
    }
    if (next != shape.size())
      return std::nullopt;
    return window;
  }

  /// True if the first position is between 0 and `last`.
  static bool isInBounds(const Positions &positions, int64_t last,
                         ElementRanges &ranges) {
    Interval first = Interval::constant(positions.constant);
    for (Value scalar : positions.scalars) {
      Interval range = ranges.get(scalar);
      bool isNarrow =
          scalar.getType().isIndex() || scalar.getType().isInteger(32);
      if (!isNarrow || !range.isIn(std::numeric_limits<int32_t>::min(),
                                   std::numeric_limits<int32_t>::max()))
        return false;
      first = {first.low + range.low, first.high + range.high};
    }
    return first.isIn(0, last);
  }

  void replace(RefAccessOpInterface access, const Window &window) {
    OpBuilder builder(access);
    Location loc = access.getLoc();
    auto ref = cast<MemRefType>(access.getAccessedRef().getType());
    SmallVector<int64_t> statics, shape;
    SmallVector<Value> offsets;
    for (auto [dim, offset] : llvm::enumerate(window.offsets)) {
      bool isStatic = offset.scalars.empty();
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
    if (offset.constant == 0)
      return sum;
    Value constant = arith::ConstantOp::create(
        builder, loc, builder.getI32IntegerAttr(offset.constant));
    return arith::AddIOp::create(builder, loc, sum, constant);
  }
};

} // namespace
