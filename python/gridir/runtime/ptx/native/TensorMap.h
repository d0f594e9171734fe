//===- TensorMap.h - Tensors of global memory that are copied by tiles ----===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_TENSORMAP_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_TENSORMAP_H

#include <cstdint>

namespace gridir::ptx {

/// The 128-byte descriptor of a tensor. A driver's format is not documented;
/// this layout is gridir's own, and `tensor_map.py` writes it.
struct TensorMap {
  static constexpr uint32_t kMagic = 0x50414d54;

  uint32_t magic;
  uint32_t elementBytes;
  uint32_t rank;
  /// Bytes of a row that the swizzle permutes: 0, 32, 64 or 128.
  uint32_t swizzle;
  uint64_t base;
  /// The innermost dimension first, sizes in elements, strides in bytes; the
  /// innermost has none.
  uint32_t sizes[5];
  uint32_t box[5];
  uint64_t strides[4];
  /// `TypeKind`, for reductions.
  uint32_t elementKind;
  uint32_t padding[7];
};

static_assert(sizeof(TensorMap) == 128);

/// Where a byte of a tile lies in shared memory: bits 4 and on of its address
/// are mixed with those from 7 on.
inline uint64_t swizzle(uint64_t address, uint32_t span) {
  const uint64_t bits = span ? span / 16 - 1 : 0;
  return address ^ ((address >> 7 & bits) << 4);
}

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_TENSORMAP_H
