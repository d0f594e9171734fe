//===- Views.cpp - The memory that a Ref names ----------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToLoops/Views.h"

#include "dialects/Conversion/GridToLoops/Blocks.h"
#include "dialects/Conversion/GridToLoops/PartialWindows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

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

/// Returns a memref of another shape with the same elements in order, or null
/// if there is none.
static Value createReshapedMemRef(OpBuilder &builder, Location loc,
                                  Value memref, ArrayRef<int64_t> shape) {
  auto type = cast<MemRefType>(memref.getType());
  if (type.getShape() == shape)
    return memref;
  auto plain = [&](ArrayRef<int64_t> shape) {
    return MemRefType::get(shape, type.getElementType());
  };
  if (type.getRank() == 0 || shape.empty() || llvm::is_contained(shape, 0))
    return {};
  if (auto groups = getReassociationIndicesForReshape(plain(type.getShape()),
                                                      plain(shape))) {
    if (type.getRank() < int64_t(shape.size()))
      return memref::ExpandShapeOp::create(builder, loc, shape, memref,
                                           *groups);
    if (memref::CollapseShapeOp::isGuaranteedCollapsible(type, *groups))
      return memref::CollapseShapeOp::create(builder, loc, memref, *groups);
    return {};
  }
  ReassociationIndices all(
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  SmallVector<ReassociationIndices> groups{all};
  if (!memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups))
    return {};
  Value line = memref::CollapseShapeOp::create(builder, loc, memref, groups);
  groups[0] = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  return memref::ExpandShapeOp::create(builder, loc, shape, line, groups);
}

SmallVector<OpFoldResult> getStrides(OpBuilder &builder, SliceRefOp slice) {
  SmallVector<OpFoldResult> strides;
  for (auto [size, stride] :
       llvm::zip_equal(slice.getSizes(), slice.getStrides()))
    strides.push_back(builder.getIndexAttr(size == 1 ? 1 : stride));
  return strides;
}

bool stridesAndDrops(SliceRefOp slice) {
  return !slice.getDropped().empty() &&
         llvm::any_of(llvm::zip_equal(slice.getSizes(), slice.getStrides()),
                      [](auto pair) {
                        auto [size, stride] = pair;
                        return size != 1 && stride != 1;
                      });
}

Value createSlicedMemRef(OpBuilder &builder, Location loc, SliceRefOp slice,
                         Value memref, ArrayRef<OpFoldResult> offsets) {
  SmallVector<OpFoldResult> starts(offsets);
  SmallVector<OpFoldResult> sizes =
      getAsIndexOpFoldResult(builder.getContext(), slice.getSizes());
  SmallVector<OpFoldResult> strides = getStrides(builder, slice);
  if (stridesAndDrops(slice)) {
    memref =
        memref::SubViewOp::create(builder, loc, memref, starts, sizes, strides);
    starts.assign(starts.size(), builder.getIndexAttr(0));
    strides.assign(strides.size(), builder.getIndexAttr(1));
  }
  MemRefType type = memref::SubViewOp::inferRankReducedResultType(
      cast<MemRefType>(slice.getResult().getType()).getShape(),
      cast<MemRefType>(memref.getType()), starts, sizes, strides);
  return memref::SubViewOp::create(builder, loc, type, memref, starts, sizes,
                                   strides);
}

Value createStridedMemRef(OpBuilder &builder, Location loc, Value ref) {
  RefView view = resolveRef(ref);
  for (Operation *op : view.pending) {
    if (!view.memref)
      return {};
    if (auto transpose = dyn_cast<TransposeRefOp>(op)) {
      auto map = AffineMap::getPermutationMap(transpose.getPermutation(),
                                              builder.getContext());
      view.memref = memref::TransposeOp::create(builder, loc, view.memref,
                                                AffineMapAttr::get(map));
    } else if (auto slice = dyn_cast<SliceRefOp>(op)) {
      SmallVector<OpFoldResult> offsets;
      for (OpFoldResult offset : getMixedValues(slice.getStaticOffsets(),
                                                slice.getOffsets(), builder))
        offsets.push_back(isa<Attribute>(offset)
                              ? offset
                              : toIndex(builder, loc, cast<Value>(offset)));
      view.memref =
          createSlicedMemRef(builder, loc, slice, view.memref, offsets);
    } else if (auto reshape = dyn_cast<ReshapeRefOp>(op)) {
      view.memref = createReshapedMemRef(
          builder, loc, view.memref,
          cast<MemRefType>(reshape.getResult().getType()).getShape());
    } else {
      return {};
    }
  }
  return view.memref;
}

Value toScalar(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return type.getRank() == 0
             ? tensor::ExtractOp::create(builder, loc, tensor, ValueRange())
             : tensor;
}

Value toTensor(OpBuilder &builder, Location loc, Value value) {
  if (isa<RankedTensorType>(value.getType()))
    return value;
  auto type = RankedTensorType::get({}, value.getType());
  return tensor::FromElementsOp::create(builder, loc, type, value);
}

//===----------------------------------------------------------------------===//
// Views that a memref can represent
//===----------------------------------------------------------------------===//

