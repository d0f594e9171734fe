//===- RefRegions.cpp - The part of a Ref that an access touches ----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Grid/Analysis/RefRegions.h"

#include "dialects/Grid/Analysis/RefOrigins.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace gridir::grid {

ElementBox ElementBox::whole(ArrayRef<int64_t> shape, MLIRContext *context) {
  ElementBox box;
  box.lows.assign(shape.size(), getAffineConstantExpr(0, context));
  box.sizes.assign(shape.begin(), shape.end());
  return box;
}

/// True if a box covers a whole Ref of this shape.
static bool isWhole(const ElementBox &box, ArrayRef<int64_t> shape) {
  return ArrayRef<int64_t>(box.sizes) == shape &&
         llvm::all_of(box.lows, [](AffineExpr low) {
           auto constant = dyn_cast<AffineConstantExpr>(low);
           return constant && constant.getValue() == 0;
         });
}

/// Returns the expression of a static or dynamic offset.
static AffineExpr getOffsetExpr(OpFoldResult offset, MLIRContext *context,
                                ProgramValues &values) {
  std::optional<int64_t> constant = getConstantIntValue(offset);
  return constant ? getAffineConstantExpr(*constant, context)
                  : values.getExpr(cast<Value>(offset));
}

/// The box of the source that a box of a view names.
static ElementBox mapThroughDims(ArrayRef<ViewDim> dims, const ElementBox &box,
                                 MLIRContext *context, ProgramValues &values) {
  ElementBox source;
  source.exact = box.exact;
  for (const ViewDim &dim : dims) {
    AffineExpr offset = getOffsetExpr(dim.offset, context, values);
    if (!dim.dim) {
      source.lows.push_back(offset);
      source.sizes.push_back(1);
      continue;
    }
    int64_t size = box.sizes[*dim.dim];
    source.lows.push_back(offset + box.lows[*dim.dim] * dim.stride);
    source.sizes.push_back(size ? (size - 1) * dim.stride + 1 : 0);
    source.exact &= dim.stride == 1 || size <= 1;
  }
  return source;
}

/// A view that changes the shape maps the whole source to the whole result; any
/// other box is only known to be inside.
static ElementBox mapThroughReshape(Value source, Value result,
                                    const ElementBox &box) {
  bool whole = isWhole(box, cast<MemRefType>(result.getType()).getShape());
  ElementBox all = ElementBox::whole(
      cast<MemRefType>(source.getType()).getShape(), source.getContext());
  all.exact = box.exact && whole;
  return all;
}

/// Maps a box of a view to boxes of the roots that the view may select, by
/// walking the chain of views toward its roots. Boxes become hulls where a view
/// selects among several Refs, or changes the shape.
static void follow(Value ref, ElementBox box, ProgramValues &values,
                   SmallVectorImpl<RefRegion> &regions) {
  while (Operation *op = ref.getDefiningOp()) {
    if (auto view = dyn_cast<RefViewOpInterface>(op)) {
      ValueRange sources = view.getViewSources();
      if (sources.size() != 1) {
        box.exact = false;
        for (Value source : sources)
          follow(source, box, values, regions);
        return;
      }
      std::optional<SmallVector<ViewDim>> dims = view.getViewDims();
      box = dims ? mapThroughDims(*dims, box, ref.getContext(), values)
                 : mapThroughReshape(sources.front(), ref, box);
      ref = sources.front();
    } else {
      // An op of another dialect may give any part of the Refs that it takes.
      bool known = op->getNumRegions() == 0;
      size_t before = regions.size();
      for (Value source : op->getOperands()) {
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
  regions.push_back({isRef(ref) ? ref : Value(), std::move(box)});
}

ElementBox getWindowBox(WindowOpInterface window, ProgramValues &values) {
  ElementBox box;
  for (auto [offset, size] :
       llvm::zip_equal(window.getWindowOffsets(), window.getWindowSizes())) {
    box.lows.push_back(getOffsetExpr(offset, window->getContext(), values));
    box.sizes.push_back(size);
  }
  return box;
}

SmallVector<RefRegion> getAccessedRegions(Operation *op, Value ref,
                                          ProgramValues &values) {
  auto window = dyn_cast<WindowOpInterface>(op);
  if (!window || window.getWindowRef() != ref)
    return getRefRegions(ref, values);
  ElementBox box = getWindowBox(window, values);
  box.exact = !window.getWindowPredicate();
  return getRefRegions(ref, std::move(box), values);
}

SmallVector<RefRegion> getRefRegions(Value ref, ElementBox box,
                                     ProgramValues &values) {
  SmallVector<RefRegion> regions;
  follow(ref, std::move(box), values, regions);
  return regions;
}

SmallVector<RefRegion> getRefRegions(Value ref, ProgramValues &values) {
  return getRefRegions(
      ref,
      ElementBox::whole(cast<MemRefType>(ref.getType()).getShape(),
                        ref.getContext()),
      values);
}

} // namespace gridir::grid
