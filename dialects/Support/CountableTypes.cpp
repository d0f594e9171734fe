//===- CountableTypes.cpp - Arrays that can be counted --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/CountableTypes.h"

#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;

bool gridir::isCountable(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    if (ShapedType::isDynamic(extent) || extent == 0)
      continue;
    if (extent > kMaxElements / count)
      return false;
    count *= extent;
  }
  return true;
}

std::optional<int64_t> gridir::countPoints(ArrayRef<int64_t> extents) {
  uint64_t count = 1;
  for (int64_t extent : extents) {
    if (ShapedType::isDynamic(extent))
      return std::nullopt;
    count = llvm::SaturatingMultiply<uint64_t>(count, extent);
  }
  return std::min<uint64_t>(count, std::numeric_limits<int64_t>::max());
}

bool gridir::areArraysOfNumbers(TypeRange types) {
  return llvm::all_of(types, [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped)
      return true;
    // The strides of an array that cannot be counted cannot be either.
    if (!shaped.hasRank() || !isCountable(shaped.getShape()))
      return false;
    auto memref = dyn_cast<MemRefType>(type);
    if (memref && !memref.isStrided())
      return false;
    Type element = shaped.getElementType();
    return element.isIntOrIndexOrFloat() || isa<ComplexType>(element);
  });
}

/// Multiplies a number of elements; false if it is not countable any more.
static bool multiply(int64_t &count, int64_t factor) {
  if (ShapedType::isDynamic(factor) || factor == 0)
    return true;
  return !llvm::MulOverflow(count, factor, count) &&
         count <= gridir::kMaxElements;
}

/// Multiplies the number of elements in a value. Wide numbers count as several.
static bool multiply(int64_t &count, Type type) {
  constexpr unsigned kWide = 128;
  if (auto integer = dyn_cast<IntegerType>(type))
    return multiply(count, llvm::divideCeil(integer.getWidth(), kWide));
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return true;
  if (shaped.hasRank())
    for (int64_t extent : shaped.getShape())
      if (!multiply(count, extent))
        return false;
  return multiply(count, shaped.getElementType());
}

/// True if no element of a strided array is too far from its base.
static bool hasCountableStrides(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  auto layout = memref ? dyn_cast<StridedLayoutAttr>(memref.getLayout())
                       : StridedLayoutAttr();
  if (!layout)
    return true;
  auto isNear = [](int64_t distance) {
    return ShapedType::isDynamic(distance) ||
           (distance >= -gridir::kMaxElements &&
            distance <= gridir::kMaxElements);
  };
  if (!isNear(layout.getOffset()))
    return false;
  for (auto [extent, stride] :
       llvm::zip_equal(memref.getShape(), layout.getStrides())) {
    int64_t distance = 1;
    if (!isNear(stride) ||
        (!ShapedType::isDynamic(stride) && !ShapedType::isDynamic(extent) &&
         (llvm::MulOverflow(stride, extent, distance) || !isNear(distance))))
      return false;
  }
  return true;
}

LogicalResult gridir::verifyCountableTypes(Operation *root) {
  // Few types have many values.
  llvm::SmallDenseSet<Type, 16> known;
  auto verify = [&](Operation *op, TypeRange types) -> LogicalResult {
    for (Type type : types) {
      if (getElementTypeOrSelf(type).isInteger(0))
        return op->emitError("expected numbers of one bit or more, got ")
               << type;
      if (!isa<ShapedType>(type) || !known.insert(type).second)
        continue;
      if (int64_t count = 1;
          !multiply(count, type) || !hasCountableStrides(type))
        return op->emitError("expected a type of at most ")
               << kMaxElements << " elements, got " << type;
    }
    return success();
  };
  WalkResult result = root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (failed(verify(op, op->getResultTypes())))
      return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(verify(op, block.getArgumentTypes())))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// A vector that is too large among some types; null where there is none.
static VectorType findLargeVector(TypeRange types) {
  for (Type type : types) {
    auto vector = dyn_cast<VectorType>(type);
    if (vector &&
        *gridir::countPoints(vector.getShape()) > gridir::kMaxVectorElements)
      return vector;
  }
  return {};
}

LogicalResult gridir::verifyVectorSizes(Operation *root) {
  WalkResult result = root->walk([](Operation *op) {
    VectorType large = findLargeVector(op->getOperandTypes());
    if (!large)
      large = findLargeVector(op->getResultTypes());
    if (!large)
      return WalkResult::advance();
    op->emitError("expected a vector of at most ")
        << kMaxVectorElements << " elements, got " << large;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
