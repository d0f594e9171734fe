//===- AssignSharedLayouts.cpp - The panels of arrays in shared memory ----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/IR/SharedLayout.h"
#include "dialects/Warpgroup/Transforms/Passes.h"

#include <numeric>

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPASSIGNSHAREDLAYOUTSPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

namespace {

/// The requirements of the users of an array, and of windows of it, on its
/// panels.
class Demands {
public:
  explicit Demands(Value ref) {
    auto type = cast<MemRefType>(ref.getType());
    multiple = numColumns = type.getShape().back();
    visit(ref, {type.getRank() - 1, /*offset=*/0, numColumns});
  }

  /// True if an MMA reads the array and no user requires another layout.
  bool isForProducts() const { return isRead && !isFixed; }

  /// The number of columns of a panel must divide `columns`, or be all of them.
  bool allow(int64_t columns) const {
    return multiple % columns == 0 && (!isWhole || columns == numColumns);
  }

private:
  /// The columns of the array in a view: their dimension, -1 for a single one;
  /// the divisor of their offset, 0 for all of them; and their number.
  struct Columns {
    int64_t dim, offset, size;
  };

  void visit(Value ref, Columns columns) {
    for (OpOperand &use : ref.getUses())
      visit(use, columns);
  }

  void visit(OpOperand &use, Columns columns) {
    Operation *user = use.getOwner();
    if (auto slice = dyn_cast<grid::SliceRefOp>(user)) {
      visit(slice.getResult(), getWindow(slice, columns));
    } else if (auto transpose = dyn_cast<grid::TransposeRefOp>(user)) {
      auto *found = llvm::find(transpose.getPermutation(), columns.dim);
      if (columns.dim >= 0)
        columns.dim = found - transpose.getPermutation().begin();
      visit(transpose.getResult(), columns);
    } else if (auto reshape = dyn_cast<grid::ReshapeRefOp>(user);
               reshape && keepsRows(reshape, columns)) {
      columns.dim = reshape.getType().getRank() - 1;
      visit(reshape.getResult(), columns);
    } else if (auto product = dyn_cast<MmaOp>(user)) {
      read(columns, use == product.getLhsMutable() ? 1 : 0);
    } else if (auto product = dyn_cast<Tcgen05MmaOp>(user)) {
      read(columns, use == product.getLhsMutable() ? 1 : 0);
    } else if (isa<TmaLoadOp, TmaStoreOp, CpAsyncOp>(user)) {
      multiple = std::gcd(std::gcd(multiple, columns.offset), columns.size);
    } else if (!isa<grid::LoadOp, grid::StoreOp, grid::AccumulateOp, MmaSyncOp>(
                   user)) {
      // Other views and copies require contiguous elements.
      isFixed = true;
    }
  }

  /// If a view moves rows of one matrix to another, the rows must be in one
  /// panel.
  bool keepsRows(grid::ReshapeRefOp reshape, Columns columns) {
    ArrayRef<int64_t> from =
        cast<MemRefType>(reshape.getSource().getType()).getShape();
    ArrayRef<int64_t> to = reshape.getType().getShape();
    if (from.size() < 2 || to.size() < 2 || columns.size != numColumns ||
        columns.dim + 1 != static_cast<int64_t>(from.size()) ||
        from.back() != to.back())
      return false;
    isWhole |= from[from.size() - 2] != to[to.size() - 2];
    return true;
  }

  Columns getWindow(grid::SliceRefOp slice, Columns columns) {
    int64_t dim = columns.dim;
    if (dim < 0)
      return columns;
    isFixed |= slice.getStrides()[dim] != 1;
    int64_t size = slice.getSizes()[dim];
    if (size != columns.size) {
      // Windows whose offset is computed begin where one of their size may.
      int64_t offset = slice.getStaticOffsets()[dim];
      columns.offset = std::gcd(columns.offset,
                                ShapedType::isDynamic(offset) ? size : offset);
      columns.size = size;
    }
    int64_t numDropped = 0;
    for (int64_t dropped : slice.getDropped()) {
      if (dropped == dim)
        columns.dim = -1;
      numDropped += dropped < dim;
    }
    if (columns.dim >= 0)
      columns.dim -= numDropped;
    return columns;
  }

