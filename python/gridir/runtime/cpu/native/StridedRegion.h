//===- StridedRegion.h - Elements at regular distances --------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_STRIDEDREGION_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_STRIDEDREGION_H

#include <array>
#include <cstdint>
#include <vector>

namespace gridir::cpu {

/// The elements of up to two arrays of one shape, each with separate strides.
class StridedRegion {
public:
  struct Dim {
    int64_t size;
    /// The distance of neighbours in each array, in elements.
    std::array<int64_t, 2> strides;
  };

  /// `numArrays` is the number of valid strides.
  StridedRegion(std::vector<Dim> dims, int64_t bytesPerElement,
                unsigned numArrays);

  /// Calls `fn(offset in array 0, offset in array 1, number of bytes)` for each
  /// run of bytes that is contiguous in all arrays, in row-major order.
  template <typename Fn> void forEachRun(Fn fn) const {
    if (empty)
      return;
    std::vector<int64_t> indices(dims.size(), 0);
    std::array<int64_t, 2> offsets = {};
    while (true) {
      fn(offsets[0], offsets[1], runBytes);
      std::size_t d = dims.size();
      while (d-- > 0) {
        move(offsets, d, 1);
        if (++indices[d] < dims[d].size)
          break;
        move(offsets, d, -dims[d].size);
        indices[d] = 0;
      }
      if (d == static_cast<std::size_t>(-1))
        return;
    }
  }

private:
  void move(std::array<int64_t, 2> &offsets, std::size_t d,
            int64_t steps) const {
    for (unsigned i = 0; i < 2; ++i)
      offsets[i] += steps * dims[d].strides[i];
  }

  /// The dimensions that are not part of a run, with strides in bytes.
  std::vector<Dim> dims;
  int64_t runBytes;
  bool empty = false;
};

} // namespace gridir::cpu

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_CPU_NATIVE_STRIDEDREGION_H
