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
/// number if that is not denormal.
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

Parts createParts(OpBuilder &builder, Location loc, Value value) {
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
  Value middle = round(rest);
  return {round(leading), middle, round(subtractRounded(rest, middle))};
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
  const Parts &getParts(Value operand) {
    auto [known, isNew] = parts.try_emplace(operand);
    if (isNew) {
      OpBuilder builder(operand.getContext());
      builder.setInsertionPointAfterValue(operand);
      known->second = createParts(builder, operand.getLoc(), operand);
    }
    return known->second;
  }

  void expand(DotOp dot) {
    Parts lhs = getParts(dot.getLhs()), rhs = getParts(dot.getRhs());
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
      return product;
    };
    // The least numbers first. The products of two parts that are not here are
    // below the precision of f32.
    Value rest = multiply(lhs.low, rhs.high, Value());
    rest = multiply(lhs.high, rhs.low, rest);
    rest = multiply(lhs.middle, rhs.middle, rest);
    rest = multiply(lhs.middle, rhs.high, rest);
    rest = multiply(lhs.high, rhs.middle, rest);
    // Infinities and NaN are in the leading parts. Times the zeros of others
    // they would be NaN.
    rest = arith::SelectOp::create(builder, loc,
                                   createIsFinite(builder, loc, rest), rest,
                                   createZero(builder, loc, rest.getType()));
    if (dot.getAcc())
      rest = arith::AddFOp::create(builder, loc, dot.getAcc(), rest);
    dot.replaceAllUsesWith(multiply(lhs.high, rhs.high, rest));
    dot.erase();
  }

  llvm::DenseMap<Value, Parts> parts;
};

} // namespace
