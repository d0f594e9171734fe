//===- MemoryOps.cpp - Verification of loads, stores and views ------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Support/CountableTypes.h"
#include "dialects/TPU/IR/TPU.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace gridir::tpu;

//===----------------------------------------------------------------------===//
// Between memory and registers
//===----------------------------------------------------------------------===//

/// The common part of a load and a store of a whole vector.
template <typename OpT>
static LogicalResult verifyVectorAccess(OpT op, VectorType vector) {
  MemRefType base = op.getBase().getType();
  if (!op.getStrides().empty())
    return op.emitOpError("expected no strides, got ")
           << op.getStrides().size() << "; use tpu.strided_load or "
           << "tpu.strided_store";
  if (static_cast<int64_t>(op.getIndices().size()) != base.getRank())
    return op.emitOpError("expected ")
           << base.getRank() << " indices, got " << op.getIndices().size();
  if (vector.getElementType() != base.getElementType())
    return op.emitOpError("expected a vector of ")
           << base.getElementType() << ", got " << vector;
  if (vector.getRank() > base.getRank())
    return op.emitOpError("expected a vector of at most the rank of ")
           << base << ", got " << vector;
  if (std::optional<MemorySpace> space = getMemorySpace(base);
      space && *space != MemorySpace::Vmem)
    return op.emitOpError("expected a memref in vmem, got ") << base;
  if (Value mask = op.getMask()) {
    auto type = cast<VectorType>(mask.getType());
    if (!type.getElementType().isInteger(1) &&
        !type.getElementType().isInteger(32))
      return op.emitOpError("expected a mask of i1, got ") << type;
    if (type.getShape() != vector.getShape())
      return op.emitOpError("expected a mask of the shape of ")
             << vector << ", got " << type;
  }
  return success();
}

LogicalResult VectorLoadOp::verify() {
  return verifyVectorAccess(*this, cast<VectorType>(getResult().getType()));
}

LogicalResult VectorStoreOp::verify() {
  return verifyVectorAccess(*this,
                            cast<VectorType>(getValueToStore().getType()));
}

template <typename OpT>
static LogicalResult verifyStridedAccess(OpT op, VectorType vector) {
  MemRefType base = op.getBase().getType();
  auto rank = static_cast<size_t>(base.getRank());
  if (op.getIndices().size() != rank)
    return op.emitOpError("expected ")
           << rank << " indices, got " << op.getIndices().size();
  if (op.getStrides().size() != rank)
    return op.emitOpError("expected ")
           << rank << " strides, got " << op.getStrides().size();
  if (static_cast<size_t>(vector.getRank()) != rank)
    return op.emitOpError("expected a vector of rank ")
           << rank << ", got " << vector;
  if (vector.getElementType() != base.getElementType())
    return op.emitOpError("expected a vector of ")
           << base.getElementType() << ", got " << vector;
  for (int32_t stride : op.getStrides())
    if (stride < 1)
      return op.emitOpError("expected strides of at least 1, got ") << stride;
  return success();
}

LogicalResult StridedLoadOp::verify() {
  return verifyStridedAccess(*this, cast<VectorType>(getResult().getType()));
}

