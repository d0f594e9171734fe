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

/// The contents of a descriptor of a matrix in shared memory: addresses and
/// strides in bytes.
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
  /// The bytes from an element on; at most 16 are contiguous.
  const char *find(unsigned row, unsigned depth, unsigned bytes) const;
  /// Notes that a unit reads these rows up to a depth.
  void note(const AsyncUnitRef &unit, unsigned firstRow, unsigned numRows,
            unsigned depth, uint32_t flags = Reads | Async) const;
  /// Which of the first rows have undefined elements up to a depth.
  std::vector<Undefined> readUndefined(unsigned rows, unsigned depth) const;

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

} // namespace gridir::ptx

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_SHAREDMATRIX_H
