//===- TPUBlocks.cpp - What a TPU can hold --------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Transforms/TPUBlocks.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gridir::grid {

/// Elements along the last dimension of a tile, and rows of one of 32 bits.
static constexpr int64_t kLanes = 128, kSublanes = 8;
/// Elements in the tiles of an array of one dimension.
static constexpr int64_t kVectorTile = 1024;

/// Whether Mosaic loads and stores elements of a type.
static bool isTPUElementType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({1u, 4u, 8u, 16u, 32u}, integer.getWidth());
  if (isa<FloatType>(type))
    return type.getIntOrFloatBitWidth() <= 32 && !type.isF16();
  return isa<SemaphoreType>(type);
}

/// The rows of one tile. Elements of 8 and 4 bits lie 32 and 64 rows deep, in
/// an array of whole such tiles; in another one, and at 16 bits, Mosaic packs
/// the elements of 8 rows.
static int64_t getTileRows(unsigned bits, int64_t arrayRows) {
  int64_t packed = kSublanes * 32 / bits;
  return bits <= 8 && arrayRows % packed == 0 ? packed : kSublanes;
}

/// A bool comes as an i32, and a semaphore is a word; what a TPU does not hold
/// is refused elsewhere.
static unsigned getTPUBits(Type elementType) {
  bool isWord = isa<SemaphoreType>(elementType) || elementType.isInteger(1) ||
                !isTPUElementType(elementType);
  return isWord ? 32 : elementType.getIntOrFloatBitWidth();
}

/// Reports a size that no tile ends at, with the legal ones around it.
static LogicalResult refuseSize(KernelOp kernel, unsigned operand, unsigned dim,
                                int64_t size, int64_t extent, int64_t tile) {
  InFlightDiagnostic diagnostic =
      emitError(kernel.getBodyBlock()->getArgument(operand).getLoc())
      << "expected dimension " << dim << " of "
      << kernel.getOperandName(operand) << " to be cut into multiples of "
      << tile << " or not at all (" << extent << "), got " << size;
  int64_t below = llvm::alignDown(size, tile), above = below + tile;
  if (above >= extent)
    diagnostic << "; the nearest legal size is " << (below ? below : extent);
  else if (below)
    diagnostic << "; the nearest legal sizes are " << below << " and " << above;
  else
    diagnostic << "; the nearest legal size is " << above;
  return diagnostic;
}

/// A vector's block is the whole, some tiles, or a part of a tile that is a
/// power of two and fills registers.
static bool isLegalVectorBlock(int64_t size, int64_t extent, unsigned bits) {
  return size == extent || size % kVectorTile == 0 ||
         (llvm::isPowerOf2_64(size) && size >= kLanes * 32 / bits);
}

static LogicalResult checkBlock(KernelOp kernel, unsigned operand) {
  OperandAttr spec = kernel.getOperandSpec(operand);
  SmallVector<int64_t> array = spec.getArrayShape();
  SmallVector<int64_t> block = spec.getBlockShape();
  unsigned rank = array.size();
  unsigned bits = getTPUBits(spec.getElementType());
  if (rank == 1)
    return isLegalVectorBlock(block[0], array[0], bits)
               ? success()
               : refuseSize(kernel, operand, 0, block[0], array[0],
                            kVectorTile);
  auto check = [&](unsigned dim, int64_t tile) {
    return block[dim] == array[dim] || block[dim] % tile == 0
               ? success()
               : refuseSize(kernel, operand, dim, block[dim], array[dim], tile);
  };
  return rank == 0
             ? success()
             : success(succeeded(check(rank - 2,
                                       getTileRows(bits, array[rank - 2]))) &&
                       succeeded(check(rank - 1, kLanes)));
}

LogicalResult checkTPUOperand(KernelOp kernel, unsigned operand) {
  OperandAttr spec = kernel.getOperandSpec(operand);
  Location loc = kernel.getBodyBlock()->getArgument(operand).getLoc();
  std::string name = kernel.getOperandName(operand);
  if (!isTPUElementType(spec.getElementType()))
    return emitError(loc) << "expected " << name
                          << " to have an element type of a TPU, got "
                          << spec.getElementType();
  for (auto [dim, size] : llvm::enumerate(spec.getShape()))
    if (auto symbol = dyn_cast<StringAttr>(size))
      return emitError(loc)
             << "expected dimension " << dim << " of " << name
             << " to have a static size, got " << symbol.getValue();
  bool isBlock = operand >= kernel.getNumIndexOperands() &&
                 kernel.getRank() != 0 &&
                 (spec.getSpace() == MemorySpace::Default ||
                  spec.getSpace() == MemorySpace::TpuVmem);
  return isBlock ? checkBlock(kernel, operand) : success();
}

std::pair<SmallVector<int64_t>, int64_t> padToTPUTiles(ArrayRef<int64_t> block,
                                                       ArrayRef<int64_t> array,
                                                       Type elementType) {
  unsigned bits = getTPUBits(elementType);
  SmallVector<int64_t> shape(block);
  size_t rank = shape.size();
  auto isStatic = [&](size_t dim) {
    return !ShapedType::isDynamic(shape[dim]);
  };
  if (rank == 1 && isStatic(0)) {
    // A part of a tile is a power of two.
    int64_t least = kLanes * 32 / bits;
    int64_t tile = std::clamp<int64_t>(llvm::PowerOf2Ceil(shape[0]), least,
                                       std::max(least, kVectorTile));
    shape[0] = llvm::alignTo(shape[0], tile);
  } else if (rank >= 2) {
    if (isStatic(rank - 1))
      shape[rank - 1] = llvm::alignTo(shape[rank - 1], kLanes);
    if (isStatic(rank - 2)) {
      int64_t tile = getTileRows(bits, array[rank - 2]);
      // An array of few rows has lower tiles, but never less than a word.
      if (!ShapedType::isDynamic(array[rank - 2]))
        tile = std::clamp<int64_t>(llvm::PowerOf2Ceil(array[rank - 2]),
                                   32 / bits, tile);
      shape[rank - 2] = llvm::alignTo(shape[rank - 2], tile);
    }
  }
  return {shape, bits};
}

LogicalResult checkTPUScratch(KernelOp kernel) {
  for (auto [i, ref] : llvm::enumerate(kernel.getScratchRefs())) {
    Type element = cast<MemRefType>(ref.getType()).getElementType();
    if (!isTPUElementType(element))
      return emitError(ref.getLoc())
             << "expected scratch[" << i
             << "] to have an element type of a TPU, got " << element;
  }
  return success();
}

} // namespace gridir::grid
