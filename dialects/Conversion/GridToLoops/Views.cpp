//===- Views.cpp - The memory that a Ref names ----------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Views.h"

#include "dialects/Conversion/GridToLoops/Blocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir {

RefView resolveRef(Value ref) {
  RefView view;
  while (auto op = ref.getDefiningOp<ViewLikeOpInterface>()) {
    view.pending.push_back(op);
    ref = op.getViewSource();
  }
  std::reverse(view.pending.begin(), view.pending.end());
  view.memref = getMemRef(ref);
  return view;
}

Value getMemRef(Value ref) {
  if (auto cast = ref.getDefiningOp<UnrealizedConversionCastOp>())
    return cast.getInputs().front();
  return {};
}

Value toScalar(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return type.getRank() == 0 ? tensor::ExtractOp::create(builder, loc, tensor, ValueRange())
                             : tensor;
}

Value toTensor(OpBuilder &builder, Location loc, Value value) {
  if (isa<RankedTensorType>(value.getType()))
    return value;
  auto type = RankedTensorType::get({}, value.getType());
  return tensor::FromElementsOp::create(builder, loc, type, value);
}

//===----------------------------------------------------------------------===//
// Views of values, where no memref shows them
//===----------------------------------------------------------------------===//

namespace {

Value createReshape(OpBuilder &builder, Location loc, Value tensor, ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tensor.getType());
  RankedTensorType target = type.clone(shape);
  if (type == target)
    return tensor;
  if (auto groups = getReassociationIndicesForReshape(type, target)) {
    if (type.getRank() > target.getRank())
      return tensor::CollapseShapeOp::create(builder, loc, target, tensor, *groups);
    return tensor::ExpandShapeOp::create(builder, loc, target, tensor, *groups);
  }
  auto flat = type.clone({type.getNumElements()});
  ReassociationIndices all(llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  Value line = tensor::CollapseShapeOp::create(builder, loc, flat, tensor,
                                               SmallVector<ReassociationIndices>{all});
  all = llvm::to_vector(llvm::seq<int64_t>(0, target.getRank()));
  return tensor::ExpandShapeOp::create(builder, loc, target, line,
                                       SmallVector<ReassociationIndices>{all});
}

Value createTranspose(OpBuilder &builder, Location loc, Value tensor,
                      ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape = applyPermutation(type.getShape(), permutation);
  Value empty = tensor::EmptyOp::create(builder, loc, shape, type.getElementType());
  return linalg::TransposeOp::create(builder, loc, tensor, empty, permutation)->getResult(0);
}

/// A number as an integer of its width.
Value createBits(OpBuilder &builder, Location loc, Value value) {
  unsigned width = value.getType().getIntOrFloatBitWidth();
  Type type = builder.getIntegerType(width);
  return value.getType() == type ? value : arith::BitcastOp::create(builder, loc, type, value);
}

Value createFromBits(OpBuilder &builder, Location loc, Value bits, Type type) {
  return bits.getType() == type ? bits : arith::BitcastOp::create(builder, loc, type, bits);
}

/// The same bytes as another element type. Where widths differ, neighbours along
/// the second-to-last dimension (the only one of a vector) form one wide element,
/// the first in the low bits.
Value createBitcast(OpBuilder &builder, Location loc, Value tensor, RankedTensorType target) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Type from = type.getElementType(), to = target.getElementType();
  unsigned fromWidth = from.getIntOrFloatBitWidth(), toWidth = to.getIntOrFloatBitWidth();
  if (fromWidth == toWidth)
    return createElementwise(builder, loc, target, tensor,
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
      SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(builder.getContext(), split);
      offsets[packed + 1] = builder.getIndexAttr(part);
      sizes[packed + 1] = builder.getIndexAttr(1);
      slices.push_back(tensor::ExtractSliceOp::create(
          builder, loc, type.clone(target.getShape()), parts, offsets, sizes, strides));
    }
    return createElementwise(
        builder, loc, target, slices, [&](OpBuilder &builder, Location loc, ValueRange args) {
          Type wide = builder.getIntegerType(toWidth);
          Value word;
          for (auto [part, arg] : llvm::enumerate(args)) {
            Value bits = arith::ExtUIOp::create(builder, loc, wide, createBits(builder, loc, arg));
            Value shift = arith::ConstantIntOp::create(builder, loc, wide, part * narrow);
            bits = arith::ShLIOp::create(builder, loc, bits, shift);
            word = word ? arith::OrIOp::create(builder, loc, word, bits).getResult() : bits;
          }
          return createFromBits(builder, loc, word, to);
        });
  }

  Value empty = tensor::EmptyOp::create(builder, loc, split, to);
  AffineMap all = builder.getMultiDimIdentityMap(rank + 1);
  SmallVector<AffineMap> maps{all.dropResult(packed + 1), all};
  SmallVector<utils::IteratorType> iterators(rank + 1, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      builder, loc, empty.getType(), tensor, empty, maps, iterators,
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        Value bits = createBits(builder, loc, args[0]);
        Value part = linalg::IndexOp::create(builder, loc, packed + 1);
        Value shift = arith::MulIOp::create(builder, loc, part, createIndex(builder, loc, narrow));
        shift = arith::IndexCastOp::create(builder, loc, bits.getType(), shift);
        bits = arith::ShRUIOp::create(builder, loc, bits, shift);
        bits = arith::TruncIOp::create(builder, loc, builder.getIntegerType(narrow), bits);
        linalg::YieldOp::create(builder, loc, createFromBits(builder, loc, bits, to));
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
  parts.strides = getAsIndexOpFoldResult(builder.getContext(), slice.getStrides());
  return parts;
}

