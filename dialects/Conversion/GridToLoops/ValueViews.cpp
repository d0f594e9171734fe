//===- ValueViews.cpp - Views applied to values ---------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A memref can represent a slice and many reshapes. Other views (bitcasts,
// transposes that would lose the contiguous dimension) are applied to the
// loaded value, and their inverse to the stored value.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Views.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {
namespace {

Value createReshape(OpBuilder &builder, Location loc, Value tensor,
                    ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tensor.getType());
  RankedTensorType target = type.clone(shape);
  if (type == target)
    return tensor;
  if (auto groups = getReassociationIndicesForReshape(type, target)) {
    if (type.getRank() > target.getRank())
      return tensor::CollapseShapeOp::create(builder, loc, target, tensor,
                                             *groups);
    return tensor::ExpandShapeOp::create(builder, loc, target, tensor, *groups);
  }
  auto flat = type.clone({type.getNumElements()});
  ReassociationIndices all(
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  Value line = tensor::CollapseShapeOp::create(
      builder, loc, flat, tensor, SmallVector<ReassociationIndices>{all});
  all = llvm::to_vector(llvm::seq<int64_t>(0, target.getRank()));
  return tensor::ExpandShapeOp::create(builder, loc, target, line,
                                       SmallVector<ReassociationIndices>{all});
}

Value createTranspose(OpBuilder &builder, Location loc, Value tensor,
                      ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape = applyPermutation(type.getShape(), permutation);
  Value empty =
      tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  return linalg::TransposeOp::create(builder, loc, tensor, empty, permutation)
      ->getResult(0);
}

/// A number as an integer of its width.
Value createBits(OpBuilder &builder, Location loc, Value value) {
  unsigned width = value.getType().getIntOrFloatBitWidth();
  Type type = builder.getIntegerType(width);
  return value.getType() == type
             ? value
             : arith::BitcastOp::create(builder, loc, type, value);
}

Value createFromBits(OpBuilder &builder, Location loc, Value bits, Type type) {
  return bits.getType() == type
             ? bits
             : arith::BitcastOp::create(builder, loc, type, bits);
}

/// The same bytes as another element type. Where widths differ, neighbours
/// along the second-to-last dimension (the only one of a vector) form one wide
/// element, the first in the low bits.
Value createBitcast(OpBuilder &builder, Location loc, Value tensor,
                    RankedTensorType target) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Type from = type.getElementType(), to = target.getElementType();
  unsigned fromWidth = from.getIntOrFloatBitWidth(),
           toWidth = to.getIntOrFloatBitWidth();
  if (fromWidth == toWidth)
    return createElementwise(
        builder, loc, target, tensor,
        [&](OpBuilder &builder, Location loc, ValueRange args) {
          return arith::BitcastOp::create(builder, loc, to, args[0]);
        });
  unsigned rank = type.getRank(), packed = rank >= 2 ? rank - 2 : 0;
  bool widens = fromWidth < toWidth;
  unsigned ratio = widens ? toWidth / fromWidth : fromWidth / toWidth;
  unsigned narrow = std::min(fromWidth, toWidth);
  SmallVector<int64_t> split(widens ? target.getShape() : type.getShape());
  split.insert(split.begin() + packed + 1, ratio);

  if (widens) {
    Value parts = createReshape(builder, loc, tensor, split);
    SmallVector<Value> slices;
    for (unsigned part = 0; part < ratio; ++part) {
      SmallVector<OpFoldResult> offsets(rank + 1, builder.getIndexAttr(0));
      SmallVector<OpFoldResult> strides(rank + 1, builder.getIndexAttr(1));
      SmallVector<OpFoldResult> sizes =
          getAsIndexOpFoldResult(builder.getContext(), split);
      offsets[packed + 1] = builder.getIndexAttr(part);
      sizes[packed + 1] = builder.getIndexAttr(1);
      slices.push_back(tensor::ExtractSliceOp::create(
          builder, loc, type.clone(target.getShape()), parts, offsets, sizes,
          strides));
    }
    return createElementwise(
        builder, loc, target, slices,
        [&](OpBuilder &builder, Location loc, ValueRange args) {
          Type wide = builder.getIntegerType(toWidth);
          Value word;
          for (auto [part, arg] : llvm::enumerate(args)) {
            Value bits = arith::ExtUIOp::create(builder, loc, wide,
                                                createBits(builder, loc, arg));
            Value shift =
                arith::ConstantIntOp::create(builder, loc, wide, part * narrow);
            bits = arith::ShLIOp::create(builder, loc, bits, shift);
            word =
                word
                    ? arith::OrIOp::create(builder, loc, word, bits).getResult()
                    : bits;
          }
          return createFromBits(builder, loc, word, to);
        });
  }

  Value empty = tensor::EmptyOp::create(builder, loc, split, to);
  AffineMap all = builder.getMultiDimIdentityMap(rank + 1);
  SmallVector<AffineMap> maps{all.dropResult(packed + 1), all};
  SmallVector<utils::IteratorType> iterators(rank + 1,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, empty.getType(), tensor, empty, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        Value bits = createBits(builder, loc, args[0]);
        Value part = linalg::IndexOp::create(builder, loc, packed + 1);
        Value shift = arith::MulIOp::create(builder, loc, part,
                                            createIndex(builder, loc, narrow));
        shift = arith::IndexCastOp::create(builder, loc, bits.getType(), shift);
        bits = arith::ShRUIOp::create(builder, loc, bits, shift);
        bits = arith::TruncIOp::create(builder, loc,
                                       builder.getIntegerType(narrow), bits);
        linalg::YieldOp::create(builder, loc,
                                createFromBits(builder, loc, bits, to));
      });
  return createReshape(builder, loc, generic.getResult(0), target.getShape());
}

