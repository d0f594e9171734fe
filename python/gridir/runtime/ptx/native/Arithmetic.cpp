//===- Arithmetic.cpp - Arithmetic of integers and floats -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rounding.h"

using namespace llvm;

namespace gridir::ptx {

namespace {

using Values = ArrayRef<Value *>;

/// The effect of an opcode on one element of each operand.
struct ArithmeticRow {
  StringLiteral opcode;
  unsigned operands;
  /// With iN, for types of integers; null where there are none.
  Value *(*integer)(Emitter &, ScalarType, Values);
  /// With float or double, for types of floats.
  Value *(*floating)(Emitter &, Values);
  /// Arithmetic that has other roundings than to the nearest.
  std::optional<RoundedOp> rounded = std::nullopt;
  /// Of floats.
  unsigned mostBits = 64;
};

template <BinaryOperator::BinaryOps op>
Value *binary(Emitter &e, Values values) {
  return e.builder.CreateBinOp(op, values[0], values[1]);
}

template <BinaryOperator::BinaryOps op>
Value *integerBinary(Emitter &e, ScalarType, Values values) {
  return e.carry(binary<op>(e, values));
}

template <Intrinsic::ID id> Value *intrinsic(Emitter &e, Values values) {
  return e.callIntrinsic(id, values);
}

/// Of two values or three.
template <Intrinsic::ID id> Value *fold(Emitter &e, Values values) {
  Value *result = values[0];
  for (Value *value : values.drop_front())
    result = e.callIntrinsic(id, {result, value});
  return result;
}

template <Intrinsic::ID isSigned, Intrinsic::ID isUnsigned>
Value *integerFold(Emitter &e, ScalarType type, Values values) {
  return e.dependOn(type.isSigned() ? fold<isSigned>(e, values)
                                    : fold<isUnsigned>(e, values),
                    values);
}

Value *reciprocal(Emitter &e, Values values) {
  return e.builder.CreateFDiv(ConstantFP::get(values[0]->getType(), 1.0),
                              values[0]);
}

Value *reciprocalRoot(Emitter &e, Values values) {
  return reciprocal(e, e.callIntrinsic(Intrinsic::sqrt, values));
}

/// A division by 0 has no result that the manual names; all bits are set, as
/// on the hardware, and the remainder is the dividend.
template <bool isRemainder>
Value *divide(Emitter &e, ScalarType type, Values values) {
  IRBuilder<> &b = e.builder;
  Type *ty = values[0]->getType();
  Value *one = ConstantInt::get(ty, 1);
  Value *minusOne = ConstantInt::getAllOnesValue(ty);
  // Neither may trap: x / 0 and the smallest number / -1.
  Value *isZero = b.CreateIsNull(values[1]);
  Value *isMinusOne =
      type.isSigned() ? b.CreateICmpEQ(values[1], minusOne) : b.getFalse();
  // An undefined divisor is no fault; an undefined quotient may be one.
  Value *divisor =
      e.freeze(b.CreateSelect(b.CreateOr(isZero, isMinusOne), one, values[1]));
  if (isRemainder) {
    Value *result = type.isSigned() ? b.CreateSRem(values[0], divisor)
                                    : b.CreateURem(values[0], divisor);
    return e.dependOn(b.CreateSelect(isZero, values[0], result), values);
  }
  Value *result = type.isSigned() ? b.CreateSDiv(values[0], divisor)
                                  : b.CreateUDiv(values[0], divisor);
  result = b.CreateSelect(isMinusOne, b.CreateNeg(values[0]), result);
  return e.dependOn(b.CreateSelect(isZero, minusOne, result), values);
}

Value *callMath(Emitter &e, StringRef name, Values values) {
  return e.dependOn(e.callRuntime(name, e.builder.getFloatTy(), values),
                    values);
}

Value *negate(Emitter &e, ScalarType, Values values) {
  return e.carry(e.builder.CreateNeg(values[0]));
}

Value *magnitude(Emitter &e, ScalarType, Values values) {
  return e.spread(
      e.callIntrinsic(Intrinsic::abs, {values[0], e.builder.getFalse()}));
}

/// |x - y| + z
Value *sumDifference(Emitter &e, ScalarType type, Values values) {
  IRBuilder<> &b = e.builder;
  Value *isLess = type.isSigned() ? b.CreateICmpSLT(values[0], values[1])
                                  : b.CreateICmpULT(values[0], values[1]);
  Value *difference = b.CreateSelect(isLess, b.CreateSub(values[1], values[0]),
                                     b.CreateSub(values[0], values[1]));
  return e.carry(b.CreateAdd(e.spread(difference), values[2]));
}

constexpr ArithmeticRow kRows[] = {
    {"add", 2, integerBinary<BinaryOperator::Add>, binary<BinaryOperator::FAdd>,
     RoundedOp::Add},
    {"sub", 2, integerBinary<BinaryOperator::Sub>, binary<BinaryOperator::FSub>,
     RoundedOp::Sub},
    {"mul", 2, nullptr, binary<BinaryOperator::FMul>, RoundedOp::Mul},
    {"div", 2, divide<false>, binary<BinaryOperator::FDiv>, RoundedOp::Div},
    {"rem", 2, divide<true>, nullptr},
    {"fma", 3, nullptr, intrinsic<Intrinsic::fma>, RoundedOp::Fma},
    {"mad", 3, nullptr, intrinsic<Intrinsic::fma>, RoundedOp::Fma},
    {"min", 2, integerFold<Intrinsic::smin, Intrinsic::umin>,
     fold<Intrinsic::minimumnum>},
    {"max", 2, integerFold<Intrinsic::smax, Intrinsic::umax>,
     fold<Intrinsic::maximumnum>},
    {"abs", 1, magnitude, intrinsic<Intrinsic::fabs>},
    {"neg", 1, negate,
     [](Emitter &e, Values v) { return e.builder.CreateFNeg(v[0]); }},
    {"sad", 3, sumDifference, nullptr},
    {"copysign", 2, nullptr,
     [](Emitter &e, Values v) {
       return e.callIntrinsic(Intrinsic::copysign, {v[1], v[0]});
     }},
    {"sqrt", 1, nullptr, intrinsic<Intrinsic::sqrt>},
    {"rsqrt", 1, nullptr, reciprocalRoot},
    {"rcp", 1, nullptr, reciprocal},
    {"ex2", 1, nullptr,
     [](Emitter &e, Values v) { return callMath(e, "ptx.ex2", v); },
     std::nullopt, 32},
    {"lg2", 1, nullptr,
     [](Emitter &e, Values v) { return callMath(e, "ptx.lg2", v); },
     std::nullopt, 32},
    {"sin", 1, nullptr,
     [](Emitter &e, Values v) { return callMath(e, "ptx.sin", v); },
     std::nullopt, 32},
    {"cos", 1, nullptr,
     [](Emitter &e, Values v) { return callMath(e, "ptx.cos", v); },
     std::nullopt, 32},
    {"tanh", 1, nullptr,
     [](Emitter &e, Values v) { return callMath(e, "ptx.tanh", v); },
     std::nullopt, 32}};

/// Products of integers: their lower half, their upper half or all of them.
void emitProduct(Emitter &emitter, ScalarType type, bool adds) {
  StringRef part = emitter.takeOneOf({"lo", "hi", "wide"});
  if (part.empty()) {
    emitter.fail("expected '.lo', '.hi' or '.wide' for integers");
    return;
  }
  emitter.expectOperands(adds ? 4 : 3, adds ? 4 : 3);
  IRBuilder<> &b = emitter.builder;
  Value *x = emitter.read(1, type), *y = emitter.read(2, type);
  Value *result;
  if (part == "lo") {
    result = emitter.carry(b.CreateMul(x, y));
  } else {
    Type *wide = emitter.getBits(2 * type.bits);
    result = type.isSigned()
                 ? b.CreateMul(b.CreateSExt(x, wide), b.CreateSExt(y, wide))
                 : b.CreateMul(b.CreateZExt(x, wide), b.CreateZExt(y, wide));
    result = emitter.dependOn(result, {x, y});
    if (part == "hi")
      result = b.CreateTrunc(b.CreateLShr(result, type.bits),
                             emitter.getBits(type.bits));
  }
  if (adds)
    result = emitter.carry(b.CreateAdd(
        result,
        emitter.readInteger(3, result->getType()->getIntegerBitWidth())));
  emitter.write(0u, result, type.isSigned());
}

/// The modifiers of all float arithmetic.
struct FloatModifiers {
  Rounding rounding = Rounding::Nearest;
  bool flushes = false, saturates = false, isRelu = false, keepsNaN = false;
};

FloatModifiers takeFloatModifiers(Emitter &emitter) {
  FloatModifiers result;
  result.rounding = takeRounding(emitter).value_or(Rounding::Nearest);
  result.flushes = emitter.take("ftz");
  result.saturates = emitter.take("sat");
  result.isRelu = emitter.take("relu");
  result.keepsNaN = emitter.take("NaN");
  // Approximations are better here than they have to be.
  emitter.takeOneOf({"approx", "full"});
  return result;
}

Value *computeFloat(Emitter &emitter, const ArithmeticRow &row, Values bits,
                    ScalarType element, const FloatModifiers &modifiers) {
  if (modifiers.rounding != Rounding::Nearest) {
    if (row.rounded && element.bits >= 32)
      return emitRounded(emitter, *row.rounded, modifiers.rounding, element,
                         bits);
    emitter.fail("this rounding of '" + row.opcode + "' is not implemented");
  }
  // The sum of a product of 16 bits is rounded once: from a double.
  const bool isNarrowFma = row.rounded == RoundedOp::Fma && element.bits == 16;
  const bool flushes = modifiers.flushes && element.bits == 32;
  SmallVector<Value *> values;
  for (Value *operand : bits) {
    Value *value = emitter.toFloat(operand, element);
    if (isNarrowFma)
      value = emitter.builder.CreateFPExt(value, emitter.builder.getDoubleTy());
    values.push_back(flushes ? emitter.flushDenormal(value) : value);
  }
  Value *result;
  if (modifiers.keepsNaN)
    result = row.opcode == "min" ? fold<Intrinsic::minimum>(emitter, values)
                                 : fold<Intrinsic::maximum>(emitter, values);
  else
    result = row.floating(emitter, values);
  if (flushes)
    result = emitter.flushDenormal(result);
  if (modifiers.saturates)
    result = emitter.clampToUnit(result);
  if (modifiers.isRelu)
    result = emitter.callIntrinsic(
        Intrinsic::maximum, {result, ConstantFP::get(result->getType(), 0.0)});
  return emitter.fromFloat(result, element);
}

void emitRow(Emitter &emitter, const ArithmeticRow &row) {
  ScalarType type = emitter.takeType();
  if (type.isInteger() && !row.integer &&
      (row.opcode == "mul" || row.opcode == "mad")) {
    emitProduct(emitter, type, row.opcode == "mad");
    return;
  }
  const bool isExtreme = row.opcode == "min" || row.opcode == "max";
  if (type.isFloat() ? !row.floating || type.getElementBits() > row.mostBits
                     : !row.integer) {
    emitter.fail("'" + row.opcode + "' of this type is not implemented");
    return;
  }
  // Only extremes may be of three.
  const unsigned most = row.operands + 1 + (isExtreme && type.isFloat());
  emitter.expectOperands(row.operands + 1, most);
  const bool isSum = row.opcode == "add" || row.opcode == "sub";
  // All but the last operand may have 16 bits where the result has 32.
  const ScalarType narrow = type;
  const bool isMixed = (isSum || row.opcode == "fma") && type.isFloat() &&
                       type.bits == 16 && emitter.take("f32");
  if (isMixed)
    type = ScalarType{TypeKind::Float, 32, 1};
  SmallVector<SmallVector<Value *>> operands;
  for (unsigned i = 1; i < std::max(emitter.getNumOperands(), row.operands + 1);
       ++i) {
    Value *value;
    if (isMixed && i < row.operands)
      value = emitter.fromFloat(
          emitter.toFloat(emitter.read(i, narrow), narrow), type);
    else
      value = emitter.read(i, type);
    operands.push_back(emitter.unpack(value, type.lanes));
  }
  FloatModifiers modifiers;
  const bool isSaturated = type.isSigned() && isSum && emitter.take("sat");
  const bool isRelu = type.isSigned() && isExtreme && emitter.take("relu");
  if (type.isFloat())
    modifiers = takeFloatModifiers(emitter);
  SmallVector<Value *> results;
  for (unsigned lane = 0; lane < type.lanes; ++lane) {
    SmallVector<Value *> bits;
    for (ArrayRef<Value *> operand : operands)
      bits.push_back(operand[lane]);
    if (type.isFloat())
      results.push_back(
          computeFloat(emitter, row, bits, type.getElement(), modifiers));
    else if (isSaturated)
      results.push_back(emitter.dependOn(
          emitter.callIntrinsic(row.opcode == "add" ? Intrinsic::sadd_sat
                                                    : Intrinsic::ssub_sat,
                                bits),
          bits));
    else
      results.push_back(row.integer(emitter, type.getElement(), bits));
    if (isRelu)
      results.back() = emitter.callIntrinsic(
          Intrinsic::smax,
          {results.back(), ConstantInt::get(results.back()->getType(), 0)});
  }
  emitter.write(0u, emitter.pack(results, type.bits), type.isSigned());
}

} // namespace

bool emitArithmetic(Emitter &emitter) {
  if (emitFirstOfCarry(emitter))
    return true;
  for (const ArithmeticRow &row : kRows)
    if (row.opcode == emitter.instruction.opcode) {
      emitRow(emitter, row);
      return true;
    }
  return false;
}

} // namespace gridir::ptx