RankedTensorType getTensorType(Value ref) {
  auto type = cast<MemRefType>(ref.getType());
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

/// What the view `op` shows of a source that holds `tensor`.
Value applyView(OpBuilder &builder, Location loc, Operation *op, Value tensor) {
  RankedTensorType type = getTensorType(op->getResult(0));
  // The views that a memref cannot always show.
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](SliceRefOp slice) {
        SliceParts parts = getSliceParts(builder, slice);
        return tensor::ExtractSliceOp::create(builder, loc, type, tensor, parts.offsets,
                                              parts.sizes, parts.strides);
      })
      .Case([&](ReshapeRefOp) { return createReshape(builder, loc, tensor, type.getShape()); })
      .Case([&](TransposeRefOp transpose) {
        return createTranspose(builder, loc, tensor, transpose.getPermutation());
      })
      .Case([&](BitcastRefOp) { return createBitcast(builder, loc, tensor, type); });
}

/// What the source of `op` holds, which held `old`, when the view is to hold
/// `value`.
Value unapplyView(OpBuilder &builder, Location loc, Operation *op, Value value, Value old) {
  auto type = cast<RankedTensorType>(old.getType());
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](SliceRefOp slice) {
        SliceParts parts = getSliceParts(builder, slice);
        return tensor::InsertSliceOp::create(builder, loc, value, old, parts.offsets, parts.sizes,
                                             parts.strides);
      })
      .Case([&](ReshapeRefOp) { return createReshape(builder, loc, value, type.getShape()); })
      .Case([&](TransposeRefOp transpose) {
        return createTranspose(builder, loc, value,
                               invertPermutationVector(transpose.getPermutation()));
      })
      .Case([&](BitcastRefOp) { return createBitcast(builder, loc, value, type); });
}

Value createToTensor(OpBuilder &builder, Location loc, Value memref, bool writable) {
  return bufferization::ToTensorOp::create(builder, loc, getTensorType(memref), memref,
                                           /*restrict=*/true, writable);
}

} // namespace

Value readRef(OpBuilder &builder, Location loc, Value ref, bool mayOverwrite) {
  RefView view = resolveRef(ref);
  Value tensor = createToTensor(builder, loc, view.memref, mayOverwrite && view.pending.empty());
  for (Operation *op : view.pending)
    tensor = applyView(builder, loc, op, tensor);
  return tensor;
}