struct SliceParts {
  SmallVector<OpFoldResult> offsets, sizes, strides;
};

SliceParts getSliceParts(OpBuilder &builder, SliceRefOp slice) {
  SliceParts parts;
  unsigned next = 0;
  for (int64_t offset : slice.getStaticOffsets())
    parts.offsets.push_back(ShapedType::isDynamic(offset)
                                ? OpFoldResult(slice.getOffsets()[next++])
                                : builder.getIndexAttr(offset));
  parts.sizes = getAsIndexOpFoldResult(builder.getContext(), slice.getSizes());
  parts.strides = getStrides(builder, slice);
  return parts;
}

/// The slice with all dimensions, which become the parts of the next slice.
Value createWholeSlice(OpBuilder &builder, Location loc, Value tensor,
                       SliceParts &parts) {
  Value slice = tensor::ExtractSliceOp::create(
      builder, loc, tensor, parts.offsets, parts.sizes, parts.strides);
  parts.offsets.assign(parts.offsets.size(), builder.getIndexAttr(0));
  parts.strides.assign(parts.strides.size(), builder.getIndexAttr(1));
  return slice;
}

RankedTensorType getTensorType(Value ref) {
  auto type = cast<MemRefType>(ref.getType());
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

/// Applies the view `op` to the contents `tensor` of its source.
Value applyView(OpBuilder &builder, Location loc, Operation *op, Value tensor) {
  RankedTensorType type = getTensorType(op->getResult(0));
  // The views that a memref cannot always represent.
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](SliceRefOp slice) {
        SliceParts parts = getSliceParts(builder, slice);
        if (stridesAndDrops(slice))
          tensor = createWholeSlice(builder, loc, tensor, parts);
        return tensor::ExtractSliceOp::create(builder, loc, type, tensor,
                                              parts.offsets, parts.sizes,
                                              parts.strides);
      })
      .Case([&](ReshapeRefOp) {
        return createReshape(builder, loc, tensor, type.getShape());
      })
      .Case([&](TransposeRefOp transpose) {
        return createTranspose(builder, loc, tensor,
                               transpose.getPermutation());
      })
      .Case([&](BitcastRefOp) {
        return createBitcast(builder, loc, tensor, type);
      });
}

/// Returns the new contents of the source of `op`, which held `old`, such that
/// the view holds `value`.
Value unapplyView(OpBuilder &builder, Location loc, Operation *op, Value value,
                  Value old) {
  auto type = cast<RankedTensorType>(old.getType());
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](SliceRefOp slice) {
        SliceParts parts = getSliceParts(builder, slice);
        if (!stridesAndDrops(slice))
          return tensor::InsertSliceOp::create(builder, loc, value, old,
                                               parts.offsets, parts.sizes,
                                               parts.strides);
        SliceParts whole = parts;
        Value part = createWholeSlice(builder, loc, old, parts);
        part = tensor::InsertSliceOp::create(builder, loc, value, part,
                                             parts.offsets, parts.sizes,
                                             parts.strides);
        return tensor::InsertSliceOp::create(
            builder, loc, part, old, whole.offsets, whole.sizes, whole.strides);
      })
      .Case([&](ReshapeRefOp) {
        return createReshape(builder, loc, value, type.getShape());
      })
      .Case([&](TransposeRefOp transpose) {
        return createTranspose(
            builder, loc, value,
            invertPermutationVector(transpose.getPermutation()));
      })
      .Case([&](BitcastRefOp) {
        return createBitcast(builder, loc, value, type);
      });
}

Value createToTensor(OpBuilder &builder, Location loc, Value memref,
                     bool writable) {
  return bufferization::ToTensorOp::create(builder, loc, getTensorType(memref),
                                           memref,
                                           /*restrict=*/true, writable);
}

} // namespace

Value readRef(OpBuilder &builder, Location loc, Value ref, bool mayOverwrite) {
  RefView view = resolveRef(ref);
  Value tensor = createToTensor(builder, loc, view.memref,
                                mayOverwrite && view.pending.empty());
  for (Operation *op : view.pending)
    tensor = applyView(builder, loc, op, tensor);
  return tensor;
}

void writeRef(OpBuilder &builder, Location loc, Value value, Value ref) {
  RefView view = resolveRef(ref);
  SmallVector<Value> held;
  if (!view.pending.empty())
    held.push_back(
        createToTensor(builder, loc, view.memref, /*writable=*/false));
  for (Operation *op :
       ArrayRef(view.pending).drop_back(view.pending.empty() ? 0 : 1))
    held.push_back(applyView(builder, loc, op, held.back()));
  for (auto [op, old] : llvm::reverse(llvm::zip_equal(view.pending, held)))
    value = unapplyView(builder, loc, op, value, old);
  bufferization::MaterializeInDestinationOp::create(
      builder, loc, TypeRange(), value, view.memref,
      /*restrict=*/true, /*writable=*/true);
}

} // namespace gridir
