//===- Reshaping.cpp - Layouts of arrays that are made of others ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Layout/Layout.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace gridir::warpgroup;
using llvm::ArrayRef;
using llvm::SmallVector;

/// The indices in a new tile of elements of an old one.
template <typename Move>
static SmallVector<uint64_t> moveBasis(ArrayRef<uint64_t> basis, Shape from,
                                       Shape to, Move move) {
  SmallVector<uint64_t> moved;
  for (uint64_t vector : basis)
    moved.push_back(linearize(move(delinearize(vector, from)), to));
  return moved;
}

std::optional<Layout> Layout::transpose(ArrayRef<int64_t> permutation,
                                        Shape shape) const {
  if (isSplat())
    return *this;
  std::optional<Layout> source = unflatten(shape);
  if (!source)
    return std::nullopt;
  auto move = [&](ArrayRef<int64_t> at) {
    Coordinates moved;
    for (int64_t dim : permutation)
      moved.push_back(at[dim]);
    return moved;
  };
  Coordinates newTile = move(source->tile);
  return Layout(newTile,
                moveBasis(registers.getColumns(), source->tile, newTile, move),
                moveBasis(threads.getColumns(), source->tile, newTile, move));
}

std::optional<Layout> Layout::dropDims(ArrayRef<int64_t> dims,
                                       Shape shape) const {
  if (isSplat() || dims.size() == shape.size())
    return splat();
  std::optional<Layout> source = unflatten(shape);
  if (!source)
    return std::nullopt;
  auto move = [&](ArrayRef<int64_t> at) {
    Coordinates left;
    for (auto [dim, index] : llvm::enumerate(at))
      if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
        left.push_back(index);
    return left;
  };
  Coordinates newTile = move(source->tile);
  // Keeps one of several registers with the same elements.
  Span span;
  SmallVector<uint64_t> newRegisters;
  for (uint64_t column :
       moveBasis(registers.getColumns(), source->tile, newTile, move))
    if (span.insert(column))
      newRegisters.push_back(column);
  return Layout(newTile, newRegisters,
                moveBasis(threads.getColumns(), source->tile, newTile, move));
}

std::optional<Layout> Layout::insertDims(ArrayRef<int64_t> dims,
                                         Shape shape) const {
  // Row-major order is unchanged.
  if (isSplat() || isPadded(shape))
    return *this;
  std::optional<Layout> source = unflatten(shape);
  if (!source)
    return std::nullopt;
  Coordinates newTile;
  auto next = source->tile.begin();
  for (size_t dim = 0, e = source->tile.size() + dims.size(); dim < e; ++dim)
    newTile.push_back(
        llvm::is_contained(dims, static_cast<int64_t>(dim)) ? 1 : *next++);
  return Layout(newTile, registers.getColumns(), threads.getColumns());
}

/// The dimensions of size other than 1.
static Coordinates dropUnits(Shape shape) {
  return Coordinates(
      llvm::make_filter_range(shape, [](int64_t size) { return size != 1; }));
}

static SmallVector<int64_t> getUnitDims(Shape shape) {
  return SmallVector<int64_t>(
      llvm::make_filter_range(llvm::seq<int64_t>(shape.size()),
                              [&](int64_t dim) { return shape[dim] == 1; }));
}

std::optional<Layout> Layout::reshape(Shape from, Shape to) const {
  if (isSplat())
    return *this;
  if (to.empty())
    return splat();
  // Row-major order is the same in both, unless a tile of rank one is one of
  // the array then.
  if (isFlat(from.size()) || isPadded(from))
    return *this;
  if (dropUnits(from) == dropUnits(to)) {
    std::optional<Layout> squeezed = dropDims(getUnitDims(from), from);
    return squeezed ? squeezed->insertDims(getUnitDims(to), dropUnits(from))
                    : std::nullopt;
  }
  if (from.size() == 1 && to.size() != 1)
    return *this;
  if (!llvm::all_of(from, llvm::isPowerOf2_64) ||
      !llvm::all_of(to, llvm::isPowerOf2_64))
    return std::nullopt;
  // A tile as large as the array has the array's row-major order.
  Layout whole = enlarge(from);
  return Layout(to, whole.registers.getColumns(), whole.threads.getColumns());
}

std::optional<Layout> Layout::multiply(const Layout &outer) const {
  if (isSplat() || outer.isSplat() || tile.size() != outer.tile.size())
    return std::nullopt;
  Coordinates newTile;
  for (auto [size, times] : llvm::zip_equal(tile, outer.tile))
    newTile.push_back(size * times);
  auto keep = [](ArrayRef<int64_t> at) {
    return Coordinates(at.begin(), at.end());
  };
  auto scale = [&](ArrayRef<int64_t> at) {
    Coordinates scaled;
    for (auto [index, size] : llvm::zip_equal(at, tile))
      scaled.push_back(index * size);
    return scaled;
  };
  SmallVector<uint64_t> newRegisters =
      moveBasis(registers.getColumns(), tile, newTile, keep);
  llvm::append_range(newRegisters, moveBasis(outer.registers.getColumns(),
                                             outer.tile, newTile, scale));
  SmallVector<uint64_t> newThreads;
  for (auto [inside, outside] : llvm::zip_equal(
           moveBasis(threads.getColumns(), tile, newTile, keep),
           moveBasis(outer.threads.getColumns(), outer.tile, newTile, scale)))
    newThreads.push_back(inside ^ outside);
  return Layout(newTile, newRegisters, newThreads);
}

std::optional<SmallVector<int64_t>> gridir::warpgroup::findRegisters(
    const Layout &source, Shape sourceShape, const Layout &dest,
    Shape destShape, llvm::function_ref<int64_t(int64_t)> toSource) {
  int64_t numRegisters = dest.getNumRegisters(destShape);
  if (source.isSplat())
    return SmallVector<int64_t>(numRegisters, 0);
  if (dest.isSplat() && getNumElements(destShape) != 1)
    return std::nullopt;
  // The first thread may hold a padding element in several registers.
  llvm::DenseMap<int64_t, SmallVector<int64_t, 1>> ofFirstThread;
  for (int64_t reg = 0, e = source.getNumRegisters(sourceShape); reg < e; ++reg)
    ofFirstThread[source.getElement(sourceShape, reg, 0)].push_back(reg);
  SmallVector<int64_t> found;
  for (int64_t reg = 0; reg < numRegisters; ++reg) {
    auto holds = [&](int64_t candidate) {
      return llvm::all_of(
          llvm::seq<unsigned>(kNumThreads), [&](unsigned thread) {
            return source.getElement(sourceShape, candidate, thread) ==
                   toSource(dest.getElement(destShape, reg, thread));
          });
    };
    const auto &candidates =
        ofFirstThread[toSource(dest.getElement(destShape, reg, 0))];
    const auto *it = llvm::find_if(candidates, holds);
    if (it == candidates.end())
      return std::nullopt;
    found.push_back(*it);
  }
  return found;
}
