//===- ElementFormat.cpp - Numbers that matrices are made of --------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementFormat.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace llvm;

namespace gridir::ptx {

namespace {

template <const fltSemantics &(*semantics)()> double decode(uint32_t word) {
  const unsigned bits = APFloat::getSizeInBits(semantics());
  APFloat value(semantics(), APInt(32, word).trunc(bits));
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

template <const fltSemantics &(*semantics)()> uint32_t encode(double number) {
  APFloat value(number);
  bool losesInfo;
  value.convert(semantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

/// Formats of few bits are read from a table.
template <const fltSemantics &(*semantics)(), unsigned bits>
double lookUp(uint32_t word) {
  static const std::vector<double> *table = [] {
    auto *result = new std::vector<double>(1u << bits);
    for (auto [index, value] : llvm::enumerate(*result))
      value = decode<semantics>(index);
    return result;
  }();
  return (*table)[word & ((1u << bits) - 1)];
}

double decodeFloat(uint32_t word) { return bit_cast<float>(word); }

uint32_t encodeFloat(double number) {
  return bit_cast<uint32_t>(static_cast<float>(number));
}

/// Tensor cores read the upper 19 bits of a word.
double decodeTF32(uint32_t word) { return decodeFloat(word & 0xffffe000); }

template <typename T> double decodeInteger(uint32_t word) {
  return static_cast<T>(word);
}

uint32_t encodeInteger(double number) {
  // Sums wrap around.
  return static_cast<uint32_t>(static_cast<int64_t>(number));
}

/// Scales have no sign.
double decodeScale(uint32_t word) {
  return lookUp<APFloat::Float8E4M3FN, 8>(word & 0x7f);
}

constexpr ElementFormat kFormats[] = {
    {"f16", 16, false, lookUp<APFloat::IEEEhalf, 16>,
     encode<APFloat::IEEEhalf>},
    {"bf16", 16, false, lookUp<APFloat::BFloat, 16>, encode<APFloat::BFloat>},
    {"tf32", 32, false, decodeTF32, encodeFloat},
    {"f32", 32, false, decodeFloat, encodeFloat},
    {"e4m3", 8, false, lookUp<APFloat::Float8E4M3FN, 8>,
     encode<APFloat::Float8E4M3FN>},
    {"e5m2", 8, false, lookUp<APFloat::Float8E5M2, 8>,
     encode<APFloat::Float8E5M2>},
    {"s8", 8, true, decodeInteger<int8_t>, encodeInteger},
    {"u8", 8, true, decodeInteger<uint8_t>, encodeInteger},
    {"s32", 32, true, decodeInteger<int32_t>, encodeInteger},
    {"e2m1", 4, false, lookUp<APFloat::Float4E2M1FN, 4>,
     encode<APFloat::Float4E2M1FN>, true},
    {"ue8m0", 8, false, lookUp<APFloat::Float8E8M0FNU, 8>,
     encode<APFloat::Float8E8M0FNU>, true},
    {"ue4m3", 8, false, decodeScale, encode<APFloat::Float8E4M3FN>, true}};

} // namespace

std::optional<unsigned> findFormat(StringRef name) {
  for (auto [number, format] : llvm::enumerate(kFormats))
    if (format.name == name)
      return number;
  return std::nullopt;
}

const ElementFormat &getFormat(unsigned number) { return kFormats[number]; }

bool takeFormats(Emitter &emitter, MutableArrayRef<unsigned> formats) {
  SmallVector<unsigned> found;
  for (StringRef modifier : emitter.getModifiers())
    if (std::optional<unsigned> format = findFormat(modifier);
        format && !getFormat(*format).isOfMemory)
      found.push_back(*format);
  if (found.size() != formats.size())
    return false;
  for (unsigned format : found)
    emitter.take(getFormat(format).name);
  llvm::copy(found, formats.begin());
  return true;
}

} // namespace gridir::ptx