void writeRef(OpBuilder &builder, Location loc, Value value, Value ref) {
  RefView view = resolveRef(ref);
  SmallVector<Value> held;
  if (!view.pending.empty())
    held.push_back(createToTensor(builder, loc, view.memref, /*writable=*/false));
  for (Operation *op : ArrayRef(view.pending).drop_back(view.pending.empty() ? 0 : 1))
    held.push_back(applyView(builder, loc, op, held.back()));
  for (auto [op, old] : llvm::reverse(llvm::zip_equal(view.pending, held)))
    value = unapplyView(builder, loc, op, value, old);
  bufferization::MaterializeInDestinationOp::create(builder, loc, TypeRange(), value, view.memref,
                                                    /*restrict=*/true, /*writable=*/true);
}

//===----------------------------------------------------------------------===//
// Views that a memref shows
//===----------------------------------------------------------------------===//

namespace {

/// Gives `op`'s users the memref that shows it.
void replaceView(PatternRewriter &rewriter, KernelLowering &lowering, Operation *op,
                 Value memref) {
  Value ref = op->getResult(0);
  auto cast = UnrealizedConversionCastOp::create(rewriter, op->getLoc(), ref.getType(), memref);
  lowering.setName(cast.getResult(0), lowering.getName(ref));
  rewriter.replaceOp(op, cast);
}

class SliceRefPattern : public LoweringPattern<SliceRefOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(SliceRefOp slice, PatternRewriter &rewriter) const override {
    auto source = cast<MemRefType>(slice.getSource().getType());
    Location loc = slice.getLoc();
    SmallVector<OpFoldResult> offsets;
    SmallVector<WindowDim> window;
    SmallVector<unsigned> unproved;
    unsigned next = 0;
    for (auto [d, offset] : llvm::enumerate(slice.getStaticOffsets())) {
      int64_t size = slice.getSizes()[d], stride = slice.getStrides()[d];
      int64_t last = source.getDimSize(d) - (size == 0 ? 0 : (size - 1) * stride + 1);
      if (!ShapedType::isDynamic(offset)) {
        offsets.push_back(rewriter.getIndexAttr(offset));
        if (offset < 0 || offset > last)
          return lowering.fail(slice, "expected dimension " + Twine(d) + " of a slice of " +
                                          lowering.getName(slice.getSource()) + " to start in [0, " +
                                          Twine(last) + "], got " + Twine(offset));
        continue;
      }
      Value index = toIndex(rewriter, loc, slice.getOffsets()[next++]);
      std::optional<IndexRange> range = lowering.ranges.get(index);
      if (!range || range->min < 0 || range->max > last)
        unproved.push_back(d);
      offsets.push_back(index);
    }
    ++(unproved.empty() ? lowering.counts.slicesProved : lowering.counts.slicesChecked);

