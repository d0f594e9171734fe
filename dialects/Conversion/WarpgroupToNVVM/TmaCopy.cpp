//===- TmaCopy.cpp - Windows as copies of the TMA unit --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/WarpgroupToNVVM/TmaCopy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace gridir::warpgroup_to_nvvm {

/// The limits of a tensor map.
static constexpr int64_t kMaxBox = 256, kMaxMapRank = 5;
/// The alignment of a copy in shared memory.
static constexpr int64_t kAlignment = 128;

LogicalResult Copy::analyze(ArrayRef<int64_t> staticOffsets, ValueRange dynamic,
                            ArrayRef<int64_t> sizes, ArrayRef<int64_t> dropped,
                            int64_t numParts) {
  const Storage &source = *array.storage;
  if (source.kind != Storage::Kind::Global || source.operand < 0 ||
      tile.storage->kind != Storage::Kind::Shared)
    return refuse("between an operand and shared memory");
  unsigned rank = source.shape.size();
  // Dimensions that views of the array have dropped have a size of 1.
  offsets = array.offsets;
  box.assign(rank, 1);
  for (auto [i, d] : llvm::enumerate(array.dims)) {
    OpFoldResult index = builder.getI32IntegerAttr(staticOffsets[i]);
    if (ShapedType::isDynamic(staticOffsets[i])) {
      index = lowering.getIndex(dynamic.front());
      dynamic = dynamic.drop_front();
    }
    if (array.strides[d] != 1)
      return refuse("of contiguous elements");
    offsets[d] = createOffset(builder, op->getLoc(), offsets[d], index);
    box[d] = sizes[i];
    if (!llvm::is_contained(dropped, int64_t(i)))
      kept.push_back(d);
  }
  int64_t ofByte = tile.storage->getElementsOfByte();
  if (rank > 0 && (source.shape.back() % ofByte != 0 ||
                   getDivisor(offsets.back()) % ofByte != 0 ||
                   getDivisor(tile.offsets.back()) % ofByte != 0))
    return refuse("of rows of whole bytes, aligned to bytes");
  bool isRowwise = llvm::is_sorted(tile.dims) ||
                   tile.dims.back() + 1 == int64_t(tile.storage->shape.size());
  if (!llvm::is_sorted(array.dims) || !isRowwise)
    return refuse("that keeps the order of dimensions");
  // A tensor map has at most five dimensions, so dimensions of size 1 are
  // omitted.
  for (unsigned d = 0; d < rank; ++d)
    if (rank <= kMaxMapRank || d + 1 == rank || source.shape[d] != 1 ||
        getConstantIntValue(offsets[d]) != 0)
      mapDims.push_back(d);
  if (mapDims.empty() || mapDims.size() > kMaxMapRank)
    return refuse("of an array with 1 to 5 dimensions that are larger than 1");
  if (rank > 1 && getBytesOf(source.shape.back()) % 16 != 0)
    return refuse("of an array with rows of a multiple of 16 bytes");
  return split(numParts);
}

int64_t Copy::getBytes() const {
  int64_t elements = pieces.size();
  for (int64_t size : box)
    elements *= size;
  return getBytesOf(elements);
}

