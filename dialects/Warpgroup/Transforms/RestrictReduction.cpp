//===- RestrictReduction.cpp - Reductions of some elements ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/RestrictReduction.h"

#include "dialects/Support/Elements.h"
#include "dialects/Support/NeutralElement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gridir;

/// The condition that the position of an element is in an interval.
static Value createIsInside(OpBuilder &builder, Location loc,
                            RankedTensorType type, unsigned dim, int64_t first,
                            int64_t last) {
  return createElements(
      builder, loc, type.clone(builder.getI1Type()),
      [&](OpBuilder &inner, Location loc, ArrayRef<Value> coordinates) {
        auto compare = [&](arith::CmpIPredicate predicate, int64_t limit) {
          return arith::CmpIOp::create(
              inner, loc, predicate, coordinates[dim],
              arith::ConstantIndexOp::create(inner, loc, limit));
        };
        Value isInside;
        if (first != 0)
          isInside = compare(arith::CmpIPredicate::sge, first);
        if (last != type.getDimSize(dim)) {
          Value isBefore = compare(arith::CmpIPredicate::slt, last);
          isInside = isInside
                         ? arith::AndIOp::create(inner, loc, isInside, isBefore)
                               .getResult()
                         : isBefore;
        }
        return isInside;
      });
}

/// Replaces the elements of an array outside of an interval by `neutral`.
static Value createRestricted(OpBuilder &builder, Location loc, Value array,
                              unsigned dim, int64_t first, int64_t last,
                              Attribute neutral) {
  auto type = cast<RankedTensorType>(array.getType());
  if (first == 0 && last == type.getDimSize(dim))
    return array;
  Value outside = arith::ConstantOp::create(
            builder, loc, SplatElementsAttr::get(type, neutral)),
        isInside = createIsInside(builder, loc, type, dim, first, last);
  return arith::SelectOp::create(builder, loc, isInside, array, outside);
}

void gridir::warpgroup::restrictReduction(linalg::ReduceOp reduce, unsigned dim,
                                          int64_t first, int64_t last) {
  OpBuilder builder(reduce);
  reduce.getInputsMutable().assign(
      createRestricted(builder, reduce.getLoc(), reduce.getInputs().front(),
                       dim, first, last, *getNeutralElement(reduce)));
}

void gridir::warpgroup::restrictOperand(OpOperand &operand, unsigned dim,
                                        int64_t last) {
  Value array = operand.get();
  OpBuilder builder(operand.getOwner());
  Type element = getElementTypeOrSelf(array.getType());
  operand.set(createRestricted(builder, array.getLoc(), array, dim, /*first=*/0,
                               last, builder.getZeroAttr(element)));
}
