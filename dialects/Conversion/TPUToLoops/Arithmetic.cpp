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

/// The unit saturates and takes NaN to 0, where `arith.fptosi` means nothing.
LogicalResult raiseFPToSI(arith::FPToSIOp op, Raising &raising) {
  using Predicate = arith::CmpFPredicate;
  OpBuilder &builder = raising.builder;
  Location loc = op.getLoc();
  Value input = raising.get(op.getIn());
  Type floats = input.getType(), integers = raising.convertType(op.getType());
  unsigned width = getElementTypeOrSelf(integers).getIntOrFloatBitWidth();
  auto integer = [&](int64_t number) {
    return createScalarOrSplatConstant(
        builder, loc, integers,
        builder.getIntegerAttr(getElementTypeOrSelf(integers), number)
            .getValue());
  };
  Value end = createFloat(builder, loc, floats, std::ldexp(1.0, width - 1));
  Value start = createFloat(builder, loc, floats, -std::ldexp(1.0, width - 1));
  Value isAbove =
      arith::CmpFOp::create(builder, loc, Predicate::OGE, input, end);
  Value isBelow =
      arith::CmpFOp::create(builder, loc, Predicate::OLT, input, start);
  Value isInside = arith::AndIOp::create(
      builder, loc,
      arith::CmpFOp::create(builder, loc, Predicate::OLT, input, end),
      arith::CmpFOp::create(builder, loc, Predicate::OGE, input, start));
  Value zero = createFloat(builder, loc, floats, 0);
  Value safe = arith::SelectOp::create(builder, loc, isInside, input, zero);
  Value result = arith::FPToSIOp::create(builder, loc, integers, safe);
  result = arith::SelectOp::create(builder, loc, isBelow,
                                   integer(llvm::minIntN(width)), result);
  result = arith::SelectOp::create(builder, loc, isAbove,
                                   integer(llvm::maxIntN(width)), result);
  raising.set(op.getResult(), result);
  return success();
}

} // namespace

void addArithmeticRaisings(Raising &raising) {
  raising.add(raiseReciprocal);
  raising.add(raiseWeird);
  raising.add(raiseFPToSI);
}

} // namespace gridir::tpu_to_loops
