//===- BoxCoverage.cpp - Boxes of elements that cover others --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/BoxCoverage.h"

using namespace mlir;

namespace gridir::grid {

/// Sets with more pieces than this are not subtracted further.
static constexpr size_t kMaxPieces = 64;

std::optional<ConstantBox> getConstantBox(const ElementBox &box) {
  ConstantBox result;
  for (auto [low, size] : llvm::zip(box.lows, box.sizes)) {
    auto constant = dyn_cast<AffineConstantExpr>(low);
    if (!constant || ShapedType::isDynamic(size))
      return std::nullopt;
    result.push_back({constant.getValue(), constant.getValue() + size});
  }
  return result;
}

/// The pieces of `box` that are outside `hole`.
static SmallVector<ConstantBox> subtract(ConstantBox box,
                                         const ConstantBox &hole) {
  SmallVector<ConstantBox> pieces;
  for (auto [range, cut] : llvm::zip(box, hole))
    if (range.second <= cut.first || cut.second <= range.first)
      return {box};
  for (size_t dim = 0; dim < box.size(); ++dim) {
    auto [low, high] = box[dim];
    auto add = [&](int64_t from, int64_t to) {
      if (from >= to)
        return;
      pieces.push_back(box);
      pieces.back()[dim] = {from, to};
    };
    add(low, hole[dim].first);
    add(hole[dim].second, high);
    box[dim] = {std::max(low, hole[dim].first),
                std::min(high, hole[dim].second)};
  }
  return pieces;
}

bool isInside(const ElementBox &box, const ElementBox &outer) {
  return box.lows == outer.lows &&
         llvm::all_of(llvm::zip(box.sizes, outer.sizes), [](auto pair) {
           return std::get<0>(pair) <= std::get<1>(pair);
         });
}

bool isCovered(const ElementBox &box, const ConstantBox &hull,
               ArrayRef<ElementBox> written) {
  if (llvm::any_of(written, [&](const ElementBox &outer) {
        return isInside(box, outer);
      }))
    return true;
  SmallVector<ConstantBox> rest{hull};
  for (const ElementBox &outer : written) {
    std::optional<ConstantBox> hole = getConstantBox(outer);
    if (!hole)
      continue;
    SmallVector<ConstantBox> left;
    for (ConstantBox &piece : rest)
      llvm::append_range(left, subtract(std::move(piece), *hole));
    rest = std::move(left);
    if (rest.empty())
      return true;
    if (rest.size() > kMaxPieces)
      return false;
  }
  return false;
}

void remove(SmallVector<ConstantBox> &boxes, const ConstantBox &hole) {
  SmallVector<ConstantBox> left;
  for (const ConstantBox &box : boxes)
    llvm::append_range(left, subtract(box, hole));
  if (left.size() <= kMaxPieces)
    boxes = std::move(left);
}

bool certainlyMeet(const ElementBox &a, const ElementBox &b) {
  std::optional<ConstantBox> first = getConstantBox(a),
                             second = getConstantBox(b);
  return first && second && first->size() == second->size() &&
         llvm::all_of(llvm::zip(*first, *second), [](auto ranges) {
           auto [x, y] = ranges;
           return x.first < y.second && y.first < x.second;
         });
}

} // namespace gridir::grid
