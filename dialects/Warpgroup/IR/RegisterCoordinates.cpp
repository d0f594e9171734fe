//===- RegisterCoordinates.cpp - Elements of a tensor in registers --------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/IR/RegisterCoordinates.h"

#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

#include <map>

using namespace mlir;
using namespace gridir::warpgroup;

std::optional<Layout> gridir::warpgroup::getLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return std::nullopt;
  auto attr = dyn_cast_if_present<LayoutAttr>(tensor.getEncoding());
  return attr ? std::optional(attr.getLayout()) : std::nullopt;
}

RankedTensorType gridir::warpgroup::withLayout(RankedTensorType type,
                                               const Layout &layout) {
  return type.cloneWithEncoding(LayoutAttr::get(type.getContext(), layout));
}

int64_t gridir::warpgroup::getNumRegisters(RankedTensorType type) {
  return getLayout(type)->getNumRegisters(type.getShape());
}

int64_t gridir::warpgroup::getVectorLength(RankedTensorType type) {
  return getLayout(type)->getVectorLength(type.getShape());
}

const Distribution *
gridir::warpgroup::Distributions::find(RankedTensorType type) {
  auto &held = known[type];
  if (!held) {
    held = std::make_unique<std::optional<Distribution>>();
    if (std::optional<Layout> layout = getLayout(type))
      *held = Distribution::get(*layout, type.getShape());
  }
  return held->has_value() ? &**held : nullptr;
}

//===----------------------------------------------------------------------===//
// RegisterCoordinates
//===----------------------------------------------------------------------===//

static Value constant(OpBuilder &builder, Location loc, int64_t number) {
  return arith::ConstantIndexOp::create(builder, loc, number);
}

/// Bits that move by the same distance are moved together.
Value gridir::warpgroup::mapThread(OpBuilder &builder, Location loc,
                                   Value thread, ArrayRef<int64_t> basis) {
  auto constant = [&](OpBuilder &builder, Location loc, int64_t number) {
    return arith::ConstantOp::create(
        builder, loc, builder.getIntegerAttr(thread.getType(), number));
  };
  std::map<int, int64_t> moved;
  SmallVector<unsigned> others;
  int64_t reached = 0;
  bool disjoint = true;
  for (auto [bit, vector] : llvm::enumerate(basis)) {
    if (vector == 0)
      continue;
    disjoint &= (reached & vector) == 0;
    reached |= vector;
    if (llvm::isPowerOf2_64(vector))
      moved[static_cast<int>(llvm::Log2_64(vector)) - static_cast<int>(bit)] |=
          int64_t(1) << bit;
    else
      others.push_back(bit);
  }
  SmallVector<Value> terms;
  for (auto [distance, bits] : moved) {
    Value term = thread;
    if (bits != kNumThreads - 1)
      term = arith::AndIOp::create(builder, loc, term,
                                   constant(builder, loc, bits));
    if (distance > 0)
      term = arith::ShLIOp::create(builder, loc, term,
                                   constant(builder, loc, distance));
    if (distance < 0)
      term = arith::ShRUIOp::create(builder, loc, term,
                                    constant(builder, loc, -distance));
    terms.push_back(term);
  }
  for (unsigned bit : others) {
    Value isSet = arith::AndIOp::create(
        builder, loc,
        arith::ShRUIOp::create(builder, loc, thread,
                               constant(builder, loc, bit)),
        constant(builder, loc, 1));
    terms.push_back(arith::MulIOp::create(builder, loc, isSet,
                                          constant(builder, loc, basis[bit])));
  }
  Value sum;
  for (Value term : terms) {
    if (!sum)
      sum = term;
    else if (disjoint)
      sum = arith::AddIOp::create(builder, loc, sum, term);
    else
      sum = arith::XOrIOp::create(builder, loc, sum, term);
  }
  return sum;
}

RegisterCoordinates::RegisterCoordinates(OpBuilder &builder, Location loc,
                                         RankedTensorType type, Value thread)
    : shape(type.getShape()), layout(*getLayout(type)) {
  if (std::optional<Layout> cut = layout.unflatten(shape))
    layout = *cut;
  Shape tile = layout.getTile();
  auto along = [&](size_t dim, const BitMap &map) {
    SmallVector<int64_t> basis;
    for (uint64_t column : map.getColumns())
      basis.push_back(delinearize(column, tile)[dim]);
    return basis;
  };
  for (size_t dim = 0; dim < tile.size(); ++dim) {
    SmallVector<int64_t> threadBasis = along(dim, layout.getThreads());
    threadPart.push_back(mapThread(builder, loc, thread, threadBasis));
    int64_t threadBits = 0, registerBits = 0;
    for (int64_t vector : threadBasis)
      threadBits |= vector;
    for (int64_t vector : along(dim, layout.getRegisters()))
      registerBits |= vector;
    overlaps.push_back((threadBits & registerBits) != 0);
  }
}

SmallVector<OpFoldResult>
RegisterCoordinates::getCoordinates(OpBuilder &builder, Location loc,
                                    int64_t reg) const {
  SmallVector<OpFoldResult> at(shape.size(), builder.getIndexAttr(0));
  if (layout.isSplat())
    return at;
  Shape tile = layout.getTile();
  int64_t element = layout.getUnpaddedElement(shape, reg, 0);
  Coordinates first =
      tile.size() == 1 ? Coordinates{element} : delinearize(element, shape);
  SmallVector<OpFoldResult> coordinates;
  for (auto [dim, number] : llvm::enumerate(first)) {
    Value part = threadPart[dim];
    if (!part) {
      coordinates.push_back(builder.getIndexAttr(number));
      continue;
    }
    // Coordinates combine by exclusive or within a tile, and by addition across
    // tiles.
    int64_t inTile = number % tile[dim], ofTile = number - inTile;
    if (overlaps[dim] && inTile != 0)
      part = arith::XOrIOp::create(builder, loc, part,
                                   constant(builder, loc, inTile));
    else
      ofTile += inTile;
    if (ofTile != 0)
      part = arith::AddIOp::create(builder, loc, part,
                                   constant(builder, loc, ofTile));
    coordinates.push_back(part);
  }
  if (layout.isPadded(shape))
    coordinates.front() =
        arith::MinUIOp::create(
            builder, loc,
            getValueOrCreateConstantIndexOp(builder, loc, coordinates.front()),
            constant(builder, loc, getNumElements(shape) - 1))
            .getResult();
  if (!layout.isFlat(shape.size()))
    return coordinates;
  Value left =
      getValueOrCreateConstantIndexOp(builder, loc, coordinates.front());
  for (size_t dim = shape.size(); dim-- > 0;) {
    Value size = constant(builder, loc, shape[dim]);
    at[dim] = arith::RemUIOp::create(builder, loc, left, size).getResult();
    left = arith::DivUIOp::create(builder, loc, left, size);
  }
  return at;
}
