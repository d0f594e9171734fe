//===- Conversion.cpp - Conversions between types -------------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NarrowFloats.h"
#include "Rounding.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

struct IntegralRounding {
  StringLiteral name;
  Intrinsic::ID id;
};

constexpr IntegralRounding kIntegral[] = {{"rni", Intrinsic::roundeven},
                                          {"rzi", Intrinsic::trunc},
                                          {"rmi", Intrinsic::floor},
                                          {"rpi", Intrinsic::ceil}};

/// The adjustments of a conversion.
struct Adjustments {
  Rounding rounding = Rounding::Nearest;
  Intrinsic::ID integral = Intrinsic::not_intrinsic;
  bool flushes = false, saturates = false, isRelu = false;
};

Adjustments takeAdjustments(Emitter &emitter) {
  Adjustments result;
  for (const IntegralRounding &row : kIntegral)
    if (emitter.take(row.name))
      result.integral = row.id;
  result.rounding = takeRounding(emitter).value_or(Rounding::Nearest);
  result.flushes = emitter.take("ftz");
  result.saturates = emitter.take("sat");
  result.isRelu = emitter.take("relu");
  return result;
}

/// A float or double as the bits of an element.
Value *narrow(Emitter &emitter, Value *value, ScalarType to,
              const Adjustments &adjustments) {
  IRBuilder<> &b = emitter.builder;
  if (adjustments.saturates)
    value = emitter.clampToUnit(value);
  if (adjustments.isRelu)
    value = emitter.callIntrinsic(
        Intrinsic::maximum, {value, ConstantFP::get(value->getType(), 0.0)});
  const bool isDouble = value->getType()->isDoubleTy();
  value = emitter.spread(value);
  if (to.bits < (isDouble ? 64u : 32u) &&
      adjustments.rounding != Rounding::Nearest)
    return roundDirected(
        emitter, isDouble ? value : b.CreateFPExt(value, b.getDoubleTy()), to,
        adjustments.rounding);
  if (to.bits == 64 && !isDouble)
    value = b.CreateFPExt(value, b.getDoubleTy());
  if (to.bits == 32 && isDouble)
    value = b.CreateFPTrunc(value, b.getFloatTy());
  if (to.bits == 32 && adjustments.flushes)
    value = emitter.flushDenormal(value);
  return emitter.fromFloat(value, to);
}

Value *widen(Emitter &emitter, Value *bits, ScalarType from,
             const Adjustments &adjustments) {
  Value *value = emitter.toFloat(bits, from);
  if (adjustments.flushes && from.bits == 32)
    value = emitter.flushDenormal(value);
  return value;
}

Value *convertFloatToFloat(Emitter &emitter, Value *bits, ScalarType to,
                           ScalarType from, const Adjustments &adjustments) {
  Value *value = widen(emitter, bits, from, adjustments);
  if (adjustments.integral != Intrinsic::not_intrinsic)
    value = emitter.callIntrinsic(adjustments.integral, value);
  return narrow(emitter, value, to, adjustments);
}

Value *convertFloatToInteger(Emitter &emitter, Value *bits, ScalarType to,
                             ScalarType from, const Adjustments &adjustments) {
  Value *value = widen(emitter, bits, from, adjustments);
  value = emitter.callIntrinsic(adjustments.integral == Intrinsic::not_intrinsic
                                    ? Intrinsic::trunc
                                    : adjustments.integral,
                                value);
  // Too large values become the largest, NaN becomes 0.
  return emitter.dependOn(
      emitter.builder.CreateIntrinsic(
          to.isSigned() ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat,
          {emitter.getBits(to.bits), value->getType()},
          {emitter.freeze(value)}),
      value);
}

