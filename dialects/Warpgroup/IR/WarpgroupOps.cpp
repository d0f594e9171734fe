//===- WarpgroupOps.cpp - Verifiers of the warpgroup dialect --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/IR/Warpgroup.h"

#include "dialects/Warpgroup/IR/RegisterCoordinates.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::warpgroup;

/// Offsets of a window, each a number or a value with its type: `[%i : i32,
/// 0]`.
static ParseResult
parseOffsets(OpAsmParser &parser,
             SmallVectorImpl<OpAsmParser::UnresolvedOperand> &offsets,
             SmallVectorImpl<Type> &types, DenseI64ArrayAttr &numbers) {
  return parseDynamicIndexList(parser, offsets, numbers, &types);
}

static void printOffsets(OpAsmPrinter &printer, Operation *op,
                         OperandRange offsets, TypeRange types,
                         ArrayRef<int64_t> numbers) {
  printDynamicIndexList(printer, op, offsets, numbers, types);
}

#define GET_OP_CLASSES
#include "dialects/Warpgroup/IR/WarpgroupOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Windows of copies
//===----------------------------------------------------------------------===//

/// A copy moves numbers.
static LogicalResult verifyElements(Operation *op, MemRefType array) {
  if (!array.getElementType().isIntOrFloat())
    return op->emitOpError("expected an array of integers or floats, got ")
           << array;
  return success();
}

/// The window of a copy has an offset and a size for each dimension of the
/// array in global memory, and the shape of the tile in shared memory.
template <typename OpT>
static LogicalResult verifyWindow(OpT op, MemRefType array, MemRefType tile) {
  if (failed(verifyElements(op, array)))
    return failure();
  size_t rank = array.getRank();
  if (op.getStaticOffsets().size() != rank || op.getSizes().size() != rank)
    return op.emitOpError("expected an offset and a size for each of ")
           << rank << " dimensions, got " << op.getStaticOffsets().size()
           << " and " << op.getSizes().size();
  size_t numDynamic =
      llvm::count_if(op.getStaticOffsets(), ShapedType::isDynamic);
  if (op.getOffsets().size() != numDynamic)
    return op.emitOpError("expected ")
           << numDynamic << " dynamic offsets, got " << op.getOffsets().size();
  for (int64_t size : op.getSizes())
    if (size < 1)
      return op.emitOpError("expected sizes of one element or more, got ")
             << size;
  llvm::SmallBitVector isDropped(rank);
  for (int64_t dim : op.getDropped().value_or(ArrayRef<int64_t>())) {
    if (dim < 0 || dim >= static_cast<int64_t>(rank) || isDropped.test(dim))
      return op.emitOpError("expected dropped dimensions to be different ones "
                            "of the array, got ")
             << dim;
    if (op.getSizes()[dim] != 1)
      return op.emitOpError("expected size 1 of a dropped dimension, got ")
             << op.getSizes()[dim] << " of dimension " << dim;
    isDropped.set(dim);
  }
  SmallVector<int64_t> shape;
  for (auto [dim, size] : llvm::enumerate(op.getSizes()))
    if (!isDropped.test(dim))
      shape.push_back(size);
  if (ArrayRef<int64_t>(shape) != tile.getShape() ||
      array.getElementType() != tile.getElementType())
    return op.emitOpError("expected a tile of type ")
           << MemRefType::get(shape, array.getElementType()) << ", got "
           << tile;
  return success();
}

LogicalResult TmaLoadOp::verify() {
  if (getLeaderTracked() && (!getCollective() || getCollective()->size() != 1))
    return emitOpError("expected one collective axis of a copy that the leader "
                       "tracks");
  return verifyWindow(*this, cast<MemRefType>(getSource().getType()),
                      cast<MemRefType>(getDest().getType()));
}

LogicalResult CpAsyncOp::verify() {
  return verifyWindow(*this, cast<MemRefType>(getSource().getType()),
                      cast<MemRefType>(getDest().getType()));
}

/// A copy of rows is between an array, which has the rows, and a tile.
static LogicalResult verifyRows(Operation *op, MemRefType array,
                                RankedTensorType rows, MemRefType tile) {
  if (failed(verifyElements(op, array)))
    return failure();
  if (array.getRank() == 0 || rows.getRank() != 1)
    return op->emitOpError(
               "expected an array with rows and a list of row indices, got ")
           << array << " and " << rows;
  SmallVector<int64_t> shape(array.getShape());
  shape[0] = rows.getDimSize(0);
  if (ArrayRef<int64_t>(shape) != tile.getShape() ||
      array.getElementType() != tile.getElementType())
    return op->emitOpError("expected a tile of type ")
           << MemRefType::get(shape, array.getElementType()) << ", got "
           << tile;
  return success();
}