namespace {

/// Replaces the uses of `op` by its memref.
void replaceView(PatternRewriter &rewriter, KernelLowering &lowering,
                 Operation *op, Value memref) {
  Value ref = op->getResult(0);
  auto cast = UnrealizedConversionCastOp::create(rewriter, op->getLoc(),
                                                 ref.getType(), memref);
  lowering.setName(cast.getResult(0), lowering.getName(ref));
  rewriter.replaceOp(op, cast);
}

/// The number of indices from the first to the last element of a window.
int64_t getSpan(SliceRefOp slice, unsigned d) {
  int64_t size = slice.getSizes()[d];
  return size == 0 ? 0 : (size - 1) * slice.getStrides()[d] + 1;
}

class SliceRefPattern : public LoweringPattern<SliceRefOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(SliceRefOp slice,
                                PatternRewriter &rewriter) const override {
    auto source = cast<MemRefType>(slice.getSource().getType());
    Location loc = slice.getLoc();
    SmallVector<OpFoldResult> offsets;
    SmallVector<WindowDim> window;
    SmallVector<unsigned> unproved;
    unsigned next = 0;
    for (auto [d, offset] : llvm::enumerate(slice.getStaticOffsets())) {
      int64_t last = source.getDimSize(d) - getSpan(slice, d);
      if (!ShapedType::isDynamic(offset)) {
        offsets.push_back(rewriter.getIndexAttr(offset));
        if (offset < 0 || offset > last)
          return lowering.fail(slice, "expected dimension " + Twine(d) +
                                          " of a slice of " +
                                          lowering.getName(slice.getSource()) +
                                          " to start in [0, " + Twine(last) +
                                          "], got " + Twine(offset));
        continue;
      }
      Value index = toIndex(rewriter, loc, slice.getOffsets()[next++]);
      Interval range = lowering.ranges.get(index);
      bool isProved = range.isIn(0, last);
      if (!isProved)
        unproved.push_back(d);
      offsets.push_back(isProved && range.isConstant()
                            ? OpFoldResult(rewriter.getIndexAttr(range.low))
                            : index);
    }
    ++(unproved.empty() ? lowering.counts.slicesProved
                        : lowering.counts.slicesChecked);

    Value memref = getMemRef(slice.getSource());
    if (!unproved.empty() &&
        createPartialWindows(rewriter, lowering, slice, offsets))
      return success();
    std::string name = lowering.getName(slice.getSource());
    for (unsigned d : unproved)
      offsets[d] = createCheckedOffset(
          rewriter, loc, lowering, cast<Value>(offsets[d]), slice.getSizes()[d],
          getSpan(slice, d), source.getDimSize(d), d, name);
    if (!memref) {
      // Accesses resolve the view; its offsets are in bounds.
      SmallVector<Value> dynamic;
      SmallVector<int64_t> fixed;
      dispatchIndexOpFoldResults(offsets, dynamic, fixed);
      rewriter.modifyOpInPlace(slice, [&] {
        slice.getOffsetsMutable().assign(dynamic);
        slice.setStaticOffsets(fixed);
      });
      return success();
    }
    Value view = createSlicedMemRef(rewriter, loc, slice, memref, offsets);
    replaceView(rewriter, lowering, slice, view);
    return success();
  }
};

class ReshapeRefPattern : public LoweringPattern<ReshapeRefOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(ReshapeRefOp reshape,
                                PatternRewriter &rewriter) const override {
    Value memref = getMemRef(reshape.getSource());
    if (!memref)
      return rewriter.notifyMatchFailure(reshape,
                                         "the accesses resolve the view");
    auto target = cast<MemRefType>(reshape.getResult().getType());
    Value view = createReshapedMemRef(rewriter, reshape.getLoc(), memref,
                                      target.getShape());
    if (!view)
      return rewriter.notifyMatchFailure(reshape,
                                         "the elements are not contiguous");
    replaceView(rewriter, lowering, reshape, view);
    return success();
  }
};

class SelectRefPattern : public LoweringPattern<SelectRefOp> {
public:
  using LoweringPattern::LoweringPattern;

  LogicalResult matchAndRewrite(SelectRefOp select,
                                PatternRewriter &rewriter) const override {
    Location loc = select.getLoc();
    SmallVector<Value> memrefs;
    for (Value source : select.getSources()) {
      memrefs.push_back(getMemRef(source));
      if (!memrefs.back()) {
        (void)lowering.fail(select,
                            "expected whole Refs or slices to choose from, got "
                            "a Ref that is transposed or bitcast");
        // Accesses to the Ref are converted nevertheless, for their own errors.
        auto type = cast<MemRefType>(select.getResult().getType());
        replaceView(
            rewriter, lowering, select,
            memref::AllocaOp::create(
                rewriter, loc,
                MemRefType::get(type.getShape(), type.getElementType())));
        return success();
      }
    }
    // One type with a dynamic layout covers all of them.
    auto type = cast<MemRefType>(select.getResult().getType());
    SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
    auto common = MemRefType::get(
        type.getShape(),
        cast<MemRefType>(memrefs[0].getType()).getElementType(),
        StridedLayoutAttr::get(getContext(), ShapedType::kDynamic, strides));
    auto show = [&](OpBuilder &builder, Value memref) -> Value {
      return memref::CastOp::create(builder, loc, common, memref);
    };
    int64_t count = memrefs.size();
    Value index = toIndex(rewriter, loc, select.getIndex());
    Value outside =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::uge, index,
                              createIndex(rewriter, loc, count));
    lowering.reportIf(
        rewriter, loc, outside,
        "index {0} is out of bounds [0, {1}) of the Refs to choose from", index,
        createIndex(rewriter, loc, count));
    Value chosen = show(rewriter, memrefs.back());
    for (int64_t i = count - 2; i >= 0; --i) {
      Value isThis =
          arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, index,
                                createIndex(rewriter, loc, i));
      Value other = chosen;
      chosen =
          scf::IfOp::create(
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

void populateViewPatterns(RewritePatternSet &patterns,
                          KernelLowering &lowering) {
  patterns.add<SliceRefPattern, ReshapeRefPattern, SelectRefPattern>(
      patterns.getContext(), lowering);
}

} // namespace gridir
