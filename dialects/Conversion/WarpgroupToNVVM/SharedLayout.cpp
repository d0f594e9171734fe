//===- SharedLayout.cpp - How arrays lie in shared memory -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/SharedLayout.h"

#include <numeric>

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {
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
    } else if (auto product = dyn_cast<warpgroup::MmaOp>(user)) {
      read(columns, use == product.getLhsMutable() ? 1 : 0);
    } else if (auto product = dyn_cast<warpgroup::Tcgen05MmaOp>(user)) {
      read(columns, use == product.getLhsMutable() ? 1 : 0);
    } else if (isa<warpgroup::TmaLoadOp, warpgroup::TmaStoreOp,
                   warpgroup::CpAsyncOp>(user)) {
      multiple = std::gcd(std::gcd(multiple, columns.offset), columns.size);
    } else if (!isa<grid::LoadOp, grid::StoreOp, grid::AccumulateOp,
                    warpgroup::MmaSyncOp>(user)) {
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

} // namespace

/// The dimension whose indices are the rows of panels: the last one before the
/// columns that has more than one index in a tile.
static int64_t getRowDim(ArrayRef<int64_t> tile, int64_t rank) {
  for (int64_t d = rank - 2; d >= 0 && d >= rank - int64_t(tile.size()); --d)
    if (tile[d - rank + tile.size()] != 1)
      return d;
  return rank - 2;
}

/// Moves the dimension of the rows after those between panels, and returns the
/// new position of each dimension.
static SmallVector<int64_t> moveRows(Storage &storage, int64_t rowDim) {
  int64_t rank = storage.shape.size();
  auto dims = llvm::to_vector(llvm::seq<int64_t>(rank));
  for (int64_t d = rowDim + 1; d < rank - 1; ++d)
    --dims[d];
  dims[rowDim] = rank - 2;
  SmallVector<int64_t> shape(storage.shape);
  for (auto [d, size] : llvm::zip_equal(dims, shape))
    storage.shape[d] = size;
  return dims;
}

SmallVector<int64_t> setSharedLayout(Storage &storage, Value ref,
                                     ArrayAttr transforms) {
  int64_t swizzle = 16, rank = storage.shape.size();
  ArrayRef<int64_t> tile;
  if (transforms)
    for (auto transform : transforms.getAsRange<grid::TransformAttr>()) {
      if (transform.getKind() == grid::TransformKind::Unswizzle)
        swizzle = transform.getValues().front();
      if (transform.getKind() == grid::TransformKind::Untiling)
        tile = transform.getValues();
    }
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(rank));
  if (rank < 2)
    return dims;
  auto getColumns = [&](int64_t bytes) {
    return bytes * 8 / storage.getBytes(8);
  };
  // Without a swizzle, the width of panels matters only to MMAs.
  int64_t columns = getColumns(swizzle);
  if (!tile.empty() && (swizzle > 16 || tile.back() == columns) &&
      storage.shape.back() % columns == 0) {
    dims = moveRows(storage, getRowDim(tile, rank));
    storage.width = columns;
    storage.swizzle = swizzle;
    return dims;
  }
  Demands demands(ref);
  if (!demands.isForProducts())
    return dims;
  for (int64_t bytes : {128, 64, 32, 16})
    if (demands.allow(getColumns(bytes))) {
      storage.width = getColumns(bytes);
      storage.swizzle = bytes;
      break;
    }
  return dims;
}

} // namespace gridir::warpgroup_to_nvvm
