//===- ThreadCopies.cpp - Asynchronous copies by threads ------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread copies 16 bytes at a time, from a row of the array to a row of the
// tile, and waits for its own copies.
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {
namespace {

constexpr int64_t kCopyBytes = 16;

class ThreadCopy {
public:
  ThreadCopy(warpgroup::CpAsyncOp op, Lowering &lowering)
      : op(op), lowering(lowering), builder(lowering.builder), loc(op.getLoc()),
        window(lowering.getView(op.getSource())),
        tile(lowering.getView(op.getDest())) {}

  LogicalResult lower() {
    if (failed(analyze()))
      return failure();
    int64_t numColumns = tile.sizes.back(), width = tile.storage->width;
    for (int64_t column = 0; column < numColumns; column += width)
      copyPanel(column, std::min(width, numColumns - column));
    return success();
  }

private:
  LogicalResult refuse(const Twine &expected) {
    return op.emitError("expected a copy by threads ")
           << expected << ", got one of " << op.getSource().getType();
  }

  /// Narrows `window` from the array to the window of the op.
  LogicalResult analyze() {
    const Storage &source = *window.storage, &dest = *tile.storage;
    if (source.kind != Storage::Kind::Global ||
        dest.kind != Storage::Kind::Shared || dest.isPacked)
      return refuse("between an operand and shared memory");
    if (tile.sizes.size() != 2)
      return refuse("of a matrix");
    ArrayRef<int64_t> dropped = op.getDropped().value_or(ArrayRef<int64_t>());
    ValueRange dynamic = op.getOffsets();
    SmallVector<int64_t> dims;
    for (auto [i, d] : llvm::enumerate(window.dims)) {
      OpFoldResult index = builder.getI32IntegerAttr(op.getStaticOffsets()[i]);
      if (ShapedType::isDynamic(op.getStaticOffsets()[i])) {
        index = lowering.getIndex(dynamic.front());
        dynamic = dynamic.drop_front();
      }
      window.offsets[d] = createOffset(builder, loc, window.offsets[d], index,
                                       window.strides[d]);
      if (!llvm::is_contained(dropped, static_cast<int64_t>(i)))
        dims.push_back(d);
    }
    window.dims.assign(dims.begin(), dims.end());
    window.sizes = tile.sizes;
    chunk = kCopyBytes / source.getElementBytes();
    auto isAligned = [&](const View &view) {
      const Storage &storage = *view.storage;
      int64_t last = storage.shape.size() - 1;
      for (int64_t d = 0; d < last; ++d)
        if (storage.getStride(d) % chunk != 0)
          return false;
      return view.dims.back() == last && view.strides[last] == 1 &&
             storage.width % chunk == 0 &&
             getDivisor(view.offsets[last]) % chunk == 0;
    };
    if (!isAligned(window) || !isAligned(tile) ||
        tile.sizes.back() % chunk != 0 ||
        getDivisor(tile.offsets.back()) % tile.storage->width != 0)
      return refuse("of rows of a multiple of 16 bytes, aligned to 16 bytes");
    return success();
  }

  /// Threads copy consecutive chunks of a row, and the next ones those of other
  /// rows.
  Distribution getChunks(int64_t numColumns) const {
    Distribution result;
    result.shape = result.space = {tile.sizes[0], numColumns};
    int64_t numChunks = numColumns / chunk, rows = 1;
    int64_t ofRow = numChunks & -numChunks;
    unsigned bit = 0;
    for (int64_t step = 1; step < ofRow && bit < kNumThreadBits; step *= 2)
      result.threadBits[bit++] = {0, step * chunk};
    int64_t columns = chunk << bit;
    for (; bit < kNumThreadBits && tile.sizes[0] % (2 * rows) == 0; rows *= 2)
      result.threadBits[bit++] = {rows, 0};
    // The last threads have nothing to copy.
    for (; bit < kNumThreadBits; ++bit)
      result.threadBits[bit] = {0, 0};
    for (int64_t row = 0; row < tile.sizes[0]; row += rows)
      for (int64_t column = 0; column < numColumns; column += columns)
        for (int64_t i = 0; i < chunk; ++i)
          result.registers.push_back({row, column + i});
    return result;
  }

  static View getPanel(OpBuilder &builder, Location loc, View view,
                       int64_t column, int64_t numColumns) {
    view.sizes.back() = numColumns;
    OpFoldResult &offset = view.offsets.back();
    offset =
        createOffset(builder, loc, offset, builder.getI32IntegerAttr(column));
    return view;
  }

  void copyPanel(int64_t column, int64_t numColumns) {
    View from = getPanel(builder, loc, window, column, numColumns),
         to = getPanel(builder, loc, tile, column, numColumns);
    Distribution chunks = getChunks(numColumns);
    SmallVector<Value> sources;
    lowering.forEachRun(
        loc, from, chunks, kCopyBytes,
        [&](unsigned, int64_t, Value address) { sources.push_back(address); });
    auto source = sources.begin();
    lowering.forEachRun(
        loc, to, chunks, kCopyBytes, [&](unsigned r, int64_t, Value address) {
          OpBuilder::InsertionGuard guard(builder);
          Value bytes =
              op.getInBounds() ? Value() : createBytes(from, chunks, r);
          if (Value owns = lowering.createOwns(chunks, r)) {
            auto copies = scf::IfOp::create(builder, loc, owns);
            builder.setInsertionPointToStart(copies.thenBlock());
          }
          NVVM::CpAsyncOp::create(builder, loc, address, *source++, kCopyBytes,
                                  NVVM::LoadCacheModifierKind::CG, bytes);
        });
  }

  /// The bytes that a copy reads: none of a chunk outside of the array, whose
  /// copy is zero.
  Value createBytes(const View &from, const Distribution &chunks, unsigned r) {
    ArrayRef<int64_t> extents = from.storage->shape;
    SmallVector<OpFoldResult> indices = from.offsets;
    for (auto [coord, d, size] : llvm::zip_equal(
             lowering.createElement(chunks, r), from.dims, from.sizes)) {
      std::optional<int64_t> first = getConstantIntValue(indices[d]);
      bool isInBounds = first && *first >= 0 &&
                        *first + (size - 1) * from.strides[d] < extents[d];
      if (!isInBounds)
        indices[d] =
            createOffset(builder, loc, indices[d], coord, from.strides[d]);
    }
    Value isInside;
    for (auto [index, extent] : llvm::zip_equal(indices, extents)) {
      if (std::optional<int64_t> known = getConstantIntValue(index);
          known && *known >= 0 && *known < extent)
        continue;
      Value below = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, toI32(builder, loc, index),
          createI32(builder, loc, extent));
      isInside =
          isInside
              ? arith::AndIOp::create(builder, loc, isInside, below).getResult()
              : below;
    }
    if (!isInside)
      return {};
    return arith::SelectOp::create(builder, loc, isInside,
                                   createI32(builder, loc, kCopyBytes),
                                   createI32(builder, loc, 0));
  }

  warpgroup::CpAsyncOp op;
  Lowering &lowering;
  OpBuilder &builder;
  Location loc;
  View window;
  const View &tile;
  /// The elements of one copy of a thread.
  int64_t chunk = 1;
};

LogicalResult lowerCpAsync(warpgroup::CpAsyncOp op, Lowering &lowering) {
  return ThreadCopy(op, lowering).lower();
}

LogicalResult lowerCpAsyncCommit(warpgroup::CpAsyncCommitOp op,
                                 Lowering &lowering) {
  NVVM::CpAsyncCommitGroupOp::create(lowering.builder, op.getLoc());
  return success();
}

LogicalResult lowerCpAsyncWait(warpgroup::CpAsyncWaitOp op,
                               Lowering &lowering) {
  NVVM::CpAsyncWaitGroupOp::create(lowering.builder, op.getLoc(),
                                   op.getPending());
  return success();
}

} // namespace

void addThreadCopyLowerings(Handlers &handlers) {
  handlers.add(lowerCpAsync);
  handlers.add(lowerCpAsyncCommit);
  handlers.add(lowerCpAsyncWait);
}

} // namespace gridir::warpgroup_to_nvvm