void Copy::create(function_ref<void(Value map, Value address, ValueRange coords,
                                    int64_t number)>
                      createPiece,
                  bool isSigned) {
  Location loc = op->getLoc();
  const Storage &source = *array.storage;
  SmallVector<int64_t> shape, mapBox;
  for (int64_t d : mapDims) {
    shape.push_back(source.shape[d]);
    mapBox.push_back(box[d]);
  }
  Attribute layout;
  int64_t width = tile.storage->width;
  if (isByPanels) {
    // Another dimension, of panels, is the first one. The encoding has the
    // elements from one index to the next.
    SmallVector<int64_t> strides = {width};
    for (int64_t d : mapDims)
      strides.push_back(
          llvm::product_of(ArrayRef(source.shape).drop_front(d + 1)));
    layout = builder.getI64ArrayAttr(strides);
    shape.back() = mapBox.back() = width;
    shape.insert(shape.begin(), source.shape.back() / width);
    mapBox.insert(mapBox.begin(), box.back() / width);
  }
  int64_t swizzle = tile.storage->swizzle;
  // Elements of less than a byte are copied as bytes.
  int64_t ofByte = tile.storage->getElementsOfByte();
  shape.back() /= ofByte;
  mapBox.back() /= ofByte;
  Type element = lowering.getMapElementType(
      ofByte > 1 ? builder.getI8Type() : source.elementType, isSigned);
  Value map = lowering.getTensorMap(
      kernel::TensorMapAttr::get(op->getContext(), source.operand,
                                 RankedTensorType::get(shape, element, layout),
                                 mapBox, swizzle == 16 ? 0 : swizzle));
  for (auto [number, piece] : llvm::enumerate(pieces)) {
    // The innermost coordinate is the first.
    SmallVector<Value> coords;
    for (int64_t d : llvm::reverse(mapDims))
      coords.push_back(
          toI32(builder, loc,
                createOffset(builder, loc, offsets[d],
                             builder.getI32IntegerAttr(piece.begin[d]))));
    if (ofByte > 1)
      coords.front() = arith::ShRSIOp::create(
          builder, loc, coords.front(),
          createI32(builder, loc, llvm::Log2_64(ofByte)));
    if (isByPanels) {
      coords.push_back(arith::ShRSIOp::create(
          builder, loc, coords.front(),
          createI32(builder, loc, llvm::Log2_64(width))));
      coords.front() = createI32(builder, loc, 0);
    }
    createPiece(map, createPieceAddress(piece), coords, number);
  }
}

int64_t Copy::getBytesOf(int64_t elements) const {
  return tile.storage->getBytes(elements);
}

LogicalResult Copy::refuse(const Twine &expected) {
  return op->emitError("expected a copy ")
         << expected << ", got one of " << op->getOperand(0).getType();
}

/// The address of the first element of a piece. A swizzle moves none of the
/// elements that a copy may begin with.
Value Copy::createPieceAddress(const Piece &piece) {
  SmallVector<Value> coords;
  for (int64_t coord : piece.coords)
    coords.push_back(createI32(builder, op->getLoc(), coord));
  View plain = tile;
  plain.storage = std::make_shared<Storage>(*tile.storage);
  plain.storage->swizzle = 16;
  return lowering.createAddress(op->getLoc(), plain, coords);
}

/// Splits the window at the boundaries of panels and boxes.
LogicalResult Copy::split(int64_t numParts) {
  SmallVector<int64_t> step = box;
  if (failed(findPieces(step)))
    return failure();
  if (getBytesOf(step.back()) % 16 != 0)
    return refuse("with rows of a multiple of 16 bytes");
  isByPanels = areWholePanels(step, numParts);
  if (isByPanels)
    step.back() = box.back() / numParts;
  else if (numParts > 1)
    dividePieces(step, numParts);
  addPieces(step);
  box = step;
  for (const Piece &each : pieces)
    if (int64_t byte = getKnownByte(each).value_or(0); byte % kAlignment != 0)
      return refuse("that begins at a multiple of " + Twine(kAlignment) +
                    " bytes of a Ref in shared memory, not at byte " +
                    Twine(byte));
  return success();
}

/// Reduces the sizes of the window to those of pieces that are contiguous in
/// shared memory.
LogicalResult Copy::findPieces(SmallVector<int64_t> &step) {
  const Storage &dest = *tile.storage;
  int64_t last = dest.shape.size() - 1;
  // Rows of the window are adjacent in memory only if the window has all
  // columns of the Ref.
  bool isPart = false;
  auto fromInnermost = llvm::to_vector(llvm::seq<int64_t>(tile.dims.size()));
  llvm::sort(fromInnermost,
             [&](int64_t a, int64_t b) { return tile.dims[a] > tile.dims[b]; });
  int64_t next = last, outermost = tile.dims.size();
  for (int64_t i : fromInnermost) {
    int64_t d = tile.dims[i], size = tile.sizes[i];
    // The same holds for a Ref with other indices or dimensions in between.
    for (; next > d; --next)
      isPart |= dest.shape[next] != 1;
    --next;
    if (tile.strides[d] != 1)
      return refuse("of contiguous elements");
    int64_t &length = step[kept[i]];
    if (d == last && dest.getNumPanels() > 1) {
      if (size % dest.width != 0 ||
          getDivisor(tile.offsets[d]) % dest.width != 0)
        return refuse("of whole panels of " + Twine(dest.width) +
                      " columns in shared memory");
      length = dest.width;
    }
    // A copy cannot exchange dimensions.
    if (isPart || i > outermost)
      length = 1;
    while (length > kMaxBox)
      length = length % 2 ? 1 : length / 2;
    if (length > 1)
      outermost = i;
    // The rows of a part are adjacent within a panel.
    bool isWhole = length == (d == last ? dest.width : dest.shape[d]);
    isPart |= !isWhole;
    // With more dimensions, panels of other rows lie in between.
    if (d == last - 1 && dest.getNumPanels() > 1)
      isPart = true;
  }
  return success();
}

