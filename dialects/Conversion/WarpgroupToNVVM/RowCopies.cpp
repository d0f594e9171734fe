//===- RowCopies.cpp - Copies of rows that an array names -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {
namespace {

/// The alignment of a copy in shared memory, and the number of rows per copy on
/// chips that gather several rows.
constexpr int64_t kCopyAlignment = 128, kGathered = 4;

class RowCopy {
public:
  /// A copy of the rows to the tile, which ends at the barrier.
  RowCopy(warpgroup::TmaGatherOp op, Lowering &lowering)
      : RowCopy(op, lowering, op.getSource(), op.getRows(), op.getDest(),
                op.getBarrier()) {}

  /// A copy of the tile to the rows.
  RowCopy(warpgroup::TmaScatterOp op, Lowering &lowering)
      : RowCopy(op, lowering, op.getDest(), op.getRows(), op.getSource(),
                /*barrierRef=*/Value()) {}

  LogicalResult lower() {
    if (failed(analyze()))
      return failure();
    Distribution groups = getGroups();
    Registers rows = lowering.redistribute(loc, numbers, groups);
    if (barrierRef)
      expect();
    auto tensor = RankedTensorType::get(
        array.storage->shape,
        lowering.getMapElementType(array.storage->elementType));
    int64_t swizzle = tile.storage->swizzle;
    Value map = lowering.getTensorMap(kernel::TensorMapAttr::get(
        op->getContext(), array.storage->operand, tensor, {1, width},
        swizzle == 16 ? 0 : swizzle));
    for (unsigned r = 0; r < groups.getNumRegisters(); r += groupSize) {
      OpBuilder::InsertionGuard guard(builder);
      if (Value owns = lowering.createOwns(groups, r)) {
        auto copies = scf::IfOp::create(builder, loc, owns);
        builder.setInsertionPointToStart(copies.thenBlock());
      }
      Value first = lowering.createElement(groups, r).front();
      for (int64_t column = 0; column < tile.sizes[1]; column += width)
        createCopy(map, first, column, ArrayRef(rows).slice(r, groupSize));
    }
    return success();
  }

private:
  RowCopy(Operation *op, Lowering &lowering, Value arrayRef, Value numbers,
          Value tileRef, Value barrierRef)
      : op(op), lowering(lowering), builder(lowering.builder),
        loc(op->getLoc()), numbers(numbers), barrierRef(barrierRef),
        array(lowering.getView(arrayRef)), tile(lowering.getView(tileRef)) {}

  LogicalResult refuse(const Twine &expected) {
    return op->emitError("expected a copy of rows ")
           << expected << ", got one of " << op->getOperand(0).getType();
  }

  LogicalResult analyze() {
    const Storage &rows = *array.storage, &panels = *tile.storage;
    if (rows.kind != Storage::Kind::Global || rows.operand < 0 ||
        panels.kind != Storage::Kind::Shared)
      return refuse("between an operand and shared memory");
    auto isPlain = [](const View &view) {
      int64_t rank = view.storage->shape.size();
      return !view.storage->isPacked && view.dims.size() == 2 &&
             view.dims[0] == rank - 2 && view.dims[1] == rank - 1 &&
             view.strides[rank - 2] == 1 && view.strides[rank - 1] == 1;
    };
    if (rows.shape.size() != 2 || !isPlain(array) || !isPlain(tile))
      return refuse("of a matrix");
    if (rows.shape[1] * rows.getElementBytes() % 16 != 0)
      return refuse("of a multiple of 16 bytes");
    width = panels.width;
    numRows = tile.sizes[0];
    if (tile.sizes[1] % width != 0 || getDivisor(tile.offsets.back()) % width)
      return refuse("in whole panels of " + Twine(width) +
                    " columns of shared memory");
    groupSize = lowering.chip.hasTensorMemory ? kGathered : 1;
    if (numRows % groupSize != 0)
      return refuse("whose number is a multiple of " + Twine(groupSize));
    int64_t bytes = groupSize * width * panels.getElementBytes();
    if (bytes % kCopyAlignment != 0 || width > 256)
      return refuse("aligned to multiples of " + Twine(kCopyAlignment) +
                    " bytes of shared memory");
    return success();
  }

  /// The phase of the barrier waits for the bytes of all rows.
  void expect() {
    barrier = lowering.createAddress(loc, lowering.getView(barrierRef), {});
    lowering.createForLeader(loc, Value(), [&] {
      Value bytes =
          createI32(builder, loc,
                    numRows * tile.sizes[1] * tile.storage->getElementBytes());
      NVVM::MBarrierArriveExpectTxOp::create(builder, loc, Type(), barrier,
                                             bytes, NVVM::MemScopeKind::CTA,
                                             /*relaxed=*/false, Value());
    });
  }

  /// Each thread has the numbers of the rows that it copies.
  Distribution getGroups() const {
    Distribution result;
    result.shape = result.space = {numRows};
    int64_t numGroups = numRows / groupSize;
    int64_t numThreads = std::min<int64_t>(numGroups & -numGroups, kNumThreads);
    for (int64_t group = 0; group < numGroups; group += numThreads)
      for (int64_t row = 0; row < groupSize; ++row)
        result.registers.push_back({group * groupSize + row});
    for (unsigned bit = 0; bit < kNumThreadBits; ++bit)
      result.threadBits[bit] = {
          int64_t(1) << bit < numThreads ? groupSize << bit : 0};
    return result;
  }

  void createCopy(Value map, Value first, int64_t column,
                  ArrayRef<Value> rows) {
    View plain = tile;
    plain.storage = std::make_shared<Storage>(*tile.storage);
    plain.storage->swizzle = 16;
    Value address = lowering.createAddress(
        loc, plain, {first, createI32(builder, loc, column)});
    SmallVector<Value> coords = {
        toI32(builder, loc,
              createOffset(builder, loc, array.offsets[1],
                           builder.getI32IntegerAttr(column)))};
    for (Value row : rows)
      coords.push_back(toI32(
          builder, loc, createOffset(builder, loc, array.offsets[0], row)));
    if (!barrier) {
      NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
          builder, loc, map, address, coords, /*l2CacheHint=*/Value(),
          groupSize > 1 ? NVVM::TMAStoreMode::TILE_SCATTER4
                        : NVVM::TMAStoreMode::TILE,
          /*predicate=*/Value());
      return;
    }
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        builder, loc, toCluster(builder, loc, address), map, coords, barrier,
        /*im2colOffsets=*/ValueRange(), /*multicastMask=*/Value(),
        /*l2CacheHint=*/Value(),
        groupSize > 1 ? NVVM::TMALoadMode::TILE_GATHER4
                      : NVVM::TMALoadMode::TILE,
        /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
  }

  Operation *op;
  Lowering &lowering;
  OpBuilder &builder;
  Location loc;
  Value numbers, barrierRef, barrier;
  const View &array, &tile;
  int64_t width = 0, numRows = 0, groupSize = 1;
};

template <typename OpT> LogicalResult lowerRows(OpT op, Lowering &lowering) {
  return RowCopy(op, lowering).lower();
}

} // namespace

void addRowCopyLowerings(Handlers &handlers) {
  handlers.add(lowerRows<warpgroup::TmaGatherOp>);
  handlers.add(lowerRows<warpgroup::TmaScatterOp>);
}

} // namespace gridir::warpgroup_to_nvvm