Value *convertIntegerToFloat(Emitter &emitter, Value *bits, ScalarType to,
                             ScalarType from, const Adjustments &adjustments) {
  IRBuilder<> &b = emitter.builder;
  const bool isNearest = adjustments.rounding == Rounding::Nearest;
  if (isNearest && to.bits >= 32) {
    Type *type = to.bits == 64 ? b.getDoubleTy() : b.getFloatTy();
    Value *value = from.isSigned() ? b.CreateSIToFP(bits, type)
                                   : b.CreateUIToFP(bits, type);
    return narrow(emitter, emitter.dependOn(value, bits), to, adjustments);
  }
  return roundInteger(emitter, bits, from.isSigned(), to, adjustments.rounding);
}

Value *convertIntegerToInteger(Emitter &emitter, Value *bits, ScalarType to,
                               ScalarType from,
                               const Adjustments &adjustments) {
  IRBuilder<> &b = emitter.builder;
  auto extend = [&](unsigned width) {
    return from.isSigned() ? b.CreateSExt(bits, emitter.getBits(width))
                           : b.CreateZExt(bits, emitter.getBits(width));
  };
  if (!adjustments.saturates)
    return from.bits < to.bits ? extend(to.bits)
                               : b.CreateTrunc(bits, emitter.getBits(to.bits));
  // Wide enough for the values of both types.
  Value *value = extend(128);
  APInt low = to.isSigned() ? APInt::getSignedMinValue(to.bits).sext(128)
                            : APInt(128, 0);
  APInt high = to.isSigned() ? APInt::getSignedMaxValue(to.bits).sext(128)
                             : APInt::getMaxValue(to.bits).zext(128);
  value = emitter.callIntrinsic(Intrinsic::smax, {value, b.getInt(low)});
  value = emitter.callIntrinsic(Intrinsic::smin, {value, b.getInt(high)});
  return b.CreateTrunc(value, emitter.getBits(to.bits));
}

/// Two elements from two operands, the first as the upper one, or from the
/// elements of one.
void emitPacked(Emitter &emitter, ScalarType to, ScalarType from,
                const Adjustments &adjustments) {
  SmallVector<Value *> elements;
  if (from.lanes == 1) {
    emitter.expectOperands(3, 3);
    elements = {emitter.read(2, from), emitter.read(1, from)};
  } else {
    emitter.expectOperands(2, 2);
    elements = emitter.unpack(emitter.read(1, from), from.lanes);
  }
  for (Value *&element : elements)
    element = convertFloatToFloat(emitter, element, to.getElement(),
                                  from.getElement(), adjustments);
  emitter.write(0u, emitter.pack(elements, to.bits));
}

void emitConvert(Emitter &emitter) {
  if (emitNarrowConversion(emitter))
    return;
  ScalarType from = emitter.takeType();
  ScalarType to = emitter.takeType();
  Adjustments adjustments = takeAdjustments(emitter);
  auto isNumber = [](ScalarType type) {
    return type.isFloat() || type.isInteger();
  };
  if (!isNumber(from) || !isNumber(to)) {
    emitter.fail("expected a conversion between integers and floats");
    return;
  }
  if (to.lanes > 1 && to.isFloat() && from.isFloat() &&
      (from.lanes == to.lanes || from.lanes == 1)) {
    emitPacked(emitter, to, from, adjustments);
    return;
  }
  if (to.lanes > 1 || from.lanes > 1) {
    emitter.fail("this conversion of packed values is not implemented");
    return;
  }
  emitter.expectOperands(2, 2);
  const auto convert =
      from.isFloat()
          ? (to.isFloat() ? convertFloatToFloat : convertFloatToInteger)
          : (to.isFloat() ? convertIntegerToFloat : convertIntegerToInteger);
  emitter.write(0u,
                convert(emitter, emitter.read(1, from), to, from, adjustments),
                to.isSigned());
}

constexpr OpcodeRow kRows[] = {{"cvt", emitConvert}};

} // namespace

ArrayRef<OpcodeRow> getConversionRows() { return kRows; }

} // namespace gridir::ptx
