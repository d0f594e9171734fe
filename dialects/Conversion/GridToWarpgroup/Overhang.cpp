//===- Overhang.cpp - Masks of blocks that overhang their array -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/GridToWarpgroup/ProgramBody.h"

#include "dialects/Support/Builders.h"
#include "dialects/Support/Elements.h"
#include "dialects/Warpgroup/Transforms/DataWindows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace gridir;
using namespace gridir::grid_to_warpgroup;

/// The elements of a block, or of a window of it, that the array has; null if
/// no block of the operand overhangs the array.
Value ProgramBody::createMask(unsigned operand, const Ids &ids,
                              grid::SliceRefOp window) {
  if (overhangs[operand].empty())
    return {};
  SmallVector<OpFoldResult> offsets = createOffsets(operand, ids);
  SmallVector<int64_t> squeezed = getSqueezedDims(operand);
  Value ref = window ? Value(window) : oldBody->getArgument(operand);
  auto block = cast<MemRefType>(ref.getType());
  SmallVector<OpFoldResult> ofWindow;
  SmallVector<int64_t> dropped;
  if (window) {
    ofWindow =
        getMixedValues(window.getStaticOffsets(), window.getOffsets(), builder);
    llvm::append_range(dropped, window.getDropped());
  }
  // The number of dimensions before `dim` that are not in a list.
  auto countKept = [](ArrayRef<int64_t> absent, int64_t dim) {
    return dim -
           llvm::count_if(absent, [&](int64_t other) { return other < dim; });
  };
  return createElements(
      builder, loc,
      RankedTensorType::get(block.getShape(), builder.getI1Type()),
      [&](OpBuilder &inner, Location loc, ArrayRef<Value> coordinates) {
        auto add = [&](Value a, OpFoldResult b) -> Value {
          Value other = toIndex(inner, loc, b);
          return a ? arith::AddIOp::create(inner, loc, a, other).getResult()
                   : other;
        };
        Value mask;
        for (int64_t dim : overhangs[operand]) {
          int64_t ofRef = countKept(squeezed, dim);
          Value position;
          if (!llvm::is_contained(dropped, ofRef))
            position = coordinates[countKept(dropped, ofRef)];
          position = add(position, offsets[dim]);
          if (window)
            position = add(position, ofWindow[ofRef]);
          Value extent = arith::ConstantIndexOp::create(
              inner, loc, specs[operand].getArrayShape()[dim]);
          Value isInside = arith::CmpIOp::create(
              inner, loc, arith::CmpIPredicate::slt, position, extent);
          mask = mask ? arith::AndIOp::create(inner, loc, mask, isInside)
                      : isInside;
        }
        return mask;
      });
}

/// Restricts the accesses of the block of an operand, and of windows of it, to
/// elements that the array has.
void ProgramBody::addMasks(unsigned operand, const Ids &ids, Value block,
                           Value mask) {
  for (Operation *user : block.getUsers()) {
    if (isa<grid::LoadOp, grid::StoreOp>(user)) {
      addMask(user, mask);
      continue;
    }
    auto window = dyn_cast<grid::SliceRefOp>(user);
    if (!window || window->use_empty())
      continue;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(window);
    Value ofWindow = createMask(operand, ids, window);
    for (Operation *access : window->getUsers())
      addMask(access, ofWindow);
    // The block exceeds the array, so the window is one of the array.
    window.replaceAllUsesWith(
        warpgroup::createWindow(builder, window.getLoc(), block,
                                getMixedValues(window.getStaticOffsets(),
                                               window.getOffsets(), builder),
                                window.getSizes(), window.getDropped())
            .getResult());
  }
}

/// Restricts a load or store of a block to the elements of a mask. Other
/// elements are loaded as zero.
void ProgramBody::addMask(Operation *access, Value mask) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(access);
  auto restrict = [&](Value old, MutableOperandRange operand) {
    operand.assign(
        old ? arith::AndIOp::create(builder, loc, old, mask).getResult()
            : mask);
  };
  if (auto store = dyn_cast<grid::StoreOp>(access))
    return restrict(store.getMask(), store.getMaskMutable());
  auto load = cast<grid::LoadOp>(access);
  restrict(load.getMask(), load.getMaskMutable());
  if (!load.getOther())
    load.getOtherMutable().assign(createZero(builder, loc, load.getType()));
}
