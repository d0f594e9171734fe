//===- SharedMatrix.h - Matrices that descriptors name ---------------------- -===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_SHAREDMATRIX_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_SHAREDMATRIX_H

#include "Collectives.h"
#include "ElementFormat.h"

namespace gridir::ptx {

/// What a descriptor says of a matrix of shared memory: addresses and strides
/// in bytes.
struct MatrixDescriptor {
  uint64_t start = 0, leading = 0, stride = 0;
  /// Bytes of a row that the swizzle permutes: 0, 32, 64 or 128.
  uint32_t span = 0;

  /// As the products of a warpgroup have it.
  static MatrixDescriptor readWgmma(const Group &group, uint64_t word);
  /// As the fifth generation of tensor cores has it.
  static MatrixDescriptor readTcgen05(const Group &group, uint64_t word);
};

/// A matrix in the shared memory of a block, as tensor cores read it: rows (of
/// A, or columns of B) of elements along the depth, or where it is transposed
/// the other way round.
class SharedMatrix {
public:
  SharedMatrix(const Group &group, uint64_t rank,
               const MatrixDescriptor &descriptor, const ElementFormat &format,
               bool isTransposed)
      : group(group), rank(rank), descriptor(descriptor), format(format),
        isTransposed(isTransposed) {}

  /// The elements of the first rows up to a depth, row by row.
  std::vector<float> read(unsigned rows, unsigned depth) const;
  /// The bytes from an element on, at most 16 of which stay together.
  const char *find(unsigned row, unsigned depth, unsigned bytes) const;
  /// Notes that a unit reads these rows up to a depth.
  void note(const AsyncUnitRef &unit, unsigned firstRow, unsigned numRows,
            unsigned depth) const;

private:
  /// Calls `body(row, depth, count)` with neighbours that lie in one piece.
  template <typename Body>
  void forEachPiece(unsigned firstRow, unsigned numRows, unsigned depth,
                    Body body) const;
  uint64_t getOffset(unsigned row, unsigned depth) const;

  const Group &group;
  uint64_t rank;
  MatrixDescriptor descriptor;
  const ElementFormat &format;
  bool isTransposed;
};

/// Adds to sums, row by row, the products of rows of `left` and of `right`, in
/// the order of the depth.
template <typename T>
void addProducts(std::vector<T> &sums, const std::vector<float> &left,
                 const std::vector<float> &right, unsigned rows,
                 unsigned columns, unsigned depth) {
  // Neighbours of a row of the sums are computed together.
  std::vector<T> factors(size_t(columns) * depth);
  for (unsigned column = 0; column < columns; ++column)
    for (unsigned k = 0; k < depth; ++k)
      factors[k * columns + column] = static_cast<T>(right[column * depth + k]);
  for (unsigned row = 0; row < rows; ++row) {
    T *sum = sums.data() + size_t(row) * columns;
    for (unsigned k = 0; k < depth; ++k) {
      const T x = static_cast<T>(left[row * depth + k]);
      const T *y = factors.data() + size_t(k) * columns;
      for (unsigned column = 0; column < columns; ++column)
        sum[column] += x * y[column];
    }
  }
}

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_SHAREDMATRIX_H