/// True if each part of the copy takes whole panels: these are contiguous,
/// and form one copy if the array consists of whole panels, or one copy for
/// each block that takes a part of them.
bool Copy::areWholePanels(ArrayRef<int64_t> step, int64_t numParts) {
  const Storage &dest = *tile.storage, &source = *array.storage;
  int64_t numPanels = box.back() / dest.width;
  return numPanels % numParts == 0 && dest.getNumPanels() > 1 &&
         llvm::isPowerOf2_64(dest.width) && dest.getElementsOfByte() == 1 &&
         step.back() == dest.width && numPanels > 1 &&
         numPanels / numParts <= kMaxBox &&
         llvm::product_of(step) == dest.getPanelElements() &&
         source.shape.back() % dest.width == 0 &&
         getDivisor(offsets.back()) % dest.width == 0 &&
         mapDims.size() < kMaxMapRank;
}

/// Divides a piece among the blocks of a team, which each copy a part of
/// every piece: along the first dimension of more than one index, so that
/// each part is contiguous in memory; parts of a swizzled row are not. If a
/// piece cannot be divided, each block copies some of the pieces.
void Copy::dividePieces(SmallVector<int64_t> &step, int64_t numParts) {
  SmallVector<int64_t> whole = step;
  int64_t *divided = step.begin();
  while (divided != &step.back() && *divided % numParts != 0)
    *divided++ = 1;
  bool isRow = divided == &step.back() && tile.storage->swizzle != 16;
  if (isRow || *divided % numParts != 0 ||
      getBytesOf(llvm::product_of(step) / numParts) % kAlignment != 0)
    step = whole;
  else
    *divided /= numParts;
}

/// Adds all pieces of a size, in the order of the elements.
void Copy::addPieces(ArrayRef<int64_t> step) {
  Piece piece;
  piece.begin.assign(box.size(), 0);
  SmallVector<int64_t> counts;
  int64_t total = 1;
  for (auto [size, length] : llvm::zip_equal(box, step)) {
    counts.push_back(size / length);
    total *= counts.back();
  }
  for (int64_t number = 0; number < total; ++number) {
    Coordinates at = delinearize(number, counts);
    for (size_t d = 0; d < box.size(); ++d)
      piece.begin[d] = at[d] * step[d];
    piece.coords.clear();
    for (int64_t d : kept)
      piece.coords.push_back(piece.begin[d]);
    pieces.push_back(piece);
  }
}

/// The start of a piece in a Ref of one panel, at static offsets.
std::optional<int64_t> Copy::getKnownByte(const Piece &piece) const {
  const Storage &storage = *tile.storage;
  if (storage.getNumPanels() > 1)
    return std::nullopt;
  int64_t element = 0;
  for (auto [d, offset] : llvm::enumerate(tile.offsets)) {
    std::optional<int64_t> known = getConstantIntValue(offset);
    if (!known)
      return std::nullopt;
    element += *known * storage.getStride(d);
  }
  for (auto [coord, d] : llvm::zip_equal(piece.coords, tile.dims))
    element += coord * tile.strides[d] * storage.getStride(d);
  return getBytesOf(element);
}

} // namespace gridir::warpgroup_to_nvvm
