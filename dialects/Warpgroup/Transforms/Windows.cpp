//===- Windows.cpp - Windows that no layout has ---------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/Windows.h"

#include "dialects/Warpgroup/Inference/LayoutModels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace gridir::warpgroup;

namespace {

using Reassociation = SmallVector<ReassociationIndices>;

/// The dimensions of `full` that are one of `reduced`, which lacks some of size
/// 1.
std::optional<Reassociation> getReassociation(Shape full, Shape reduced) {
  if (reduced.empty())
    return Reassociation();
  return getReassociationIndicesForCollapse(full, reduced);
}

Value createIndex(OpBuilder &builder, Location loc, int64_t number) {
  return arith::ConstantIndexOp::create(builder, loc, number);
}

/// Creates an array of the type of `op`, with elements that `body` computes
/// from their indices and, with `init`, from the old element.
Value createElements(OpBuilder &builder, Operation *op, Value init,
                     function_ref<Value(OpBuilder &, ValueRange, Value)> body) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Value empty = tensor::EmptyOp::create(builder, loc, type, ValueRange());
  AffineMap map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<Value> inputs;
  if (init)
    inputs.push_back(init);
  SmallVector<AffineMap> maps(inputs.size() + 1, map);
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, type, inputs, empty, maps, loops,
             [&](OpBuilder &b, Location loc, ValueRange arguments) {
               SmallVector<Value> indices;
               for (int64_t d = 0; d < type.getRank(); ++d)
                 indices.push_back(linalg::IndexOp::create(b, loc, d));
               linalg::YieldOp::create(b, loc,
                                       body(b, indices, arguments.front()));
             })
      .getResult(0);
}

SmallVector<Value> getOffsets(OpBuilder &builder,
                              OffsetSizeAndStrideOpInterface op) {
  return llvm::map_to_vector(op.getMixedOffsets(), [&](OpFoldResult offset) {
    return getValueOrCreateConstantIndexOp(builder, op->getLoc(), offset);
  });
}

Value rewrite(tensor::ExtractSliceOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<int64_t> sizes(op.getStaticSizes());
  RankedTensorType type = op.getType();
  std::optional<Reassociation> groups =
      getReassociation(sizes, type.getShape());
  if (groups && getWindowTile(op, op.getSourceType().getShape(), sizes)) {
    Value full = tensor::ExtractSliceOp::create(
        builder, loc, RankedTensorType::get(sizes, type.getElementType()),
        op.getSource(), op.getMixedOffsets(), op.getMixedSizes(),
        op.getMixedStrides());
    return tensor::CollapseShapeOp::create(builder, loc, type, full, *groups);
  }
  SmallVector<Value> offsets = getOffsets(builder, op);
  llvm::SmallBitVector dropped = op.getDroppedDims();
  return createElements(
      builder, op, /*init=*/Value(),
      [&](OpBuilder &b, ValueRange indices, Value) -> Value {
        SmallVector<Value> at;
        unsigned next = 0;
        for (auto [d, offset, stride] :
             llvm::enumerate(offsets, op.getStaticStrides())) {
          at.push_back(offset);
          if (dropped[d])
            continue;
          Value step = arith::MulIOp::create(b, loc, indices[next++],
                                             createIndex(b, loc, stride));
          at.back() = arith::AddIOp::create(b, loc, offset, step);
        }
        return tensor::ExtractOp::create(b, loc, op.getSource(), at);
      });
}

Value rewrite(tensor::InsertSliceOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<int64_t> sizes(op.getStaticSizes());
  RankedTensorType window = op.getSourceType();
  std::optional<Reassociation> groups =
      getReassociation(sizes, window.getShape());
  if (groups && getWindowTile(op, op.getType().getShape(), sizes)) {
    Value full = tensor::ExpandShapeOp::create(
        builder, loc, RankedTensorType::get(sizes, window.getElementType()),
        op.getSource(), *groups);
    return tensor::InsertSliceOp::create(
        builder, loc, full, op.getDest(), op.getMixedOffsets(),
        op.getMixedSizes(), op.getMixedStrides());
  }
  SmallVector<Value> offsets = getOffsets(builder, op);
  llvm::SmallBitVector dropped = op.getDroppedDims();
  // A window of another array, as of a shifted one, is read there.
  Value source = op.getSource();
  SmallVector<Value> begins;
  if (auto part = source.getDefiningOp<tensor::ExtractSliceOp>();
      part && part.hasUnitStride() &&
      part.getSourceType().getRank() == window.getRank()) {
    source = part.getSource();
    begins = getOffsets(builder, part);
  }
  return createElements(
      builder, op, op.getDest(),
      [&](OpBuilder &b, ValueRange indices, Value old) -> Value {
        Value zero = createIndex(b, loc, 0), isInside;
        auto require = [&](arith::CmpIPredicate predicate, Value a, Value c) {
          Value holds = arith::CmpIOp::create(b, loc, predicate, a, c);
          isInside =
              isInside ? arith::AndIOp::create(b, loc, isInside, holds) : holds;
        };
        SmallVector<Value> at;
        for (auto [d, offset, size, stride] :
             llvm::enumerate(offsets, sizes, op.getStaticStrides())) {
          Value step = createIndex(b, loc, stride);
          Value from = arith::SubIOp::create(b, loc, indices[d], offset);
          require(arith::CmpIPredicate::sge, from, zero);
          require(arith::CmpIPredicate::slt, from,
                  createIndex(b, loc, size * stride));
          if (stride != 1) {
            require(arith::CmpIPredicate::eq,
                    arith::RemSIOp::create(b, loc, from, step), zero);
            from = arith::DivSIOp::create(b, loc, from, step);
          }
          if (!dropped[d])
            at.push_back(from);
        }
        auto read = [&]() -> Value {
          for (auto [index, begin] : llvm::zip(at, begins))
            index = arith::AddIOp::create(b, loc, index, begin);
          return tensor::ExtractOp::create(b, loc, source, at);
        };
        if (!isInside)
          return read();
        // An element outside of the window is replaced by the first one, whose
        // value is not used.
        for (Value &index : at)
          index = arith::SelectOp::create(b, loc, isInside, index, zero);
        return arith::SelectOp::create(b, loc, isInside, read(), old);
      });
}

template <typename OpT> void rewriteAll(Region &region) {
  SmallVector<OpT> ops;
  region.walk([&](OpT op) {
    Shape all = op.getResult().getType().getShape(),
          window = op.getSource().getType().getShape();
    if constexpr (std::is_same_v<OpT, tensor::ExtractSliceOp>)
      std::swap(all, window);
    if (!ShapedType::isDynamicShape(all) &&
        !ShapedType::isDynamicShape(window) &&
        (op->use_empty() || !getWindowTile(op, all, window)))
      ops.push_back(op);
  });
  for (OpT op : ops) {
    if (!op->use_empty())
      op.getResult().replaceAllUsesWith(rewrite(op));
    op.erase();
  }
}

} // namespace

void gridir::warpgroup::rewriteWindows(Region &region) {
  rewriteAll<tensor::InsertSliceOp>(region);
  rewriteAll<tensor::ExtractSliceOp>(region);
}
