//===- SliceModels.cpp - Layouts of windows of arrays ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Inference/LayoutModels.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gridir::warpgroup;

std::optional<Coordinates>
gridir::warpgroup::getWindowTile(OffsetSizeAndStrideOpInterface op, Shape shape,
                                 Shape window) {
  Coordinates tile;
  for (auto [offset, size, stride, whole] :
       llvm::zip_equal(op.getStaticOffsets(), op.getStaticSizes(),
                       op.getStaticStrides(), shape)) {
    if (ShapedType::isDynamic(offset) || stride != 1)
      return std::nullopt;
    int64_t all = offset | size | whole;
    tile.push_back(all & -all);
  }
  // A value with fewer dimensions has other tiles.
  if (window.size() != shape.size())
    return std::nullopt;
  Layout layout = Layout::blocked(tile, 4);
  if (layout.isSplat() || layout.getReplication() != 1)
    return std::nullopt;
  return tile;
}

/// If the window consists of whole tiles of a layout, each thread already holds
/// its part.
static void deriveWindow(LayoutFrame::Part &window, Coordinates tile) {
  window.isEqual = false;
  window.derive =
      window.lift = [tile](const Layout &layout) -> std::optional<Layout> {
    if (layout.isSplat())
      return layout;
    if (layout.getTile().size() != tile.size() ||
        llvm::any_of(llvm::zip(tile, layout.getTile()), [](auto sizes) {
          return std::get<0>(sizes) % std::get<1>(sizes) != 0;
        }))
      return std::nullopt;
    return layout;
  };
}

namespace {

struct ExtractSliceModel
    : LayoutOpInterface::ExternalModel<ExtractSliceModel,
                                       tensor::ExtractSliceOp> {
  LogicalResult getLayoutFrames(Operation *op,
                                SmallVectorImpl<LayoutFrame> &frames) const {
    auto slice = cast<tensor::ExtractSliceOp>(op);
    Shape shape = slice.getSourceType().getShape();
    std::optional<Coordinates> tile =
        getWindowTile(slice, shape, slice.getType().getShape());
    if (!tile)
      return refuseTensors(op);
    LayoutFrame &frame = frames.emplace_back(op, shape);
    frame.addEqual(slice.getSourceMutable());
    frame.preferred.push_back(Layout::blocked(*tile, 4));
    deriveWindow(frame.addEqual(slice.getResult()), *tile);
    return success();
  }
};

struct InsertSliceModel
    : LayoutOpInterface::ExternalModel<InsertSliceModel,
                                       tensor::InsertSliceOp> {
  LogicalResult getLayoutFrames(Operation *op,
                                SmallVectorImpl<LayoutFrame> &frames) const {
    auto slice = cast<tensor::InsertSliceOp>(op);
    Coordinates shape(slice.getType().getShape());
    std::optional<Coordinates> tile =
        getWindowTile(slice, shape, slice.getSourceType().getShape());
    if (!tile)
      return refuseTensors(op);
    LayoutFrame &frame = frames.emplace_back(op, shape);
    frame.addEqual(slice.getDestMutable());
    frame.addEqual(slice.getResult());
    frame.accepts = [=](const Layout &layout) {
      return holdsEach(layout, shape);
    };
    frame.preferred.push_back(Layout::blocked(*tile, 4));
    deriveWindow(frame.addEqual(slice.getSourceMutable()), *tile);
    return success();
  }
};

/// The position of a single element then differs.
struct InsertModel
    : LayoutOpInterface::ExternalModel<InsertModel, tensor::InsertOp> {
  LogicalResult getLayoutFrames(Operation *op,
                                SmallVectorImpl<LayoutFrame> &frames) const {
    auto insert = cast<tensor::InsertOp>(op);
    Coordinates shape(insert.getType().getShape());
    LayoutFrame &frame = frames.emplace_back(op, shape);
    frame.addEqual(insert.getDestMutable());
    frame.addEqual(insert.getResult());
    frame.accepts = [=](const Layout &layout) {
      return holdsEach(layout, shape);
    };
    return success();
  }
};

} // namespace

void gridir::warpgroup::attachSliceModels(MLIRContext &context) {
  tensor::ExtractSliceOp::attachInterface<ExtractSliceModel>(context);
  tensor::InsertOp::attachInterface<InsertModel>(context);
  tensor::InsertSliceOp::attachInterface<InsertSliceModel>(context);
}
