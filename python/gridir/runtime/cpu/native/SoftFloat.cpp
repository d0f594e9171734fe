//===- SoftFloat.cpp - Conversions that generated code may call -----------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A 16-bit float travels in the low bits of an SSE register. Compilers differ
// in whether they know a type for it, so the functions here take and give the
// register.
//
//===----------------------------------------------------------------------===//

#include "SoftFloat.h"

#include "llvm/ADT/APFloat.h"

#include <emmintrin.h>

using namespace llvm;

namespace gridir::cpu {

static __m128i round(APFloat value, const fltSemantics &semantics) {
  bool losesInfo;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return _mm_cvtsi32_si128(
      static_cast<int>(value.bitcastToAPInt().getZExtValue()));
}

static __m128i truncateFloatToHalf(float value) {
  return round(APFloat(value), APFloat::IEEEhalf());
}

static __m128i truncateDoubleToHalf(double value) {
  return round(APFloat(value), APFloat::IEEEhalf());
}

static __m128i truncateFloatToBFloat(float value) {
  return round(APFloat(value), APFloat::BFloat());
}

static __m128i truncateDoubleToBFloat(double value) {
  return round(APFloat(value), APFloat::BFloat());
}

static float extendHalfToFloat(__m128i value) {
  APInt bits(16, _mm_cvtsi128_si32(value) & 0xffff);
  return APFloat(APFloat::IEEEhalf(), bits).convertToFloat();
}

std::array<std::pair<const char *, void *>, 5> getSoftFloatSymbols() {
  return {{{"__truncsfhf2", reinterpret_cast<void *>(&truncateFloatToHalf)},
           {"__truncdfhf2", reinterpret_cast<void *>(&truncateDoubleToHalf)},
           {"__truncsfbf2", reinterpret_cast<void *>(&truncateFloatToBFloat)},
           {"__truncdfbf2", reinterpret_cast<void *>(&truncateDoubleToBFloat)},
           {"__extendhfsf2", reinterpret_cast<void *>(&extendHalfToFloat)}}};
}

} // namespace gridir::cpu
