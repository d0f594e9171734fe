//===- StandInTensorMap.cpp - Encoding of tensor maps ---------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StandInDriver.h"
#include "TensorMap.h"

#include <cstring>

using gridir::ptx::TensorMap;
using namespace gridir::stand_in;

namespace {

struct ElementType {
  uint32_t bytes, kind;
};

/// For each of the types of tensor maps, in the order of their numbers: its
/// size, and its type in reductions.
constexpr ElementType kElementTypes[] = {{1, 2}, {2, 2}, {4, 2}, {4, 3}, {8, 2},
                                         {8, 3}, {2, 4}, {4, 4}, {8, 4}, {2, 5},
                                         {4, 4}, {4, 4}, {4, 4}};
constexpr uint64_t kMaxStride = uint64_t(1) << 40;

} // namespace

extern "C" {

/// Sizes, strides and boxes begin with the innermost dimension, which has no
/// stride. Element strides, interleaved layouts and fill values other than 0
/// are not supported.
int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address,
                           const uint64_t *sizes, const uint64_t *strides,
                           const uint32_t *box, const uint32_t *elementStrides,
                           int interleave, int swizzle, int promotion,
                           int fill) {
  (void)promotion;
  constexpr int kNumTypes = sizeof(kElementTypes) / sizeof(kElementTypes[0]);
  if (type >= kNumTypes || interleave || fill)
    return kNotSupported;
  if (type < 0 || rank < 1 || rank > 5 || swizzle < 0 || !address ||
      reinterpret_cast<uint64_t>(address) % 16 ||
      reinterpret_cast<uint64_t>(map) % 64)
    return kInvalidValue;
  if (swizzle > 3)
    return kNotSupported;
  TensorMap result = {};
  result.magic = TensorMap::kMagic;
  result.elementBytes = kElementTypes[type].bytes;
  result.elementKind = kElementTypes[type].kind;
  result.rank = rank;
  result.swizzle = swizzle ? 16 << swizzle : 0;
  result.base = reinterpret_cast<uint64_t>(address);
  const uint32_t innerBytes = box[0] * result.elementBytes;
  if (innerBytes % 16 || (swizzle && innerBytes > result.swizzle))
    return kInvalidValue;
  for (uint32_t i = 0; i < rank; ++i) {
    if (elementStrides[i] != 1)
      return kNotSupported;
    if (!sizes[i] || sizes[i] >> 32 || !box[i] || box[i] > 256 ||
        (i && (strides[i - 1] % 16 || strides[i - 1] >= kMaxStride)))
      return kInvalidValue;
    result.sizes[i] = static_cast<uint32_t>(sizes[i]);
    result.box[i] = box[i];
    if (i)
      result.strides[i - 1] = strides[i - 1];
  }
  std::memcpy(map, &result, sizeof(result));
  return kSuccess;
}

} // extern "C"
