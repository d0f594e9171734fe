//===- SharedArrays.cpp - Arrays in shared memory -------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/SharedArrays.h"

#include "dialects/Warpgroup/IR/SharedLayout.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

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

View createSharedArray(Lowering &lowering, Location loc, Value ref,
                       int64_t offset) {
  auto type = cast<MemRefType>(ref.getType());
  auto storage = std::make_shared<Storage>();
  storage->kind = Storage::Kind::Shared;
  storage->elementType = type.getElementType();
  storage->shape.assign(type.getShape().begin(), type.getShape().end());
  storage->width = getRowLength(type.getShape());
  storage->base = lowering.createSharedAddress(loc, offset);
  storage->isPacked = warpgroup::isPackedForTensorCore(ref);
  View view = getWholeView(lowering.builder, storage);
  if (warpgroup::SharedLayoutAttr layout = warpgroup::getSharedLayout(ref)) {
    view.dims = moveRows(*storage, layout.getRows());
    storage->width = warpgroup::getNumElements(ref, layout.getPanelBytes());
    storage->swizzle = layout.getPanelBytes();
  }
  return view;
}

} // namespace gridir::warpgroup_to_nvvm