LogicalResult TmaGatherOp::verify() {
  return verifyRows(*this, cast<MemRefType>(getSource().getType()),
                    cast<RankedTensorType>(getRows().getType()),
                    cast<MemRefType>(getDest().getType()));
}

LogicalResult TmaScatterOp::verify() {
  return verifyRows(*this, cast<MemRefType>(getDest().getType()),
                    cast<RankedTensorType>(getRows().getType()),
                    cast<MemRefType>(getSource().getType()));
}

LogicalResult TmaStoreOp::verify() {
  return verifyWindow(*this, cast<MemRefType>(getDest().getType()),
                      cast<MemRefType>(getSource().getType()));
}

//===----------------------------------------------------------------------===//
// Pairs of blocks
//===----------------------------------------------------------------------===//

/// An operation of two CTAs is along an axis of size two.
static LogicalResult verifyPair(Operation *op, StringAttr axis) {
  auto kernel = op->getParentOfType<grid::KernelOp>();
  if (!axis || !kernel)
    return success();
  std::optional<unsigned> dim = kernel.findDim(axis);
  if (dim && kernel.getDim(*dim).getKind() == grid::DimKind::Cluster &&
      kernel.getDim(*dim).getSize() == 2)
    return success();
  return op->emitOpError("expected a collective axis of the cluster with two "
                         "blocks, got ")
         << axis;
}

LogicalResult Tcgen05CommitOp::verify() {
  return verifyPair(*this, getCollectiveAttr());
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The matrix unit does not access memory that all CTAs share.
static bool isInGlobalMemory(ShapedType type) {
  return isInSpace(type, Space::Gmem);
}

/// The MMA of `numBlocks` CTAs, each with a part of the columns; each element
/// of the left operand stands for `lhsSpan` along k.
template <typename OpT>
static LogicalResult verifyProduct(OpT op, int64_t numBlocks = 1,
                                   int64_t lhsSpan = 1) {
  auto acc = cast<ShapedType>(op.getAcc().getType()),
       lhs = cast<ShapedType>(op.getLhs().getType()),
       rhs = cast<ShapedType>(op.getRhs().getType());
  if (acc.getRank() != 2 || lhs.getRank() != 2 || rhs.getRank() != 2)
    return op.emitOpError("expected matrices, got ")
           << acc << ", " << lhs << " and " << rhs;
  if (!llvm::all_of(ArrayRef{acc, lhs, rhs}, [](ShapedType type) {
        return type.getElementType().isIntOrFloat();
      }))
    return op.emitOpError("expected integers and floats, got ")
           << acc << ", " << lhs << " and " << rhs;
  for (ShapedType type : {lhs, rhs})
    if (isInGlobalMemory(type))
      return op.emitOpError("expected operands in memory of the block or in "
                            "registers, got ")
             << type;
  if (acc.getDimSize(0) != lhs.getDimSize(0) ||
      acc.getDimSize(1) != rhs.getDimSize(1) * numBlocks ||
      lhs.getDimSize(1) * lhsSpan != rhs.getDimSize(0))
    return op.emitOpError("expected an m x n accumulator of m x k and k x n "
                          "operands, got ")
           << acc << " of " << lhs << " and " << rhs;
  return success();
}

LogicalResult MmaOp::verify() { return verifyProduct(*this); }

LogicalResult MmaSyncOp::verify() { return verifyProduct(*this); }

/// Adds reads of all operands that are Refs.
static void addReads(Operation *op,
                     SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : op->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
}

void MmaOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addReads(*this, effects);
  effects.emplace_back(MemoryEffects::Write::get(), &getAccMutable());
}

void MmaSyncOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addReads(*this, effects);
}

LogicalResult Tcgen05MmaOp::verify() {
  if (failed(verifyPair(*this, getCollectiveAttr())))
    return failure();
  int64_t lhsSpan = getMetadata() ? 2 : 1;
  if (failed(verifyProduct(*this, getCollective() ? 2 : 1, lhsSpan)))
    return failure();
  auto getShape = [](Value ref) {
    return cast<MemRefType>(ref.getType()).getShape();
  };
  ArrayRef<int64_t> lhs = getShape(getLhs()), acc = getShape(getAcc());
  if (getMetadata() && getShape(getMetadata()) != lhs)
    return emitOpError(
               "expected metadata for each element of the left operand, "
               "got ")
           << getMetadata().getType() << " of " << getLhs().getType();
  if (!getLhsScale())
    return success();
  int64_t depth = lhs[1] * lhsSpan;
  for (auto [scale, rows] :
       {std::pair(getLhsScale(), acc[0]), std::pair(getRhsScale(), acc[1])}) {
    ArrayRef<int64_t> shape = getShape(scale);
    if (shape.size() != 2 || shape[0] < rows || shape[1] < 1 ||
        depth % shape[1] != 0)
      return emitOpError("expected scales of ")
             << rows << " rows or more, whose number along k divides " << depth
             << ", got " << scale.getType();
  }
  return success();
}

