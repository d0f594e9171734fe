//===- DataWindows.cpp - Windows at positions that are data ---------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/DataWindows.h"

#include "dialects/Grid/Analysis/RefNames.h"
#include "dialects/Support/Builders.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace gridir;

static bool hasUnitStrides(grid::SliceRefOp slice) {
  return llvm::all_of(slice.getStrides(), [](int64_t n) { return n == 1; });
}

Type gridir::warpgroup::getIndexType(grid::KernelOp kernel) {
  // The map of a scalar yields none.
  for (Region &map : kernel.getKernelRegions().drop_front())
    if (auto types = map.front().getTerminator()->getOperandTypes();
        !types.empty())
      return types.front();
  return IntegerType::get(kernel.getContext(), 32);
}

std::string gridir::warpgroup::getBoundsMessage(const Twine &subject,
                                                unsigned dim, Value ref) {
  return (subject + " is out of bounds [0, {1}) in dimension " + Twine(dim) +
          " of " + grid::getRefName(grid::getViewRoot(ref)))
      .str();
}

Value gridir::warpgroup::createCheckedIndex(OpBuilder &builder, Location loc,
                                            Value number, int64_t last,
                                            int64_t extent, StringRef message) {
  Value index = toIndex(builder, loc, number),
        zero = arith::ConstantIndexOp::create(builder, loc, 0),
        limit = arith::ConstantIndexOp::create(builder, loc, last),
        size = arith::ConstantIndexOp::create(builder, loc, extent);
  Value low = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                    index, zero),
        high = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                     index, limit);
  grid::AssertOp::create(builder, loc,
                         arith::AndIOp::create(builder, loc, low, high),
                         message, ValueRange{index, size});
  Value notNegative = arith::MaxSIOp::create(builder, loc, index, zero);
  return arith::MinSIOp::create(builder, loc, notNegative, limit);
}

grid::SliceRefOp gridir::warpgroup::createWindow(OpBuilder &builder,
                                                 Location loc, Value ref,
                                                 ArrayRef<OpFoldResult> offsets,
                                                 ArrayRef<int64_t> sizes,
                                                 ArrayRef<int64_t> dropped) {
  SmallVector<OpFoldResult> positions(offsets);
  SmallVector<int64_t> lengths(sizes), absent(dropped);
  auto outer = ref.getDefiningOp<grid::SliceRefOp>();
  if (outer && hasUnitStrides(outer)) {
    positions =
        getMixedValues(outer.getStaticOffsets(), outer.getOffsets(), builder);
    lengths.assign(outer.getSizes().begin(), outer.getSizes().end());
    absent.clear();
    unsigned next = 0;
    for (auto [dim, position] : llvm::enumerate(positions)) {
      if (llvm::is_contained(outer.getDropped(), dim)) {
        absent.push_back(dim);
        continue;
      }
      if (llvm::is_contained(dropped, next))
        absent.push_back(dim);
      std::optional<int64_t> first = getConstantIntValue(position),
                             second = getConstantIntValue(offsets[next]);
      // A window at a static offset is inside of the Ref.
      if (first && second) {
        int64_t sum = *first + *second;
        bool isInside =
            sum >= 0 &&
            sum + sizes[next] <=
                cast<MemRefType>(outer.getSource().getType()).getDimSize(dim);
        position =
            isInside
                ? OpFoldResult(builder.getIndexAttr(sum))
                : arith::ConstantIndexOp::create(builder, loc, sum).getResult();
      } else if (first == 0)
        position = offsets[next];
      else if (second != 0)
        position =
            arith::AddIOp::create(builder, loc, toIndex(builder, loc, position),
                                  toIndex(builder, loc, offsets[next]))
                .getResult();
      lengths[dim] = sizes[next++];
    }
    ref = outer.getSource();
  }
  SmallVector<int64_t> statics, shape;
  SmallVector<Value> dynamics;
  dispatchIndexOpFoldResults(positions, dynamics, statics);
  for (auto [dim, length] : llvm::enumerate(lengths))
    if (!llvm::is_contained(absent, dim))
      shape.push_back(length);
  auto type = cast<MemRefType>(ref.getType());
  return grid::SliceRefOp::create(
      builder, loc,
      MemRefType::get(shape, type.getElementType(), MemRefLayoutAttrInterface(),
                      type.getMemorySpace()),
      ref, dynamics, statics, lengths, SmallVector<int64_t>(lengths.size(), 1),
      absent);
}

void gridir::warpgroup::changeSpaceOfViews(Value ref) {
  Attribute space = cast<MemRefType>(ref.getType()).getMemorySpace();
  for (Operation *user : ref.getUsers())
    if (isa<grid::RefViewOpInterface>(user)) {
      Value view = user->getResult(0);
      auto type = cast<MemRefType>(view.getType());
      view.setType(MemRefType::get(type.getShape(), type.getElementType(),
                                   type.getLayout(), space));
      changeSpaceOfViews(view);
    }
}

Value gridir::warpgroup::getWindowedRef(Value ref) {
  while (auto slice = ref.getDefiningOp<grid::SliceRefOp>()) {
    if (!hasUnitStrides(slice))
      break;
    ref = slice.getSource();
  }
  return ref;
}
