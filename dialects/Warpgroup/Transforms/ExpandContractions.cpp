//===- ExpandContractions.cpp - Contractions of f32 by parts in bf16 ------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Warpgroup/Transforms/Passes.h"

#include "dialects/Support/Builders.h"
#include "dialects/Warpgroup/IR/Warpgroup.h"
#include "dialects/Warpgroup/Transforms/MatrixUnits.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace gridir::warpgroup {
#define GEN_PASS_DEF_WARPGROUPEXPANDCONTRACTIONSPASS
#include "dialects/Warpgroup/Transforms/Passes.h.inc"
} // namespace gridir::warpgroup

using namespace mlir;
using namespace gridir;
using namespace gridir::grid;
using namespace gridir::warpgroup;

namespace {

/// The leading, middle and last eight bits of each number, whose sum is the
/// number if that is not denormal. The last ones are null if fewer are needed.
struct Parts {
  Value high, middle, low;
};

/// True for numbers other than the infinities and NaN.
Value createIsFinite(OpBuilder &builder, Location loc, Value value) {
  Value infinity = createFloat(builder, loc, value.getType(),
                               std::numeric_limits<double>::infinity());
  Value magnitude = math::AbsFOp::create(builder, loc, value);
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT,
                               magnitude, infinity);
}

Parts createParts(OpBuilder &builder, Location loc, Value value,
                  int64_t count) {
  auto type = cast<RankedTensorType>(value.getType());
  Type narrow = withElementType(type, builder.getBF16Type()),
       word = withElementType(type, builder.getI32Type());
  auto round = [&](Value number) -> Value {
    return arith::TruncFOp::create(builder, loc, narrow, number);
  };
  auto subtractRounded = [&](Value number, Value rounded) -> Value {
    Value wide = arith::ExtFOp::create(builder, loc, type, rounded);
    return arith::SubFOp::create(builder, loc, number, wide);
  };
  if (count == 1)
    return {round(value), Value(), Value()};
  // The first part is truncated: the nearest number may be infinite.
  Value bits = arith::BitcastOp::create(builder, loc, word, value);
  Value mask = createInteger(builder, loc, word, 0xffff0000);
  bits = arith::AndIOp::create(builder, loc, bits, mask);
  Value leading = arith::BitcastOp::create(builder, loc, type, bits);
  Value isFinite = createIsFinite(builder, loc, value);
  Value rest = arith::SubFOp::create(builder, loc, value, leading);
  leading = arith::SelectOp::create(builder, loc, isFinite, leading, value);
  rest = arith::SelectOp::create(builder, loc, isFinite, rest,
                                 createZero(builder, loc, type));
  Value middle = round(rest), high = round(leading), low;
  if (count > 2)
    low = round(subtractRounded(rest, middle));
  return {high, middle, low};
}

class WarpgroupExpandContractionsPass
    : public warpgroup::impl::WarpgroupExpandContractionsPassBase<
          WarpgroupExpandContractionsPass> {
public:
  using WarpgroupExpandContractionsPassBase::
      WarpgroupExpandContractionsPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<DotOp> dots;
    kernel.getBodyRegion().walk([&](DotOp dot) {
      if (getElementTypeOrSelf(dot.getLhs().getType()).isF32())
        dots.push_back(dot);
    });
    if (dots.empty() || !kernel->hasAttr(kScheduleAttr))
      return markAllAnalysesPreserved();
    // Values of an earlier kernel are gone.
    parts.clear();
    for (DotOp dot : dots)
      expand(dot);
    numExpanded += dots.size();
  }

private:
  const Parts &getParts(Value operand, int64_t count) {
    auto [known, isNew] = parts.try_emplace({operand, count});
    if (isNew) {
      OpBuilder builder(operand.getContext());
      builder.setInsertionPointAfterValue(operand);
      known->second = createParts(builder, operand.getLoc(), operand, count);
    }
    return known->second;
  }

  void expand(DotOp dot) {
    int64_t count = countParts(dot);
    Parts lhs = getParts(dot.getLhs(), count),
          rhs = getParts(dot.getRhs(), count);
    OpBuilder builder(dot);
    Location loc = dot.getLoc();
    auto multiply = [&](Value a, Value b, Value acc) -> Value {
      auto product = cast<DotOp>(builder.clone(*dot));
      product.getLhsMutable().assign(a);
      product.getRhsMutable().assign(b);
      if (acc)
        product.getAccMutable().assign(acc);
      else
        product.getAccMutable().clear();
      product.removePrecisionAttr();
      product.removeAlgorithmAttr();
      return product;
    };
    Value sum = dot.getAcc();
    if (count > 1) {
      // The least numbers first. The products of two parts that are not here
      // are below the precision of the contraction.
      Value rest;
      if (count > 2) {
        rest = multiply(lhs.low, rhs.high, Value());
        rest = multiply(lhs.high, rhs.low, rest);
        rest = multiply(lhs.middle, rhs.middle, rest);
      }
      rest = multiply(lhs.middle, rhs.high, rest);
      rest = multiply(lhs.high, rhs.middle, rest);
      // Infinities and NaN are in the leading parts. Times the zeros of others
      // they would be NaN.
      rest = arith::SelectOp::create(builder, loc,
                                     createIsFinite(builder, loc, rest), rest,
                                     createZero(builder, loc, rest.getType()));
      sum = sum ? arith::AddFOp::create(builder, loc, sum, rest) : rest;
    }
    dot.replaceAllUsesWith(multiply(lhs.high, rhs.high, sum));
    dot.erase();
  }

  llvm::DenseMap<std::pair<Value, int64_t>, Parts> parts;
};

} // namespace
