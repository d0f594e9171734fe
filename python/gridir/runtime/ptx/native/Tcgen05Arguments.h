//===- Tcgen05Arguments.h - Arguments of tcgen05.mma -----------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_TCGEN05ARGUMENTS_H
#define GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_TCGEN05ARGUMENTS_H

#include "TensorMemory.h"

namespace gridir::ptx::tcgen05 {

/// A kind of tcgen05.mma.
struct ProductKind {
  llvm::StringLiteral name;
  unsigned depth;
  /// Scales along the depth of an instruction where it does not say; 0 for
  /// products without scales.
  unsigned scales;
  /// Element types by their numbers in the descriptor; "" for unsupported ones.
  std::array<llvm::StringLiteral, 6> formats;
};

constexpr unsigned kMaskWords = 8;

/// Addresses of tensor memory, descriptors, and other arguments of an
/// instruction.
enum ProductArgument {
  Kind,
  IsPair,
  D,
  IsTensorA,
  A,
  B,
  Descriptor,
  Accumulates,
  Scales,
  ScaleA,
  ScaleB,
  IsSparse,
  Metadata,
  Shift,
  FirstMask,
  NumArguments = FirstMask + kMaskWords
};

/// Reads the operands of an instruction as `ProductArgument`.
void encodeProduct(Encoder &encoder, bool isSparse);

/// The arguments and the instruction descriptor.
struct Product {
  const ProductKind &kind;
  llvm::SmallVector<uint64_t, 2> blocks;
  unsigned formatA = 0, formatB = 0, formatD = 0;
  bool isTransposedA, isTransposedB, isNegativeA, isNegativeB;
  /// Of D as a whole, and of that the rows of a block.
  unsigned rows, columns, blockRows;
  /// The depth, and the stored part of it for A.
  unsigned depth, storedDepth;
  /// Scales along the depth, the byte of the first one in a word, and their
  /// type.
  unsigned scales, firstScaleA, firstScaleB, formatScale = 0;
  /// Which of two columns of metadata is meant.
  unsigned selector;

  explicit Product(const Group &group);

  bool isOfPair() const { return blocks.size() == 2; }
  /// Lanes of D and of A in tensor memory: those of 64 rows of one block are
  /// the lower halves of the quarters.
  unsigned getLane(unsigned row) const {
    return blockRows == 64 && !isOfPair() ? row / 16 * 32 + row % 16 : row;
  }
  /// Calls `body(row, lane, column, columns)` with the parts of D of a block
  /// that lie in one lane; `column` is the first one of the row.
  template <typename Body> void forEachPart(Body body) const {
    // A pair with 64 rows a block has half of the columns in lanes further on.
    const bool isSplit = isOfPair() && blockRows == 64;
    const unsigned width = isSplit ? columns / 2 : columns;
    for (unsigned row = 0; row < blockRows; ++row)
      for (unsigned part = 0; part <= unsigned(isSplit); ++part)
        body(row, getLane(row) + 64 * part, part * width, width);
  }
};

} // namespace gridir::ptx::tcgen05

#endif // GRIDIR_PYTHON_GRIDIR_RUNTIME_PTX_NATIVE_TCGEN05ARGUMENTS_H