    Value memref = getMemRef(slice.getSource());
    if (!unproved.empty() && memref && createMaskedWindows(slice, offsets, memref, rewriter))
      return success();
    for (unsigned d : unproved)
      offsets[d] = createChecked(slice, d, cast<Value>(offsets[d]), rewriter);
    if (!memref) {
      // An access looks through; it finds offsets in range.
      SmallVector<Value> dynamic;
      for (OpFoldResult offset : offsets)
        if (auto value = dyn_cast<Value>(offset))
          dynamic.push_back(value);
      rewriter.modifyOpInPlace(slice, [&] { slice.getOffsetsMutable().assign(dynamic); });
      return success();
    }
    SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(getContext(), slice.getSizes());
    SmallVector<OpFoldResult> strides = getAsIndexOpFoldResult(getContext(), slice.getStrides());
    MemRefType type = memref::SubViewOp::inferRankReducedResultType(
        cast<MemRefType>(slice.getResult().getType()).getShape(),
        cast<MemRefType>(memref.getType()), offsets, sizes, strides);
    Value view =
        memref::SubViewOp::create(rewriter, loc, type, memref, offsets, sizes, strides);
    replaceView(rewriter, lowering, slice, view);
    return success();
  }

private:
  /// Reports an offset that makes the window leave its source, and keeps it in.
  Value createChecked(SliceRefOp slice, unsigned d, Value offset,
                      PatternRewriter &rewriter) const {
    Location loc = slice.getLoc();
    int64_t size = slice.getSizes()[d], stride = slice.getStrides()[d];
    int64_t extent = cast<MemRefType>(slice.getSource().getType()).getDimSize(d);
    int64_t last = extent - (size == 0 ? 0 : (size - 1) * stride + 1);
    Value zero = createIndex(rewriter, loc, 0), limit = createIndex(rewriter, loc, last);
    Value low = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt, offset, zero);
    Value high = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sgt, offset, limit);
    Value outside = arith::OrIOp::create(rewriter, loc, low, high);
    Twine what = size == 1 ? Twine("index {0} is") : Twine("a slice of ");
    std::string message =
        size == 1 ? "index {0} is"
                  : "a slice of " + std::to_string(size) + " elements from index {0} is";
    lowering.reportIf(rewriter, loc, outside,
                      message + " out of bounds [0, {1}) in dimension " + Twine(d) + " of " +
                          lowering.getName(slice.getSource()),
                      offset, createIndex(rewriter, loc, extent));
    Value atLeast = arith::MaxSIOp::create(rewriter, loc, offset, zero);
    return arith::MinSIOp::create(rewriter, loc, atLeast, limit);
  }

  /// A masked access may name elements outside the Ref, as long as their mask is
  /// false. It then goes through a padded buffer, as a block that overhangs does.
  bool createMaskedWindows(SliceRefOp slice, ArrayRef<OpFoldResult> offsets, Value memref,
                           PatternRewriter &rewriter) const {
    auto isMasked = [](Operation *user) {
      if (auto load = dyn_cast<LoadOp>(user))
        return bool(load.getMask());
      if (auto store = dyn_cast<StoreOp>(user))
        return bool(store.getMask());
      return false;
    };
    if (!llvm::all_of(slice->getUsers(), isMasked) ||
        llvm::any_of(slice.getStrides(), [](int64_t stride) { return stride != 1; }))
      return false;
    Type elementType = cast<MemRefType>(memref.getType()).getElementType();
    for (Operation *user : llvm::make_early_inc_range(slice->getUsers())) {
      Location loc = user->getLoc();
      rewriter.setInsertionPoint(user);
      SmallVector<WindowDim> dims;
      for (auto [d, offset] : llvm::enumerate(offsets)) {
        WindowDim dim;
        dim.start = getValueOrCreateConstantIndexOp(rewriter, loc, offset);
        dim.size = slice.getSizes()[d];
        dim.dropped = llvm::is_contained(slice.getDropped(), int64_t(d));
        std::optional<IndexRange> range = lowering.ranges.get(dim.start);
        dim.proved = range && range->min >= 0 &&
                     range->max + dim.size <=
                         cast<MemRefType>(memref.getType()).getDimSize(d);
        dims.push_back(dim);
      }
      bool writes = isa<StoreOp>(user);
      Window window = createWindow(rewriter, loc, lowering, memref, dims, writes,
                                   getPadding(elementType));
      auto ref = UnrealizedConversionCastOp::create(rewriter, loc, slice.getType(), window.memref);
      rewriter.modifyOpInPlace(
          user, [&] { user->replaceUsesOfWith(slice.getResult(), ref.getResult(0)); });
      if (writes) {
        rewriter.setInsertionPointAfter(user);
        window.createCopyOut(rewriter, loc);
      }
    }
    rewriter.eraseOp(slice);
    return true;
  }
};

