//===- InterleavedReads.cpp - Vectors of each n-th element ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/CPU/Transforms/InterleavedReads.h"

#include "dialects/CPU/Transforms/ElementOffsets.h"
#include "dialects/CPU/Transforms/StridedTransfers.h"
#include "dialects/Support/CountableTypes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace gridir::cpu;

namespace {

/// Elements at the same place of groups in a row.
struct Interleaved {
  /// The first element of the first group, as an element of the whole array.
  ElementPosition begin;
  int64_t groupSize, place;
};

std::optional<Interleaved> match(vector::TransferReadOp read) {
  auto memory = dyn_cast<MemRefType>(read.getShapedType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!memory || memory.getRank() == 0 || read.getMask() ||
      read.hasOutOfBoundsDim() || read.getVectorType().getRank() != 1 ||
      read.getVectorType().isScalable() ||
      !read.getPermutationMap().isMinorIdentity() ||
      read.getVectorType().getNumElements() < kLeastElements ||
      !memory.getElementType().isIntOrFloat() ||
      memory.getElementTypeBitWidth() < 8 ||
      failed(memory.getStridesAndOffset(strides, offset)))
    return std::nullopt;
  int64_t size = strides.back();
  if (size < 2 || size > kLargestStride)
    return std::nullopt;
  std::optional<ElementPosition> position = getElementPosition(read);
  if (!position)
    return std::nullopt;
  auto array = dyn_cast<MemRefType>(position->root.getType());
  if (!array || array.getRank() == 0 || !array.hasStaticShape() ||
      !array.getLayout().isIdentity())
    return std::nullopt;
  // Without a remainder, a group that has an element of the array is inside.
  std::optional<int64_t> elements = gridir::countPoints(array.getShape());
  if (!elements || *elements % size != 0 ||
      std::abs(position->constant) > *elements)
    return std::nullopt;
  for (auto [number, factor] : position->terms)
    if (factor % size != 0 || std::abs(factor) > *elements)
      return std::nullopt;
  int64_t place = llvm::mod(position->constant, size);
  position->constant -= place;
  return Interleaved{*position, size, place};
}

/// Vectors of `count` elements from which one of `size` elements is selected,
/// beginning with `place`. Each shuffle has two operands, as an instruction
/// has.
Value select(OpBuilder &b, Location loc, ArrayRef<Value> parts, int64_t place) {
  int64_t size = parts.size();
  int64_t count = cast<VectorType>(parts.front().getType()).getNumElements();
  Value result = parts.front();
  for (int64_t part = 1; part < size; ++part) {
    SmallVector<int64_t> lanes;
    for (int64_t i = 0; i < count; ++i) {
      int64_t position = i * size + place;
      int64_t later = count + position - part * count;
      // The first shuffle also packs the elements of the first vector.
      if (position < part * count)
        lanes.push_back(part == 1 ? position : i);
      else
        lanes.push_back(later < 2 * count ? later : 0);
    }
    result = vector::ShuffleOp::create(b, loc, result, parts[part], lanes);
  }
  return result;
}

} // namespace

void gridir::cpu::readWholeGroups(RewriterBase &rewriter,
                                  vector::TransferReadOp read) {
  std::optional<Interleaved> found = match(read);
  if (!found)
    return;
  rewriter.setInsertionPoint(read);
  Location loc = read.getLoc();
  Value array = found->begin.root;
  int64_t rank = cast<MemRefType>(array.getType()).getRank();
  if (rank > 1)
    array = memref::CollapseShapeOp::create(
        rewriter, loc, array,
        ArrayRef<ReassociationIndices>{
            llvm::to_vector<2>(llvm::seq<int64_t>(0, rank))});
  AffineExpr sum = rewriter.getAffineConstantExpr(found->begin.constant);
  SmallVector<OpFoldResult> numbers;
  for (auto [number, factor] : found->begin.terms) {
    sum = sum + rewriter.getAffineDimExpr(numbers.size()) * factor;
    numbers.push_back(number);
  }
  Value index = getValueOrCreateConstantIndexOp(
      rewriter, loc,
      affine::makeComposedFoldedAffineApply(rewriter, loc, sum, numbers));
  VectorType type = read.getVectorType();
  int64_t count = type.getNumElements();
  auto groups =
      VectorType::get({count * found->groupSize}, type.getElementType());
  Value all = vector::TransferReadOp::create(
      rewriter, loc, groups, array, ValueRange(index), read.getPadding(),
      ArrayRef<bool>(true));
  SmallVector<Value> parts;
  for (int64_t part = 0; part < found->groupSize; ++part)
    parts.push_back(vector::ExtractStridedSliceOp::create(
        rewriter, loc, all, ArrayRef<int64_t>(part * count),
        ArrayRef<int64_t>(count), ArrayRef<int64_t>(1)));
  rewriter.replaceOp(read, select(rewriter, loc, parts, found->place));
}
