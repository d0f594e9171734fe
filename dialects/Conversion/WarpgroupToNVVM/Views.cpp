//===- Views.cpp - Refs as windows of memory ------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {
namespace {

/// True if a window of registers has all dimensions, in order, at constant
/// offsets.
bool isKnownWindow(grid::SliceRefOp op, const View &view) {
  return op.getOffsets().empty() && op.getDropped().empty() &&
         llvm::all_of(op.getStrides(),
                      [](int64_t step) { return step == 1; }) &&
         llvm::equal(view.dims, llvm::seq<int64_t>(0, view.dims.size()));
}

LogicalResult lowerSliceRef(grid::SliceRefOp op, Lowering &lowering) {
  View view = lowering.getView(op.getSource());
  if (view.storage->kind == Storage::Kind::Registers &&
      !isKnownWindow(op, view))
    return op.emitError("expected a window of full rank at static offsets of a "
                        "Ref in registers, got ")
           << op.getType();
  view.slice(lowering.builder, op,
             [&](Value offset) { return lowering.getIndex(offset); });
  lowering.setView(op.getResult(), std::move(view));
  return success();
}

LogicalResult lowerTransposeRef(grid::TransposeRefOp op, Lowering &lowering) {
  View view = lowering.getView(op.getSource());
  if (view.storage->kind == Storage::Kind::Registers &&
      view.sizes != view.storage->shape)
    return op.emitError("expected all of a Ref in registers, got a window");
  view.transpose(op.getPermutation());
  lowering.setView(op.getResult(), std::move(view));
  return success();
}

/// True if a view is contiguous in memory except for its panels and swizzle:
/// all of the last dimensions, and one index of each dimension before.
bool isContiguous(const View &view) {
  const Storage &storage = *view.storage;
  if (storage.kind == Storage::Kind::Registers || !llvm::is_sorted(view.dims))
    return false;
  SmallVector<int64_t> sizes(storage.shape.size(), 1);
  for (auto [d, size] : llvm::zip_equal(view.dims, view.sizes))
    sizes[d] = size;
  bool isPart = false;
  for (int64_t d = sizes.size() - 1; d >= 0; --d) {
    if (sizes[d] > 1 && (isPart || view.strides[d] != 1))
      return false;
    isPart |= sizes[d] < storage.shape[d];
  }
  return true;
}

/// Of a type of numbers.
int64_t getElementBytes(MemRefType type) {
  return getStorageType(type.getElementType()).getIntOrFloatBitWidth() / 8;
}

/// True if a view is aligned to the swizzle.
bool beginsWithSwizzle(const View &view) {
  constexpr int64_t kSwizzleRows = 8;
  const Storage &storage = *view.storage;
  return llvm::all_of(llvm::enumerate(view.offsets), [&](auto indexed) {
    auto [d, offset] = indexed;
    return getDivisor(offset) * storage.getBytes(storage.getStride(d)) %
               (kSwizzleRows * storage.swizzle) ==
           0;
  });
}

/// True if a view has the panels of a Ref with the same bytes: rows stay rows,
/// several panels keep their number, and the view begins where the swizzle
/// does.
bool keepsPanels(const View &view, MemRefType type) {
  const Storage &storage = *view.storage;
  if (storage.isRowMajor())
    return true;
  int64_t last = storage.shape.size() - 1, rank = view.sizes.size(),
          newRank = type.getRank(), elementBytes = getElementBytes(type);
  if (storage.isPacked || rank < 2 || newRank < 2 ||
      view.sizes[rank - 1] != storage.shape[last] ||
      storage.getBytes(storage.shape[last]) !=
          type.getDimSize(newRank - 1) * elementBytes)
    return false;
  if (storage.getNumPanels() > 1 &&
      (view.sizes[rank - 2] != storage.shape[last - 1] ||
       view.sizes[rank - 2] != type.getDimSize(newRank - 2)))
    return false;
  return beginsWithSwizzle(view);
}

/// True if a Ref is the matrix of a view's panels: each dimension except the
/// last two is one of the view's, in the order of memory.
bool joinsPanels(const View &view, MemRefType type) {
  const Storage &storage = *view.storage;
  int64_t last = storage.shape.size() - 1, rank = view.dims.size();
  if (storage.kind != Storage::Kind::Shared || rank < 3 ||
      type.getRank() + 1 != rank ||
      storage.elementType != type.getElementType())
    return false;
  View ordered = view;
  std::swap(ordered.dims[rank - 3], ordered.dims[rank - 2]);
  std::swap(ordered.sizes[rank - 3], ordered.sizes[rank - 2]);
  SmallVector<int64_t> joined(view.sizes);
  joined[rank - 2] *= joined.pop_back_val();
  return ordered.dims[rank - 3] == last - 2 && isContiguous(ordered) &&
         llvm::equal(ArrayRef(ordered.sizes).take_back(3),
                     ArrayRef(storage.shape).take_back(3)) &&
         type.getShape() == ArrayRef(joined) && beginsWithSwizzle(view);
}

/// The layout of a bitcast of tensor memory: each row keeps its lanes, and as
/// many elements as fit share a column.
LogicalResult reinterpretTensor(Operation *op, MemRefType from, MemRefType to,
                                warpgroup::TensorMemoryLayout &layout) {
  int64_t bits = layout.packing * from.getElementTypeBitWidth(),
          newBits = to.getElementTypeBitWidth(), rank = to.getRank();
  bool keepsRows = rank < 2 || to.getDimSize(rank - 2) ==
                                   layout.shape[layout.shape.size() - 2];
  if (!keepsRows || bits % newBits != 0)
    return op->emitError("expected a view of tensor memory that keeps its rows "
                         "and columns, got ")
           << to << " of " << from;
  layout.packing = bits / newBits;
  if (rank >= 2)
    layout.shape.assign(to.getShape().begin(), to.getShape().end());
  return success();
}

/// True if a view has several elements in each byte of a Ref in shared memory.
bool sharesBytes(MemRefType from, MemRefType to, const Storage &storage) {
  if (storage.kind != Storage::Kind::Shared || storage.isPacked)
    return false;
  unsigned width = from.getElementTypeBitWidth(),
           newWidth = to.getElementTypeBitWidth();
  return width % 8 == 0 && newWidth < 8 && 8 % newWidth == 0 &&
         to.getElementType().isInteger(newWidth) && newWidth > 1 &&
         from.getNumElements() * width == to.getNumElements() * newWidth;
}

/// The same bytes as elements of another Ref.
template <typename OpT>
LogicalResult lowerReinterpretation(OpT op, Lowering &lowering) {
  OpBuilder &builder = lowering.builder;
  const View &view = lowering.getView(op.getSource());
  MemRefType type = op.getResult().getType();
  bool isJoined = joinsPanels(view, type);
  if (!isJoined && (!isContiguous(view) || !keepsPanels(view, type)))
    return op.emitError("expected a contiguous Ref, got ")
           << op.getSource().getType();
  if (failed(checkAddresses(op, view)))
    return failure();
  // An element of less than a byte occupies a byte, except where the tensor
  // core reads it.
  auto storage = std::make_shared<Storage>(*view.storage);
  storage->elementType = type.getElementType();
  if (sharesBytes(op.getSource().getType(), type, *storage))
    storage->isPacked = true;
  if (view.storage->getBytes(op.getSource().getType().getNumElements()) !=
      storage->getBytes(type.getNumElements()))
    return op.emitError("expected elements of whole bytes, got ")
           << type.getElementType() << " of " << op.getSource().getType();
  if (storage->tensor && failed(reinterpretTensor(op, op.getSource().getType(),
                                                  type, *storage->tensor)))
    return failure();
  SmallVector<Value> first;
  for (size_t i = 0; i < view.dims.size(); ++i)
    first.push_back(createI32(builder, op.getLoc(), 0));
  storage->base = lowering.createAddress(op.getLoc(), view, first);
  if (!llvm::all_of(view.offsets, [](OpFoldResult offset) {
        return getConstantIntValue(offset) == 0;
      }))
    storage->operand = -1;
  storage->shape.assign(type.getShape().begin(), type.getShape().end());
  storage->width = getRowLength(type.getShape());
  if (isJoined || !view.storage->isRowMajor())
    storage->width =
        view.storage->getBytes(view.storage->width) / getElementBytes(type);
  lowering.setView(op.getResult(), getWholeView(builder, storage));
  return success();
}

} // namespace

void addViewLowerings(Handlers &handlers) {
  handlers.add(lowerSliceRef);
  handlers.add(lowerTransposeRef);
  handlers.add(lowerReinterpretation<grid::ReshapeRefOp>);
  handlers.add(lowerReinterpretation<grid::BitcastRefOp>);
}

} // namespace gridir::warpgroup_to_nvvm
