//===- TensorCopies.cpp - Copies from shared to tensor memory -------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/SharedMatrix.h"
#include "dialects/Conversion/WarpgroupToNVVM/TensorCore.h"
#include "dialects/Conversion/WarpgroupToNVVM/TensorMemory.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {
namespace {

using CopyShape = NVVM::Tcgen05CpShape;
using CopyMulticast = NVVM::Tcgen05CpMulticast;

/// One of the copies that compose that of a tile: a descriptor of its source
/// and the column of its destination.
struct TensorCopy {
  CopyShape shape;
  CopyMulticast multicast;
  Value descriptor;
  int64_t column;
};

/// A copy to tensor memory as copies of blocks of shared memory.
class TileCopy {
public:
  TileCopy(warpgroup::TmemCopyOp op, Lowering &lowering)
      : op(op), lowering(lowering), builder(lowering.builder),
        tile(lowering.getView(op.getSource())),
        window(builder, lowering.getView(op.getDest())),
        matrix(lowering, tile, /*depthDim=*/1, MatrixUnit::Tcgen05) {}

  LogicalResult lower() {
    if (failed(checkTensorCore(op, lowering, op.getCollectiveAttr())) ||
        failed(window.analyze(op)) || failed(analyze()))
      return failure();
    Location loc = op.getLoc();
    createForTensorCore(lowering, loc, op.getCollectiveAttr(), [&] {
      Value address = window.createAddress(loc);
      for (const TensorCopy &copy :
           isBlocked() ? getBlocks(loc) : getColumns(loc)) {
        Value target = window.createColumnAddress(
            loc, address, builder.getI32IntegerAttr(copy.column));
        NVVM::Tcgen05CpOp::create(
            builder, loc, copy.shape,
            getCtaGroup(op.getCollective().has_value()), copy.multicast,
            /*srcFormat=*/NVVM::Tcgen05CpSrcFormatAttr(),
            createTensorPointer(builder, loc, target), copy.descriptor);
      }
    });
    return success();
  }

private:
  /// True if the tile contains blocks of scale factors or of metadata.
  bool isBlocked() { return op.getScales() || op.getMetadata(); }

  const warpgroup::TensorMemoryLayout &getLayout() {
    return *lowering.getView(op.getDest()).storage->tensor;
  }

  LogicalResult analyze() {
    if (!isBlocked()) {
      if (getLayout().kind != warpgroup::TensorMemoryLayout::Kind::Rows ||
          getLayout().packing * tile.storage->getBytes(8) != 32)
        return op.emitError("expected a copy to 128 rows of tensor memory that "
                            "is not an accumulator, got one to ")
               << op.getDest().getType();
      if (failed(matrix.analyze(op)))
        return failure();
      if (matrix.isTransposed())
        return op.emitError("expected a tile whose rows are contiguous");
      return success();
    }
    // The rows of a block are contiguous, with 16 bytes each.
    const Storage &storage = *tile.storage;
    size_t rank = tile.dims.size();
    int64_t last = storage.shape.size() - 1;
    if (storage.kind != Storage::Kind::Shared || !storage.isRowMajor() ||
        rank != 4 || !llvm::is_sorted(tile.dims) ||
        tile.dims[rank - 1] != last || tile.dims[rank - 2] != last - 1 ||
        tile.sizes[rank - 1] != storage.shape[last] ||
        tile.sizes[rank - 2] != storage.shape[last - 1])
      return op.emitError("expected whole blocks in shared memory without gaps "
                          "and swizzle, got ")
             << op.getSource().getType();
    return success();
  }

  /// Blocks with rows of 16 bytes: the blocks of one column are adjacent in
  /// tensor memory, followed by those of the next column.
  SmallVector<TensorCopy> getBlocks(Location loc) {
    bool isPaired =
        getLayout().kind == warpgroup::TensorMemoryLayout::Kind::PairedScales;
    SmallVector<TensorCopy> copies;
    for (int64_t row = 0; row < tile.sizes[0]; ++row)
      for (int64_t column = 0; column < tile.sizes[1]; ++column) {
        Value zero = createI32(builder, loc, 0);
        Value address = lowering.createAddress(loc, tile,
                                               {createI32(builder, loc, row),
                                                createI32(builder, loc, column),
                                                zero, zero});
        Value descriptor = createMatrixDescriptor(
            builder, loc, address, /*leadingBytes=*/0, kCoreRows * kCoreBytes,
            /*swizzle=*/kCoreBytes, MatrixUnit::Tcgen05);
        int64_t target = (column * tile.sizes[0] + row) * kCoreBytes / 4;
        if (op.getMetadata())
          copies.push_back({CopyShape::SHAPE_128x128b, CopyMulticast::NONE,
                            descriptor, target});
        else if (isPaired)
          copies.push_back({CopyShape::SHAPE_64x128b,
                            CopyMulticast::WARPX2_01_23, descriptor, target});
        else
          copies.push_back({CopyShape::SHAPE_32x128b, CopyMulticast::WARPX4,
                            descriptor, target});
      }
    return copies;
  }

  /// All rows of as many columns as a copy takes.
  SmallVector<TensorCopy> getColumns(Location loc) {
    matrix.createBase(loc);
    int64_t bytes =
        tile.storage->swizzle == kCoreBytes ? kCoreBytes : 2 * kCoreBytes;
    CopyShape shape = bytes == kCoreBytes ? CopyShape::SHAPE_128x128b
                                          : CopyShape::SHAPE_128x256b;
    int64_t step = bytes * 8 / tile.storage->getBytes(8);
    SmallVector<TensorCopy> copies;
    for (int64_t column = 0; column < tile.sizes[1]; column += step)
      copies.push_back({shape, CopyMulticast::NONE,
                        matrix.createDescriptor(loc, /*outer=*/0, column),
                        column / getLayout().packing});
    return copies;
  }

  /// Tensor cores read units of eight rows of 16 bytes.
  static constexpr int64_t kCoreRows = 8, kCoreBytes = 16;

  warpgroup::TmemCopyOp op;
  Lowering &lowering;
  OpBuilder &builder;
  const View &tile;
  TensorWindow window;
  SharedMatrix matrix;
};

LogicalResult lowerTensorCopy(warpgroup::TmemCopyOp op, Lowering &lowering) {
  return TileCopy(op, lowering).lower();
}

} // namespace

void addTensorCopyLowerings(Handlers &handlers) {
  handlers.add(lowerTensorCopy);
}

} // namespace gridir::warpgroup_to_nvvm
