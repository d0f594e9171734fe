//===- NarrowFloats.cpp - Conversions of floats of a byte or less ----------- -===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NarrowFloats.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace llvm;

namespace gridir::ptx {

namespace {

/// Pairs of such floats, the second above the first.
struct NarrowFormat {
  StringLiteral name;
  const fltSemantics &(*semantics)();
  /// The bits of one of the pair, with unused ones.
  unsigned bits;
};

constexpr NarrowFormat kFormats[] = {{"e4m3x2", APFloat::Float8E4M3FN, 8},
                                     {"e5m2x2", APFloat::Float8E5M2, 8},
                                     {"e2m3x2", APFloat::Float6E2M3FN, 8},
                                     {"e3m2x2", APFloat::Float6E3M2FN, 8},
                                     {"e2m1x2", APFloat::Float4E2M1FN, 4},
                                     {"ue8m0x2", APFloat::Float8E8M0FNU, 8}};

constexpr StringLiteral kScale = "ue8m0x2";

const NarrowFormat *findNarrow(StringRef name) {
  const auto *found = llvm::find_if(
      kFormats, [&](const NarrowFormat &row) { return row.name == name; });
  return found == std::end(kFormats) ? nullptr : found;
}

/// The exponent alone, rounded up or toward zero; the sign is no matter.
uint32_t encodeScale(float value, bool isUp) {
  const uint32_t bits = bit_cast<uint32_t>(value) & 0x7fffffff;
  if (std::isnan(value))
    return 0xff;
  const uint32_t exponent = (bits >> 23) + (isUp && (bits & 0x7fffff) ? 1 : 0);
  return std::min(exponent, 0xfeu);
}

/// Too large values become the largest; NaN becomes NaN, or the largest where
/// there is none.
uint32_t encodeNarrow(float value, uint32_t number, uint32_t isUp) {
  const NarrowFormat &format = kFormats[number];
  if (format.name == kScale)
    return encodeScale(value, isUp);
  const fltSemantics &semantics = format.semantics();
  const APFloat largest = APFloat::getLargest(semantics);
  if (std::isnan(value))
    return (APFloat::semanticsHasNaN(semantics) ? APFloat::getNaN(semantics)
                                                : largest)
               .bitcastToAPInt()
               .getZExtValue() |
           (format.bits == 8 && APFloat::semanticsHasNaN(semantics) ? 0x7f : 0);
  APFloat result(value);
  bool losesInfo;
  result.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  if (std::isinf(value) || !result.isFinite() ||
      std::fabs(value) > largest.convertToDouble())
    result = std::signbit(value) ? -largest : largest;
  return result.bitcastToAPInt().getZExtValue();
}

float decodeNarrow(uint32_t bits, uint32_t number) {
  const fltSemantics &semantics = kFormats[number].semantics();
  APFloat value(semantics,
                APInt(32, bits).trunc(APFloat::getSizeInBits(semantics)));
  bool losesInfo;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToFloat();
}

/// To a pair of narrow floats, from two floats or a pair of 16 bits.
void emitToNarrow(Emitter &emitter, const NarrowFormat &to) {
  emitter.take(to.name);
  const ScalarType from = emitter.takeType();
  IRBuilder<> &b = emitter.builder;
  if (!emitter.take("satfinite")) {
    emitter.fail("expected '.satfinite' to '." + to.name + "'");
    return;
  }
  const StringRef rounding = emitter.takeOneOf({"rn", "rz", "rp"});
  if ((to.name == kScale) != (rounding == "rz" || rounding == "rp")) {
    emitter.fail("expected '.rn', and '.rz' or '.rp' to '.ue8m0x2'");
    return;
  }
  const bool isRelu = emitter.take("relu");
  SmallVector<Value *> elements;
  if (from.lanes == 2) {
    emitter.expectOperands(2, 2);
    elements = emitter.unpack(emitter.read(1, from), 2);
  } else {
    emitter.expectOperands(3, 3);
    elements = {emitter.read(2, from), emitter.read(1, from)};
  }
  if (!from.isFloat() || from.getElementBits() > 32) {
    emitter.fail("expected a conversion from '.f32', '.f16x2' or '.bf16x2'");
    return;
  }
  for (Value *&element : elements) {
    Value *value = emitter.toFloat(element, from.getElement());
    if (isRelu)
      value = emitter.callIntrinsic(
          Intrinsic::maximum, {value, ConstantFP::get(value->getType(), 0.0)});
    Value *bits = emitter.callRuntime(
        "ptx.encode_narrow", b.getInt32Ty(),
        {value, b.getInt32(&to - kFormats), b.getInt32(rounding == "rp")});
    element =
        emitter.dependOn(b.CreateTrunc(bits, emitter.getBits(to.bits)), value);
  }
  emitter.write(0u, emitter.pack(elements, 2 * to.bits));
}

void emitFromNarrow(Emitter &emitter, const NarrowFormat &from) {
  emitter.take(from.name);
  const ScalarType to = emitter.takeType();
  IRBuilder<> &b = emitter.builder;
  emitter.take("rn");
  const bool isRelu = emitter.take("relu");
  emitter.expectOperands(2, 2);
  if (!to.isFloat() || to.lanes != 2 || to.bits != 32) {
    emitter.fail("expected a conversion to '.f16x2' or '.bf16x2'");
    return;
  }
  SmallVector<Value *> elements =
      emitter.unpack(emitter.readInteger(1, 2 * from.bits), 2);
  for (Value *&element : elements) {
    Value *value = emitter.callRuntime(
        "ptx.decode_narrow", b.getFloatTy(),
        {b.CreateZExt(element, b.getInt32Ty()), b.getInt32(&from - kFormats)});
    value = emitter.dependOn(value, element);
    if (isRelu)
      value = emitter.callIntrinsic(
          Intrinsic::maximum, {value, ConstantFP::get(value->getType(), 0.0)});
    element = emitter.fromFloat(value, to.getElement());
  }
  emitter.write(0u, emitter.pack(elements, to.bits));
}

/// To the upper 19 bits of a float.
void emitToTF32(Emitter &emitter) {
  emitter.takeType();
  emitter.take("tf32");
  const StringRef rounding = emitter.takeOneOf({"rna", "rn", "rz"});
  const bool saturates = emitter.take("satfinite");
  const bool isRelu = emitter.take("relu");
  emitter.expectOperands(2, 2);
  IRBuilder<> &b = emitter.builder;
  Value *bits = emitter.spread(emitter.readInteger(1, 32));
  Value *value = b.CreateBitCast(bits, b.getFloatTy());
  Value *isNaN = b.CreateFCmpUNO(value, value);
  // The carry of the mantissa goes to the exponent.
  Value *added = b.getInt32(0);
  if (rounding == "rna")
    added = b.getInt32(0x1000);
  else if (rounding == "rn")
    added =
        b.CreateAdd(b.CreateAnd(b.CreateLShr(bits, 13), 1), b.getInt32(0xfff));
  Value *isInfinite =
      b.CreateICmpEQ(b.CreateAnd(bits, 0x7fffffff), b.getInt32(0x7f800000));
  Value *result = b.CreateSelect(
      isInfinite, bits, b.CreateAnd(b.CreateAdd(bits, added), 0xffffe000));
  if (saturates) {
    Value *magnitude = b.CreateAnd(result, 0x7fffffff);
    result = b.CreateSelect(
        b.CreateICmpEQ(magnitude, b.getInt32(0x7f800000)),
        b.CreateOr(b.CreateAnd(result, 0x80000000), b.getInt32(0x7f7fe000)),
        result);
  }
  if (isRelu)
    result = b.CreateSelect(b.CreateICmpSLT(result, b.getInt32(0)),
                            b.getInt32(0), result);
  emitter.write(0u, b.CreateSelect(isNaN, b.getInt32(0x7fffffff), result));
}

} // namespace

bool emitNarrowConversion(Emitter &emitter) {
  ArrayRef<StringRef> modifiers = emitter.getModifiers();
  if (modifiers.size() < 2)
    return false;
  const StringRef to = modifiers[modifiers.size() - 2], from = modifiers.back();
  if (to == "tf32" && from == "f32")
    emitToTF32(emitter);
  else if (const NarrowFormat *format = findNarrow(to))
    emitToNarrow(emitter, *format);
  else if (const NarrowFormat *format = findNarrow(from))
    emitFromNarrow(emitter, *format);
  else
    return false;
  return true;
}

std::vector<std::pair<const char *, void *>> getNarrowSymbols() {
  return {{"ptx.encode_narrow", reinterpret_cast<void *>(&encodeNarrow)},
          {"ptx.decode_narrow", reinterpret_cast<void *>(&decodeNarrow)}};
}

} // namespace gridir::ptx