LogicalResult StridedStoreOp::verify() {
  return verifyStridedAccess(*this,
                             cast<VectorType>(getValueToStore().getType()));
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// A view stays in its memory. A view whose result names no space is one that
/// Mosaic has not yet assigned one.
static LogicalResult verifySameSpace(Operation *op, MemRefType source,
                                     MemRefType result) {
  if (result.getMemorySpace() &&
      source.getMemorySpace() != result.getMemorySpace())
    return op->emitOpError("expected one memory space, got ")
           << source << " and " << result;
  return success();
}

static LogicalResult verifySameElements(Operation *op, MemRefType source,
                                        MemRefType result) {
  if (source.getElementType() != result.getElementType())
    return op->emitOpError("expected one element type, got ")
           << source << " and " << result;
  return verifySameSpace(op, source, result);
}

LogicalResult MemRefSliceOp::verify() {
  auto source = cast<MemRefType>(getMemRef().getType());
  auto result = cast<MemRefType>(getResult().getType());
  if (failed(verifySameElements(*this, source, result)))
    return failure();
  if (source.getRank() != result.getRank() ||
      static_cast<int64_t>(getBaseIdx().size()) != source.getRank())
    return emitOpError("expected one index and one size for each dimension of ")
           << source << ", got " << getBaseIdx().size() << " and " << result;
  if (static_cast<int64_t>(getDynamicSizes().size()) !=
      result.getNumDynamicDims())
    return emitOpError("expected ")
           << result.getNumDynamicDims() << " dynamic sizes, got "
           << getDynamicSizes().size();
  for (auto [dim, index] : llvm::enumerate(getBaseIdx())) {
    int64_t extent = source.getDimSize(dim), size = result.getDimSize(dim);
    if (ShapedType::isDynamic(extent) || ShapedType::isDynamic(size))
      continue;
    IntegerAttr start;
    int64_t first =
        matchPattern(index, m_Constant(&start)) ? start.getInt() : 0;
    if (first < 0 || first > extent - size)
      return emitOpError("expected a window inside ")
             << source << ", got " << size << " from " << first
             << " in dimension " << dim;
  }
  return success();
}

LogicalResult MemRefSqueezeOp::verify() {
  auto source = cast<MemRefType>(getInput().getType());
  auto result = cast<MemRefType>(getResult().getType());
  if (failed(verifySameElements(*this, source, result)))
    return failure();
  ArrayRef<int64_t> rest = result.getShape();
  for (int64_t size : source.getShape()) {
    if (!rest.empty() && rest.front() == size)
      rest = rest.drop_front();
    else if (size != 1)
      return emitOpError("expected to drop only unit dimensions, got ")
             << source << " and " << result;
  }
  if (!rest.empty() || source.getRank() == result.getRank())
    return emitOpError("expected to drop only unit dimensions, got ")
           << source << " and " << result;
  return success();
}

LogicalResult MemRefReshapeOp::verify() {
  auto source = cast<MemRefType>(getInput().getType());
  auto result = cast<MemRefType>(getResult().getType());
  if (failed(verifySameElements(*this, source, result)))
    return failure();
  if (source.getRank() < 2 || result.getRank() < 2)
    return emitOpError("expected two dimensions or more, got ")
           << source << " and " << result;
  if (!source.hasStaticShape() || !result.hasStaticShape() ||
      !gridir::isCountable(source.getShape()) ||
      !gridir::isCountable(result.getShape()) ||
      source.getNumElements() != result.getNumElements())
    return emitOpError("expected the same number of elements, got ")
           << source << " and " << result;
  return success();
}

LogicalResult MemRefBitcastOp::verify() {
  auto source = cast<MemRefType>(getInput().getType());
  auto result = cast<MemRefType>(getResult().getType());
  if (failed(verifySameSpace(*this, source, result)))
    return failure();
  if (source.getRank() != result.getRank() || source.getRank() < 2)
    return emitOpError("expected one rank of at least 2, got ")
           << source << " and " << result;
  if (!source.getElementType().isIntOrFloat() ||
      !result.getElementType().isIntOrFloat())
    return emitOpError("expected integer or float elements, got ")
           << source << " and " << result;
  int64_t from = source.getElementTypeBitWidth();
  int64_t to = result.getElementTypeBitWidth();
  for (int64_t dim = 0, rank = source.getRank(); dim < rank; ++dim) {
    int64_t before = source.getDimSize(dim), after = result.getDimSize(dim);
    if (ShapedType::isDynamic(before) || ShapedType::isDynamic(after))
      continue;
    bool widthsChange = dim == rank - 2;
    if (widthsChange && (llvm::MulOverflow(before, from, before) ||
                         llvm::MulOverflow(after, to, after)))
      return emitOpError("expected less than 2^63 bits, got ")
             << source << " and " << result;
    if (before != after)
      return emitOpError("expected the same bytes in dimension ")
             << dim << ", got " << source << " and " << result;
  }
  return success();
}