void Tcgen05MmaOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands())
    if (isa<MemRefType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  effects.emplace_back(MemoryEffects::Write::get(), &getAccMutable());
  for (OpOperand &barrier : getBarrierMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &barrier);
}

//===----------------------------------------------------------------------===//
// TmemCopyOp
//===----------------------------------------------------------------------===//

LogicalResult TmemCopyOp::verify() {
  auto source = cast<MemRefType>(getSource().getType()),
       dest = cast<MemRefType>(getDest().getType());
  if (failed(verifyPair(*this, getCollectiveAttr())))
    return failure();
  if (getScales() && getMetadata())
    return emitOpError("expected scales or metadata, got both");
  SmallVector<int64_t> shape(dest.getShape());
  if (getScales() || getMetadata()) {
    // Blocks of 128 rows, whose columns are by fours or by sixty-fours.
    int64_t columns = getScales() ? 4 : 64;
    if (shape.size() != 2 || !dest.hasStaticShape() || shape[0] % 128 != 0 ||
        shape[1] % columns != 0)
      return emitOpError("expected a matrix of blocks of 128 rows and ")
             << columns << " columns in tensor memory, got " << dest;
    bool isPaired = getScales() && source.getRank() == 4 &&
                    source.getDimSize(2) == 64 && shape[0] % 256 == 0;
    shape = {shape[0] / (isPaired ? 256 : 128), shape[1] / columns,
             getMetadata() ? 128
             : isPaired    ? 64
                           : 32,
             getScales() ? 16 : 64};
  }
  auto expected = MemRefType::get(shape, dest.getElementType());
  if (source.getShape() != expected.getShape() ||
      source.getElementType() != dest.getElementType())
    return emitOpError("expected a tile of type ")
           << expected << ", got " << source << " for " << dest;
  return success();
}

//===----------------------------------------------------------------------===//
// Warpgroups of a block
//===----------------------------------------------------------------------===//

int64_t gridir::warpgroup::getNumWarpgroups(grid::KernelOp kernel) {
  int64_t count = 1;
  for (auto dim : kernel.getDims().getAsRange<grid::DimAttr>())
    if (dim.getKind() == grid::DimKind::Thread && !dim.isDynamic())
      count *= dim.getSize();
  return count;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

Value warpgroup::getSlicedRef(Value ref) {
  while (auto slice = ref.getDefiningOp<grid::SliceRefOp>())
    ref = slice.getSource();
  return ref;
}

/// True if warpgroups arrive at a barrier, and nothing else does.
static bool onlyWarpgroupsArrive(Value barriers) {
  return llvm::all_of(barriers.getUsers(), [](Operation *user) {
    if (auto slice = dyn_cast<grid::SliceRefOp>(user))
      return onlyWarpgroupsArrive(slice.getResult());
    return isa<BarrierArriveOp, BarrierWaitOp, BarrierTestOp>(user);
  });
}

bool warpgroup::arriveByWarps(Value barriers) {
  auto type =
      cast<BarrierType>(cast<MemRefType>(barriers.getType()).getElementType());
  return type.getCluster().empty() && onlyWarpgroupsArrive(barriers);
}

bool BarrierArriveOp::signalsForLanes() {
  return arriveByWarps(getSlicedRef(getBarrier()));
}

LogicalResult SyncOp::verify() {
  if (getScope() != SyncScope::Warp && (*this)->getParentOfType<WarpsOp>())
    return emitOpError("expected the scope warp in code of single warps, got ")
           << stringifySyncScope(getScope());
  return success();
}

LogicalResult NamedBarrierOp::verify() {
  constexpr int64_t kMaxBlock = 1024;
  if (getThreads() % kNumLanes != 0 || getThreads() > kMaxBlock)
    return emitOpError("expected the threads of whole warps, at most ")
           << kMaxBlock << ", got " << getThreads();
  return success();
}

LogicalResult SetMaxRegistersOp::verify() {
  if (getCount() % 8 != 0 || getCount() < 24 || getCount() > 256)
    return emitOpError("expected a multiple of 8 registers from 24 to 256, "
                       "got ")
           << getCount();
  return success();
}

//===----------------------------------------------------------------------===//
// RelayoutOp
//===----------------------------------------------------------------------===//

LogicalResult RelayoutOp::verify() {
  for (Type type : {Type(getValue().getType()), Type(getResult().getType())})
    if (!getLayout(type))
      return emitOpError("expected tensors with a layout, got ") << type;
  if (getLayout(getResult().getType())->isSplat() &&
      !getLayout(getValue().getType())->isSplat())
    return emitOpError("expected no splat of elements that may differ, got ")
           << getValue().getType();
  return success();
}

OpFoldResult RelayoutOp::fold(FoldAdaptor) {
  return getValue().getType() == getResult().getType() ? getValue() : nullptr;
}
