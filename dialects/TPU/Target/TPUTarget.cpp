//===- TPUTarget.cpp - What a TPU can hold --------------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/TPU/Target/TPUTarget.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gridir::grid;

namespace gridir::tpu {

/// Elements along the last dimension of a tile, and rows of one of 32 bits.
/// The names of the spaces in plans of memory.
static constexpr StringLiteral kVmemName = "tpu.vmem", kSmemName = "tpu.smem";

static constexpr int64_t kLanes = 128, kSublanes = 8;
/// Elements in the tiles of an array of one dimension.
static constexpr int64_t kVectorTile = 1024;

bool TPUTarget::isElementType(Type type) const {
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({1u, 2u, 4u, 8u, 16u, 32u}, integer.getWidth());
  if (isa<FloatType>(type))
    return type.getIntOrFloatBitWidth() <= 32 && !type.isF16();
  return isa<grid::SemaphoreType>(type);
}

/// The rows of one tile. Elements of 8 and 4 bits lie 32 and 64 rows deep, in
/// an array of whole such tiles; in another one, and at 16 bits, Mosaic packs
/// the elements of 8 rows.
static int64_t getTileRows(unsigned bits, int64_t arrayRows) {
  int64_t packed = kSublanes * 32 / bits;
  return bits <= 8 && arrayRows % packed == 0 ? packed : kSublanes;
}

/// A bool is passed as an i32, and a semaphore is a word; other unsupported
/// types are rejected elsewhere.
static unsigned getHeldBits(const TPUTarget &target, Type elementType) {
  bool isWord = isa<grid::SemaphoreType>(elementType) ||
                elementType.isInteger(1) || !target.isElementType(elementType);
  return isWord ? 32 : elementType.getIntOrFloatBitWidth();
}

/// Reports a size that is not a multiple of a tile, with the nearest legal
/// sizes.
///
/// Every multiple of `tile` is legal; `alsoLegal` describes other sizes.
static LogicalResult refuseSize(KernelOp kernel, unsigned operand, unsigned dim,
                                int64_t size, int64_t extent, int64_t tile,
                                function_ref<bool(int64_t)> isLegal,
                                StringRef alsoLegal = "") {
  int64_t below = size, above = size;
  while (below > 0 && !isLegal(below))
    --below;
  while (above != extent && !isLegal(above))
    ++above;
  InFlightDiagnostic diagnostic =
      emitError(kernel.getBodyBlock()->getArgument(operand).getLoc())
      << "expected dimension " << dim << " of "
      << kernel.getOperandName(operand) << " to be divided into multiples of "
      << tile << alsoLegal << " or not at all (" << extent << "), got " << size;
  if (below > 0)
    diagnostic << "; the nearest legal sizes are " << below << " and " << above;
  else
    diagnostic << "; the nearest legal size is " << above;
  return diagnostic;
}

/// The smallest part of a vector's tile: it fills the registers.
static int64_t getLeastPart(unsigned bits) { return kLanes * 32 / bits; }

/// A one-dimensional block is the whole array, some tiles, or a part of a tile
/// that is a power of two and fills registers.
static bool isLegalVectorBlock(int64_t size, int64_t extent, unsigned bits) {
  return size == extent || size % kVectorTile == 0 ||
         (llvm::isPowerOf2_64(size) && size >= getLeastPart(bits));
}

/// Checks a block against the tiles of a TPU's memory: its sizes are multiples
/// of the tile, or those of the array.
static LogicalResult checkTiles(KernelOp kernel, unsigned operand,
                                unsigned bits) {
  OperandAttr spec = kernel.getOperandSpec(operand);
  SmallVector<int64_t> array = spec.getArrayShape();
  SmallVector<int64_t> block = spec.getBlockShape();
  unsigned rank = array.size();
  if (rank == 1) {
    auto isLegal = [&](int64_t size) {
      return isLegalVectorBlock(size, array[0], bits);
    };
    if (isLegal(block[0]))
      return success();
    std::string parts =
        (", powers of two from " + Twine(getLeastPart(bits)) + " on,").str();
    return refuseSize(kernel, operand, 0, block[0], array[0], kVectorTile,
                      isLegal, parts);
  }
  auto check = [&](unsigned dim, int64_t tile) {
    auto isLegal = [&](int64_t size) {
      return size == array[dim] || size % tile == 0;
    };
    return isLegal(block[dim]) ? success()
                               : refuseSize(kernel, operand, dim, block[dim],
                                            array[dim], tile, isLegal);
  };
  return rank == 0
             ? success()
             : success(succeeded(check(rank - 2,
                                       getTileRows(bits, array[rank - 2]))) &&
                       succeeded(check(rank - 1, kLanes)));
}

LogicalResult TPUTarget::checkBlocks(KernelOp kernel, unsigned operand) const {
  OperandAttr spec = kernel.getOperandSpec(operand);
  if (spec.getSpace().isOfWarpgroups())
    return emitError(kernel.getBodyBlock()->getArgument(operand).getLoc())
           << "expected a kernel for a TPU, got one for the warpgroups of a "
              "GPU: "
           << kernel.getOperandName(operand) << " is in "
           << spec.getSpace().getSpaceName();
  bool isBlock = operand >= kernel.getNumIndexOperands() &&
                 kernel.getRank() != 0 &&
                 (isDefaultSpace(spec.getSpace()) ||
                  spec.getSpace().getSpaceName() == kVmemName);
  return isBlock ? checkTiles(kernel, operand,
                              getHeldBits(*this, spec.getElementType()))
                 : success();
}

int64_t TPUTarget::getHeldBytes(ArrayRef<int64_t> block,
                                ArrayRef<int64_t> array, Type elementType,
                                StringRef space) const {
  if (space != kVmemName || !elementType.isIntOrFloat())
    return Target::getHeldBytes(block, array, elementType, space);
  unsigned bits = getHeldBits(*this, elementType);
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
      // An array of few rows has lower tiles, but never less than a word.
      int64_t least = 32 / bits;
      int64_t tile = std::max(getTileRows(bits, array[rank - 2]), least);
      if (!ShapedType::isDynamic(array[rank - 2]))
        tile = std::clamp<int64_t>(llvm::PowerOf2Ceil(array[rank - 2]), least,
                                   tile);
      shape[rank - 2] = llvm::alignTo(shape[rank - 2], tile);
    }
  }
  return getNumBytes(shape, bits);
}

