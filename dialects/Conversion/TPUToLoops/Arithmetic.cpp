//===- Arithmetic.cpp - What Mosaic's instructions compute ----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/Conversion/TPUToLoops/Raising.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace gridir::tpu_to_loops {
namespace {

Value createFloat(OpBuilder &builder, Location loc, Type type, double number) {
  return createScalarOrSplatConstant(
      builder, loc, type,
      builder.getFloatAttr(getElementTypeOrSelf(type), number).getValue());
}

LogicalResult raiseReciprocal(tpu::ReciprocalOp op, Raising &raising) {
  Value input = raising.get(op.getInput());
  Value one = createFloat(raising.builder, op.getLoc(), input.getType(), 1);
  raising.set(op.getResult(),
              arith::DivFOp::create(raising.builder, op.getLoc(), one, input));
  return success();
}

/// True for the infinities and for NaN.
LogicalResult raiseWeird(tpu::WeirdOp op, Raising &raising) {
  Location loc = op.getLoc();
  Value input = raising.get(op.getInput());
  Value infinity = createFloat(raising.builder, loc, input.getType(),
                               std::numeric_limits<double>::infinity());
  Value magnitude = math::AbsFOp::create(raising.builder, loc, input);
  raising.set(op.getOutput(), arith::CmpFOp::create(raising.builder, loc,
                                                    arith::CmpFPredicate::UGE,
                                                    magnitude, infinity));
  return success();
}

/// The unit saturates and takes NaN to 0, where `arith` leaves undefined what
/// does not fit, and a CPU gives what its instruction happens to.
template <typename OpT>
LogicalResult raiseFloatToInteger(OpT op, Raising &raising) {
  using Predicate = arith::CmpFPredicate;
  constexpr bool isUnsigned = std::is_same_v<OpT, arith::FPToUIOp>;
  OpBuilder &builder = raising.builder;
  Location loc = op.getLoc();
  Value input = raising.get(op.getIn());
  // The bounds of the integers are numbers of f32, and of nothing narrower.
  if (getElementTypeOrSelf(input).getIntOrFloatBitWidth() < 32) {
    Type wide = builder.getF32Type();
    if (auto type = dyn_cast<ShapedType>(input.getType()))
      wide = type.clone(wide);
    input = arith::ExtFOp::create(builder, loc, wide, input);
  }
  Type floats = input.getType(), integers = raising.convertType(op.getType());
  unsigned width = getElementTypeOrSelf(integers).getIntOrFloatBitWidth();
  auto integer = [&](const APInt &number) {
    return createScalarOrSplatConstant(builder, loc, integers, number);
  };
  auto compare = [&](Predicate predicate, double bound) -> Value {
    return arith::CmpFOp::create(builder, loc, predicate, input,
                                 createFloat(builder, loc, floats, bound));
  };
  double end = std::ldexp(1.0, isUnsigned ? width : width - 1);
  double start = isUnsigned ? 0.0 : -end;
  Value isUnderEnd = compare(Predicate::OLT, end);
  Value isFromStart = compare(Predicate::OGE, start);
  Value isInside = arith::AndIOp::create(builder, loc, isUnderEnd, isFromStart);
  Value zero = createFloat(builder, loc, floats, 0);
  Value safe = arith::SelectOp::create(builder, loc, isInside, input, zero);
  Value result = OpT::create(builder, loc, integers, safe);
  if (!isUnsigned)
    result = arith::SelectOp::create(
        builder, loc, compare(Predicate::OLT, start),
        integer(APInt::getSignedMinValue(width)), result);
  APInt largest =
      isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  result = arith::SelectOp::create(builder, loc, compare(Predicate::OGE, end),
                                   integer(largest), result);
  raising.set(op.getResult(), result);
  return success();
}

} // namespace

void addArithmeticRaisings(Raising &raising) {
  raising.add(raiseReciprocal);
  raising.add(raiseWeird);
  raising.add(raiseFloatToInteger<arith::FPToSIOp>);
  raising.add(raiseFloatToInteger<arith::FPToUIOp>);
}

} // namespace gridir::tpu_to_loops