  /// Along its depth a matrix may begin inside of a panel.
  void read(Columns columns, int64_t depthDim) {
    isRead = true;
    if (columns.dim != depthDim)
      multiple = std::gcd(multiple, columns.offset);
  }

  int64_t multiple, numColumns;
  bool isRead = false, isFixed = false, isWhole = false;
};

/// The dimension whose indices are the rows of panels: the last one before the
/// columns that has more than one index in a tile.
int64_t getRowDim(ArrayRef<int64_t> tile, int64_t rank) {
  for (int64_t d = rank - 2; d >= 0 && d >= rank - int64_t(tile.size()); --d)
    if (tile[d - rank + tile.size()] != 1)
      return d;
  return rank - 2;
}

/// The layout that the author's transforms specify, or null. Without a swizzle,
/// the width of panels matters only to MMAs.
SharedLayoutAttr getAuthored(Value ref, ArrayAttr transforms) {
  auto type = cast<MemRefType>(ref.getType());
  int64_t panelBytes = kMinPanelBytes;
  ArrayRef<int64_t> tile;
  for (auto transform : transforms.getAsRange<grid::TransformAttr>()) {
    if (transform.getKind() == grid::TransformKind::Unswizzle)
      panelBytes = transform.getValues().front();
    if (transform.getKind() == grid::TransformKind::Untiling)
      tile = transform.getValues();
  }
  int64_t columns = getNumElements(ref, panelBytes);
  if (tile.empty() ||
      (panelBytes == kMinPanelBytes && tile.back() != columns) ||
      type.getShape().back() % columns != 0)
    return {};
  return SharedLayoutAttr::get(type.getContext(), panelBytes,
                               getRowDim(tile, type.getRank()));
}

/// The widest panels that the users of an array allow, or null if they need
/// none.
SharedLayoutAttr getDemanded(Value ref) {
  auto type = cast<MemRefType>(ref.getType());
  Demands demands(ref);
  if (!demands.isForProducts())
    return {};
  for (int64_t bytes = kMaxPanelBytes; bytes >= kMinPanelBytes; bytes /= 2)
    if (demands.allow(getNumElements(ref, bytes)))
      return SharedLayoutAttr::get(type.getContext(), bytes,
                                   type.getRank() - 2);
  return {};
}

class WarpgroupAssignSharedLayoutsPass
    : public warpgroup::impl::WarpgroupAssignSharedLayoutsPassBase<
          WarpgroupAssignSharedLayoutsPass> {
public:
  using WarpgroupAssignSharedLayoutsPassBase::
      WarpgroupAssignSharedLayoutsPassBase;

  void runOnOperation() override {
    FailureOr<grid::KernelOp> kernel =
        warpgroup::getSingleProgram(getOperation());
    if (failed(kernel))
      return signalPassFailure();
    if (*kernel)
      kernel->getBodyRegion().walk([&](grid::ScopedOp scope) {
        if (!scope->hasAttr(kSharedLayoutsAttr))
          assign(scope);
      });
  }

private:
  void assign(grid::ScopedOp scope) {
    SmallVector<Attribute> layouts;
    auto none = UnitAttr::get(&getContext());
    std::optional<ArrayAttr> transforms = scope.getTransforms();
    for (BlockArgument ref : scope.getBody().getArguments()) {
      layouts.push_back(none);
      if (!canHavePanels(ref.getType()))
        continue;
      SharedLayoutAttr layout;
      if (transforms)
        layout = getAuthored(
            ref, cast<ArrayAttr>((*transforms)[ref.getArgNumber()]));
      if (!layout)
        layout = getDemanded(ref);
      if (!layout)
        continue;
      layouts.back() = layout;
      ++numDivided;
    }
    if (llvm::any_of(layouts, llvm::IsaPred<SharedLayoutAttr>))
      scope->setAttr(kSharedLayoutsAttr,
                     ArrayAttr::get(&getContext(), layouts));
  }
};

} // namespace