StringRef TPUTarget::getDefaultSpace(bool isIndexOperand) const {
  return isIndexOperand ? kSmemName : kVmemName;
}

SpaceBytes TPUTarget::getCapacities(KernelOp kernel) const {
  int64_t vmem = chip ? chip->vmemBytes : getMaxVmemBytes();
  if (kernel.getParams())
    for (Attribute params : kernel.getParamsAttr())
      if (auto tpu = dyn_cast<TpuParamsAttr>(params);
          tpu && tpu.getVmemLimitBytes())
        vmem = *tpu.getVmemLimitBytes();
  SpaceBytes capacities = {{kVmemName.str(), vmem}};
  if (chip)
    capacities[kSmemName.str()] = chip->smemBytes;
  return capacities;
}

llvm::json::Object TPUTarget::describeChip() const {
  if (!chip)
    return {};
  llvm::json::Object row = chip->product.toJSON();
  row["topology"] = chip->topology;
  row["device_kind"] = chip->deviceKind;
  row["cores"] = chip->cores;
  row["device_cores"] = chip->deviceCores;
  row["vmem_bytes"] = chip->vmemBytes;
  row["smem_bytes"] = chip->smemBytes;
  row["matrix_units"] = chip->matrixUnits;
  row["matrix_unit_size"] = chip->matrixUnitSize;
  row["logistic_unit"] = chip->hasLogisticUnit;
  row["narrow_integers"] = chip->hasNarrowIntegers;
  row["narrow_vectors"] = chip->hasNarrowVectors;
  return row;
}

} // namespace gridir::tpu
