//===- RefRegions.cpp - The part of a Ref that an access touches ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/RefRegions.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace gridir::grid {

ElementBox ElementBox::whole(ArrayRef<int64_t> shape, MLIRContext *context) {
  ElementBox box;
  box.lows.assign(shape.size(), getAffineConstantExpr(0, context));
  box.sizes.assign(shape.begin(), shape.end());
  return box;
}

/// Whether a box of a Ref of this shape is all of it.
static bool isWhole(const ElementBox &box, ArrayRef<int64_t> shape) {
  return ArrayRef<int64_t>(box.sizes) == shape &&
         llvm::all_of(box.lows, [](AffineExpr low) {
           auto constant = dyn_cast<AffineConstantExpr>(low);
           return constant && constant.getValue() == 0;
         });
}

/// The box of the source of a slice that the box of its result names.
static ElementBox mapThroughSlice(SliceRefOp slice, const ElementBox &box,
                                  ProgramValues &values) {
  MLIRContext *context = slice.getContext();
  ArrayRef<int64_t> statics = slice.getStaticOffsets(),
                    strides = slice.getStrides();
  ArrayRef<int64_t> dropped = slice.getDropped();
  ElementBox source;
  source.exact = box.exact;
  auto dynamics = slice.getOffsets().begin();
  unsigned kept = 0;
  for (unsigned dim = 0; dim < statics.size(); ++dim) {
    AffineExpr offset = ShapedType::isDynamic(statics[dim])
                            ? values.getExpr(*dynamics++)
                            : getAffineConstantExpr(statics[dim], context);
    if (llvm::is_contained(dropped, dim)) {
      source.lows.push_back(offset);
      source.sizes.push_back(1);
      continue;
    }
    source.lows.push_back(offset + box.lows[kept] * strides[dim]);
    source.sizes.push_back(
        box.sizes[kept] ? (box.sizes[kept] - 1) * strides[dim] + 1 : 0);
    source.exact &= strides[dim] == 1 || box.sizes[kept] <= 1;
    ++kept;
  }
  return source;
}

static ElementBox mapThroughTranspose(TransposeRefOp transpose,
                                      const ElementBox &box) {
  ElementBox source = box;
  for (auto [dim, from] : llvm::enumerate(transpose.getPermutation())) {
    source.lows[from] = box.lows[dim];
    source.sizes[from] = box.sizes[dim];
  }
  return source;
}

/// A view that changes the shape keeps a whole box whole; of any other it is
/// only known to be inside.
static ElementBox mapThroughReshape(Value source, Value result,
                                    const ElementBox &box) {
  bool whole = isWhole(box, cast<MemRefType>(result.getType()).getShape());
  ElementBox all = ElementBox::whole(
      cast<MemRefType>(source.getType()).getShape(), source.getContext());
  all.exact = box.exact && whole;
  return all;
}

static void follow(Value ref, ElementBox box, ProgramValues &values,
                   SmallVectorImpl<RefRegion> &regions) {
  while (Operation *view = ref.getDefiningOp()) {
    if (auto slice = dyn_cast<SliceRefOp>(view)) {
      box = mapThroughSlice(slice, box, values);
      ref = slice.getSource();
    } else if (auto transpose = dyn_cast<TransposeRefOp>(view)) {
      box = mapThroughTranspose(transpose, box);
      ref = transpose.getSource();
    } else if (isa<ReshapeRefOp, BitcastRefOp>(view)) {
      box = mapThroughReshape(view->getOperand(0), ref, box);
      ref = view->getOperand(0);
    } else if (auto select = dyn_cast<SelectRefOp>(view)) {
      box.exact &= select.getSources().size() == 1;
      for (Value source : select.getSources())
        follow(source, box, values, regions);
      return;
    } else {
      // An op of another dialect may give any part of the Refs that it takes.
      bool known = view->getNumRegions() == 0;
      size_t before = regions.size();
      for (Value source : view->getOperands()) {
        auto type = dyn_cast<MemRefType>(source.getType());
        known &= type || !isa<BaseMemRefType>(source.getType());
        if (!type)
          continue;
        ElementBox all = ElementBox::whole(type.getShape(), ref.getContext());
        all.exact = false;
        follow(source, std::move(all), values, regions);
      }
      if (!known || regions.size() == before)
        regions.push_back({Value(), std::move(box)});
      return;
    }
  }
  assert(box.sizes.size() ==
             size_t(cast<MemRefType>(ref.getType()).getRank()) &&
         box.lows.size() == box.sizes.size() &&
         "the box of a region is one of its root");
  Operation *owner = cast<BlockArgument>(ref).getOwner()->getParentOp();
  regions.push_back({isa_and_nonnull<KernelOp, ScopedOp>(owner) ? ref : Value(),
                     std::move(box)});
}

SmallVector<RefRegion> getRefRegions(Value ref, ProgramValues &values) {
  SmallVector<RefRegion> regions;
  follow(ref,
         ElementBox::whole(cast<MemRefType>(ref.getType()).getShape(),
                           ref.getContext()),
         values, regions);
  return regions;
}

} // namespace gridir::grid
