//===- MatrixProduct.cpp - Sums of products of matrices -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled without contraction to fused operations, which would round once.
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"

#include <algorithm>
#include <cstring>

// The same code for processors with wider registers.
#if defined(__x86_64__) && defined(__linux__)
#define GRIDIR_FOR_PROCESSORS                                                  \
  __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define GRIDIR_FOR_PROCESSORS
#endif

namespace gridir::ptx {

namespace {

/// Neighbours of a row that are computed together, and rows at a time.
constexpr unsigned kVectorBytes = 64, kRows = 4;

template <typename T>
[[gnu::always_inline]] inline void
addAll(T *sums, const float *left, const float *right, T *factors,
       unsigned rows, unsigned columns, unsigned depth) {
  typedef T Vector __attribute__((vector_size(kVectorBytes)));
  constexpr unsigned kColumns = kVectorBytes / sizeof(T);
  for (unsigned first = 0; first < columns; first += kColumns) {
    const unsigned count = std::min(kColumns, columns - first);
    for (unsigned k = 0; k < depth; ++k)
      for (unsigned i = 0; i < kColumns; ++i)
        factors[k * kColumns + i] =
            i < count ? static_cast<T>(right[(first + i) * depth + k]) : T(0);
    for (unsigned row = 0; row < rows; row += kRows) {
      Vector sum[kRows] = {};
      const float *x[kRows];
      for (unsigned r = 0; r < kRows; ++r) {
        // Results for rows after the last one are not used.
        const unsigned own = std::min(row + r, rows - 1);
        x[r] = left + size_t(own) * depth;
        std::memcpy(&sum[r], sums + size_t(own) * columns + first,
                    count * sizeof(T));
      }
      Vector sum0 = sum[0], sum1 = sum[1], sum2 = sum[2], sum3 = sum[3];
      for (unsigned k = 0; k < depth; ++k) {
        Vector y;
        std::memcpy(&y, factors + k * kColumns, sizeof(y));
        sum0 += static_cast<T>(x[0][k]) * y;
        sum1 += static_cast<T>(x[1][k]) * y;
        sum2 += static_cast<T>(x[2][k]) * y;
        sum3 += static_cast<T>(x[3][k]) * y;
      }
      const Vector results[kRows] = {sum0, sum1, sum2, sum3};
      for (unsigned r = 0; r < std::min(kRows, rows - row); ++r)
        std::memcpy(sums + size_t(row + r) * columns + first, &results[r],
                    count * sizeof(T));
    }
  }
}

// A template has no clones for processors.
GRIDIR_FOR_PROCESSORS void addOnProcessor(float *sums, const float *left,
                                          const float *right, float *factors,
                                          unsigned rows, unsigned columns,
                                          unsigned depth) {
  addAll(sums, left, right, factors, rows, columns, depth);
}

GRIDIR_FOR_PROCESSORS void addOnProcessor(double *sums, const float *left,
                                          const float *right, double *factors,
                                          unsigned rows, unsigned columns,
                                          unsigned depth) {
  addAll(sums, left, right, factors, rows, columns, depth);
}

} // namespace

template <typename T>
void addProducts(std::vector<T> &sums, const std::vector<float> &left,
                 const std::vector<float> &right, unsigned rows,
                 unsigned columns, unsigned depth) {
  std::vector<T> factors(size_t(depth) * kVectorBytes / sizeof(T));
  addOnProcessor(sums.data(), left.data(), right.data(), factors.data(), rows,
                 columns, depth);
}

template void addProducts(std::vector<float> &, const std::vector<float> &,
                          const std::vector<float> &, unsigned, unsigned,
                          unsigned);
template void addProducts(std::vector<double> &, const std::vector<float> &,
                          const std::vector<float> &, unsigned, unsigned,
                          unsigned);

} // namespace gridir::ptx