class ReshapeRefPattern : public LoweringPattern<ReshapeRefOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(ReshapeRefOp reshape, PatternRewriter &rewriter) const override {
    Value memref = getMemRef(reshape.getSource());
    if (!memref)
      return rewriter.notifyMatchFailure(reshape, "an access looks through");
    auto target = cast<MemRefType>(reshape.getResult().getType());
    Value view = createReshapedMemRef(rewriter, reshape.getLoc(), memref, target.getShape());
    if (!view)
      return rewriter.notifyMatchFailure(reshape, "the elements are not contiguous");
    replaceView(rewriter, lowering, reshape, view);
    return success();
  }

private:
  static Value createReshapedMemRef(OpBuilder &builder, Location loc, Value memref,
                                    ArrayRef<int64_t> shape) {
    auto type = cast<MemRefType>(memref.getType());
    if (type.getShape() == shape)
      return memref;
    auto plain = [&](ArrayRef<int64_t> shape) {
      return MemRefType::get(shape, type.getElementType());
    };
    if (type.getRank() == 0 || shape.empty() || llvm::is_contained(shape, 0))
      return {};
    if (auto groups = getReassociationIndicesForReshape(plain(type.getShape()), plain(shape))) {
      if (type.getRank() < int64_t(shape.size()))
        return memref::ExpandShapeOp::create(builder, loc, shape, memref, *groups);
      if (memref::CollapseShapeOp::isGuaranteedCollapsible(type, *groups))
        return memref::CollapseShapeOp::create(builder, loc, memref, *groups);
      return {};
    }
    ReassociationIndices all(llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
    SmallVector<ReassociationIndices> groups{all};
    if (!memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups))
      return {};
    Value line = memref::CollapseShapeOp::create(builder, loc, memref, groups);
    groups[0] = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
    return memref::ExpandShapeOp::create(builder, loc, shape, line, groups);
  }
};

class SelectRefPattern : public LoweringPattern<SelectRefOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(SelectRefOp select, PatternRewriter &rewriter) const override {
    Location loc = select.getLoc();
    SmallVector<Value> memrefs;
    for (Value source : select.getSources()) {
      memrefs.push_back(getMemRef(source));
      if (!memrefs.back())
        return lowering.fail(select, "expected whole Refs or slices to choose from on the cpu "
                                     "target, got a Ref that is transposed or bitcast");
    }
    // One type shows them all: nothing of the layout is known.
    auto type = cast<MemRefType>(select.getResult().getType());
    SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
    auto common = MemRefType::get(
        type.getShape(), cast<MemRefType>(memrefs[0].getType()).getElementType(),
        StridedLayoutAttr::get(getContext(), ShapedType::kDynamic, strides));
    auto show = [&](OpBuilder &builder, Value memref) -> Value {
      return memref::CastOp::create(builder, loc, common, memref);
    };
    int64_t count = memrefs.size();
    Value index = toIndex(rewriter, loc, select.getIndex());
    Value outside = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::uge, index,
                                          createIndex(rewriter, loc, count));
    lowering.reportIf(rewriter, loc, outside, "index {0} is out of bounds [0, {1}) of the Refs to choose from",
                      index, createIndex(rewriter, loc, count));
    Value chosen = show(rewriter, memrefs.back());
    for (int64_t i = count - 2; i >= 0; --i) {
      Value isThis = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, index,
                                           createIndex(rewriter, loc, i));
      Value other = chosen;
      chosen = scf::IfOp::create(
                   rewriter, loc, isThis,
                   [&](OpBuilder &builder, Location loc) {
                     scf::YieldOp::create(builder, loc, show(builder, memrefs[i]));
                   },
                   [&](OpBuilder &builder, Location loc) {
                     scf::YieldOp::create(builder, loc, other);
                   })
                   .getResult(0);
    }
    replaceView(rewriter, lowering, select, chosen);
    return success();
  }
};

} // namespace

void populateViewPatterns(RewritePatternSet &patterns, KernelLowering &lowering) {
  patterns.add<SliceRefPattern, ReshapeRefPattern, SelectRefPattern>(patterns.getContext(),
                                                                     lowering);
}

} // namespace gridir
