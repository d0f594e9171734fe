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

void gridir::warpgroup::restrictReduction(linalg::ReduceOp reduce, unsigned dim,
                                          int64_t first, int64_t last) {
  Value input = reduce.getInputs().front();
  auto type = cast<RankedTensorType>(input.getType());
  if (first == 0 && last == type.getDimSize(dim))
    return;
  OpBuilder builder(reduce);
  Location loc = reduce.getLoc();
  Value neutral = arith::ConstantOp::create(
            builder, loc,
            SplatElementsAttr::get(type, *getNeutralElement(reduce))),
        isInside = createIsInside(builder, loc, type, dim, first, last);
  reduce.getInputsMutable().assign(
      arith::SelectOp::create(builder, loc, isInside, input, neutral)
          .getResult());
}
