//===- ClampConversions.cpp - Limit floats before they become integers ----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Loops/Transforms/Passes.h"

#include "dialects/Support/Builders.h"
#include "dialects/Support/SaturatingConversions.h"

namespace gridir::loops {
#define GEN_PASS_DEF_LOOPSCLAMPCONVERSIONSPASS
#include "dialects/Loops/Transforms/Passes.h.inc"
} // namespace gridir::loops

using namespace mlir;
using gridir::SaturatingConversion;

namespace {

/// True if floats represent all integers of a type.
bool representsIntegers(Type floats, Type integers) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(getElementTypeOrSelf(floats)).getFloatSemantics();
  return getElementTypeOrSelf(integers).getIntOrFloatBitWidth() <=
         APFloat::semanticsPrecision(semantics);
}

/// A type of signed integers that has all unsigned integers of the result.
Type getSignedType(Type result) {
  unsigned width = getElementTypeOrSelf(result).getIntOrFloatBitWidth();
  Type type = IntegerType::get(result.getContext(), width < 32 ? 32 : 64);
  if (auto shaped = dyn_cast<ShapedType>(result))
    return shaped.clone(type);
  return type;
}

class LoopsClampConversionsPass
    : public gridir::loops::impl::LoopsClampConversionsPassBase<
          LoopsClampConversionsPass> {
public:
  using LoopsClampConversionsPassBase::LoopsClampConversionsPassBase;

  void runOnOperation() override {
    SmallVector<std::pair<arith::SelectOp, SaturatingConversion>> conversions;
    getOperation()->walk([&](arith::SelectOp op) {
      std::optional<SaturatingConversion> found =
          gridir::matchSaturatingConversion(op);
      if (found && representsIntegers(found->input.getType(), op.getType()))
        conversions.emplace_back(op, *found);
    });
    for (auto &[op, found] : conversions)
      clamp(op, found);
    numClamped += conversions.size();
  }

private:
  static void clamp(arith::SelectOp op, const SaturatingConversion &found) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    Value input = found.input;
    auto createNumber = [&](double number) {
      return gridir::createFloat(b, loc, input.getType(), number);
    };
    auto replaceIf = [&](arith::CmpFPredicate predicate, Value left,
                         Value right, Value replacement, Value value) -> Value {
      Value isReplaced = arith::CmpFOp::create(b, loc, predicate, left, right);
      return arith::SelectOp::create(b, loc, isReplaced, replacement, value);
    };
    Value number = replaceIf(arith::CmpFPredicate::UNO, input, input,
                             createNumber(0), input);
    Value low = createNumber(double(found.smallest));
    number = replaceIf(arith::CmpFPredicate::OGT, low, number, low, number);
    Value high = createNumber(double(found.largest));
    number = replaceIf(arith::CmpFPredicate::OLT, high, number, high, number);
    Type type = found.isSigned ? op.getType() : getSignedType(op.getType());
    Value result = arith::FPToSIOp::create(b, loc, type, number);
    if (!found.isSigned)
      result = arith::TruncIOp::create(b, loc, op.getType(), result);
    op.replaceAllUsesWith(result);
    op.erase();
  }
};

} // namespace
