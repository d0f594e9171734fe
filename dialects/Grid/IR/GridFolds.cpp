//===- GridFolds.cpp - Folders of the grid dialect ------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/IR/Grid.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace gridir::grid;

Operation *GridDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

OpFoldResult NumProgramsOp::fold(FoldAdaptor) {
  auto kernel = (*this)->getParentOfType<KernelOp>();
  std::optional<unsigned> dim =
      kernel ? kernel.findDim(getAxis()) : std::nullopt;
  if (!dim || kernel.getDim(*dim).isDynamic())
    return {};
  return IntegerAttr::get(getType(), kernel.getDim(*dim).getSize());
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Folds constant offsets that are inside of the source into the window. An
/// offset outside remains a value, since it is an error only if the op
/// executes.
static bool foldConstantOffsets(SliceRefOp op, ArrayRef<Attribute> constants) {
  auto source = cast<MemRefType>(op.getSource().getType());
  SmallVector<int64_t> statics(op.getStaticOffsets());
  SmallVector<Value> kept;
  unsigned next = 0;
  for (unsigned d = 0; d < statics.size(); ++d) {
    if (!ShapedType::isDynamic(statics[d]))
      continue;
    unsigned number = next++;
    auto constant = llvm::dyn_cast_if_present<IntegerAttr>(constants[number]);
    int64_t span =
        std::max<int64_t>(op.getSizes()[d] - 1, 0) * op.getStrides()[d];
    bool isInside = constant && !source.isDynamicDim(d) &&
                    constant.getInt() >= 0 &&
                    constant.getInt() < source.getDimSize(d) - span;
    if (isInside)
      statics[d] = constant.getInt();
    else
      kept.push_back(op.getOffsets()[number]);
  }
  if (kept.size() == op.getOffsets().size())
    return false;
  op.getOffsetsMutable().assign(kept);
  op.setStaticOffsets(statics);
  return true;
}

namespace {

/// A window along one dimension.
struct Window {
  int64_t offset, size, stride;
  Value dynamic;
};

} // namespace

static SmallVector<Window> getWindows(SliceRefOp op) {
  SmallVector<Window> windows;
  auto dynamics = op.getOffsets().begin();
  for (auto [offset, size, stride] :
       llvm::zip(op.getStaticOffsets(), op.getSizes(), op.getStrides()))
    windows.push_back({offset, size, stride,
                       ShapedType::isDynamic(offset) ? *dynamics++ : Value()});
  return windows;
}

/// Composes the window `inner` with the window `outer` of a dimension of size
/// `extent`, if one window has the same elements and the same bounds checks.
static std::optional<Window> composeWindows(Window outer, Window inner,
                                            int64_t extent) {
  if (!outer.dynamic && !inner.dynamic)
    return Window{outer.offset + inner.offset * outer.stride, inner.size,
                  outer.stride * inner.stride, Value()};
  bool isInnerWhole = !inner.dynamic && inner.offset == 0 &&
                      inner.stride == 1 && inner.size == outer.size;
  if (isInnerWhole)
    return outer;
  bool isOuterWhole = !outer.dynamic && outer.offset == 0 &&
                      outer.stride == 1 && outer.size == extent;
  if (isOuterWhole)
    return inner;
  return std::nullopt;
}

/// Composes a window of a window into one window of the source.
static bool foldSliceOfSlice(SliceRefOp op) {
  auto outer = op.getSource().getDefiningOp<SliceRefOp>();
  if (!outer)
    return false;
  auto source = cast<MemRefType>(outer.getSource().getType());
  SmallVector<Window> outers = getWindows(outer), inners = getWindows(op);
  SmallVector<Value> dynamics;
  SmallVector<int64_t> offsets, sizes, strides, dropped;
  unsigned next = 0;
  for (unsigned d = 0; d < outers.size(); ++d) {
    std::optional<Window> window = outers[d];
    bool isDropped = llvm::is_contained(outer.getDropped(), d);
    if (!isDropped) {
      window = composeWindows(outers[d], inners[next], source.getDimSize(d));
      if (!window)
        return false;
      isDropped = llvm::is_contained(op.getDropped(), next++);
    }
    if (isDropped)
      dropped.push_back(d);
    if (window->dynamic)
      dynamics.push_back(window->dynamic);
    offsets.push_back(window->offset);
    sizes.push_back(window->size);
    strides.push_back(window->stride);
  }
  op.getSourceMutable().assign(outer.getSource());
  op.getOffsetsMutable().assign(dynamics);
  op.setStaticOffsets(offsets);
  op.setSizes(sizes);
  op.setStrides(strides);
  op.setDropped(dropped);
  return true;
}

OpFoldResult SliceRefOp::fold(FoldAdaptor adaptor) {
  // Types are equal and the window is static, so it is the whole Ref.
  bool isWhole =
      getSource().getType() == getType() && getOffsets().empty() &&
      llvm::all_of(getStrides(), [](int64_t stride) { return stride == 1; });
  if (isWhole)
    return getSource();
  if (foldConstantOffsets(*this, adaptor.getOffsets()) ||
      foldSliceOfSlice(*this))
    return getResult();
  return {};
}

/// A view that its type describes completely, so that a chain of them folds
/// into one.
template <typename ViewOp> static OpFoldResult foldTypedView(ViewOp op) {
  if (op.getSource().getType() == op.getType())
    return op.getSource();
  auto inner = op.getSource().template getDefiningOp<ViewOp>();
  if (!inner)
    return {};
  op.getSourceMutable().assign(inner.getSource());
  return op.getResult();
}

OpFoldResult BitcastRefOp::fold(FoldAdaptor) { return foldTypedView(*this); }
OpFoldResult ReshapeRefOp::fold(FoldAdaptor) { return foldTypedView(*this); }

OpFoldResult TransposeRefOp::fold(FoldAdaptor) {
  if (isIdentityPermutation(getPermutation()))
    return getSource();
  auto inner = getSource().getDefiningOp<TransposeRefOp>();
  if (!inner)
    return {};
  setPermutation(applyPermutation(inner.getPermutation(), getPermutation()));
  getSourceMutable().assign(inner.getSource());
  return getResult();
}
