//===- Rounding.cpp - Rounding that is not to the nearest -----------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations that no instruction of the CPU performs without a change of its
// modes use LLVM's arbitrary-precision arithmetic.
//
//===----------------------------------------------------------------------===//

#include "Rounding.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace llvm;

namespace gridir::ptx {

namespace {

constexpr std::pair<StringLiteral, Rounding> kRoundings[] = {
    {"rn", Rounding::Nearest},
    {"rz", Rounding::TowardZero},
    {"rm", Rounding::Down},
    {"rp", Rounding::Up}};

RoundingMode getMode(uint32_t rounding) {
  constexpr RoundingMode modes[] = {
      RoundingMode::NearestTiesToEven, RoundingMode::TowardZero,
      RoundingMode::TowardNegative, RoundingMode::TowardPositive};
  return modes[rounding];
}

const fltSemantics &getSemantics(uint32_t bits, bool isBFloat) {
  if (bits == 64)
    return APFloat::IEEEdouble();
  if (bits == 32)
    return APFloat::IEEEsingle();
  return isBFloat ? APFloat::BFloat() : APFloat::IEEEhalf();
}

APFloat load(uint64_t value, uint32_t bits) {
  return APFloat(getSemantics(bits, false), APInt(64, value).trunc(bits));
}

uint64_t computeRounded(uint32_t op, uint32_t rounding, uint32_t bits,
                        uint64_t x, uint64_t y, uint64_t z) {
  APFloat result = load(x, bits);
  const RoundingMode mode = getMode(rounding);
  switch (static_cast<RoundedOp>(op)) {
  case RoundedOp::Add:
    result.add(load(y, bits), mode);
    break;
  case RoundedOp::Sub:
    result.subtract(load(y, bits), mode);
    break;
  case RoundedOp::Mul:
    result.multiply(load(y, bits), mode);
    break;
  case RoundedOp::Div:
    result.divide(load(y, bits), mode);
    break;
  case RoundedOp::Fma:
    result.fusedMultiplyAdd(load(y, bits), load(z, bits), mode);
    break;
  }
  return result.bitcastToAPInt().getZExtValue();
}

uint64_t computeNarrowed(double value, uint32_t bits, uint32_t isBFloat,
                         uint32_t rounding) {
  APFloat result(value);
  bool losesInfo;
  result.convert(getSemantics(bits, isBFloat), getMode(rounding), &losesInfo);
  // All NaNs of 16 bits are one.
  if (result.isNaN() && bits == 16)
    return 0x7fff;
  return result.bitcastToAPInt().getZExtValue();
}

uint64_t computeInteger(uint64_t value, uint32_t isSigned, uint32_t bits,
                        uint32_t isBFloat, uint32_t rounding) {
  APFloat result(getSemantics(bits, isBFloat));
  result.convertFromAPInt(APInt(64, value), isSigned, getMode(rounding));
  return result.bitcastToAPInt().getZExtValue();
}

/// A float that rounds to fewer bits as the double does.
float roundToOdd(double value) {
  float result = static_cast<float>(value);
  if (std::isnan(value) || std::isinf(result) || result == value)
    return result;
  uint32_t bits = bit_cast<uint32_t>(result);
  if (std::fabs(result) > std::fabs(value))
    --bits;
  return bit_cast<float>(bits | 1);
}

} // namespace

std::optional<Rounding> takeRounding(Emitter &emitter) {
  for (const auto &[name, rounding] : kRoundings)
    if (emitter.take(name))
      return rounding;
  return std::nullopt;
}

Value *emitRounded(Emitter &emitter, RoundedOp op, Rounding rounding,
                   ScalarType element, ArrayRef<Value *> operands) {
  IRBuilder<> &b = emitter.builder;
  SmallVector<Value *> arguments{b.getInt32(unsigned(op)),
                                 b.getInt32(unsigned(rounding)),
                                 b.getInt32(element.bits)};
  for (Value *operand : operands)
    arguments.push_back(b.CreateZExt(operand, b.getInt64Ty()));
  arguments.resize(6, b.getInt64(0));
  return emitter.dependOn(
      b.CreateTrunc(
          emitter.callRuntime("ptx.rounded", b.getInt64Ty(), arguments),
          emitter.getBits(element.bits)),
      operands);
}

Value *roundDirected(Emitter &emitter, Value *value, ScalarType to,
                     Rounding rounding) {
  IRBuilder<> &b = emitter.builder;
  return emitter.dependOn(
      b.CreateTrunc(
          emitter.callRuntime("ptx.narrowed", b.getInt64Ty(),
                              {value, b.getInt32(to.bits),
                               b.getInt32(to.kind == TypeKind::BFloat),
                               b.getInt32(unsigned(rounding))}),
          emitter.getBits(to.bits)),
      value);
}

Value *roundInteger(Emitter &emitter, Value *bits, bool isSigned, ScalarType to,
                    Rounding rounding) {
  IRBuilder<> &b = emitter.builder;
  Value *wide = isSigned ? b.CreateSExt(bits, b.getInt64Ty())
                         : b.CreateZExt(bits, b.getInt64Ty());
  return emitter.dependOn(
      b.CreateTrunc(
          emitter.callRuntime("ptx.integer", b.getInt64Ty(),
                              {wide, b.getInt32(isSigned), b.getInt32(to.bits),
                               b.getInt32(to.kind == TypeKind::BFloat),
                               b.getInt32(unsigned(rounding))}),
          emitter.getBits(to.bits)),
      bits);
}

ArrayRef<std::pair<const char *, void *>> getMathSymbols() {
  using Unary = float (*)(float);
  static const std::pair<const char *, void *> symbols[] = {
      {"ptx.rounded", reinterpret_cast<void *>(&computeRounded)},
      {"ptx.narrowed", reinterpret_cast<void *>(&computeNarrowed)},
      {"ptx.integer", reinterpret_cast<void *>(&computeInteger)},
      {"ptx.round_to_odd", reinterpret_cast<void *>(&roundToOdd)},
      {"ptx.ex2", reinterpret_cast<void *>(static_cast<Unary>(&exp2f))},
      {"ptx.lg2", reinterpret_cast<void *>(static_cast<Unary>(&log2f))},
      {"ptx.sin", reinterpret_cast<void *>(static_cast<Unary>(&sinf))},
      {"ptx.cos", reinterpret_cast<void *>(static_cast<Unary>(&cosf))},
      {"ptx.tanh", reinterpret_cast<void *>(static_cast<Unary>(&tanhf))}};
  return symbols;
}

} // namespace gridir::ptx
