//===- VectorTarget.h - the vector registers of a CPU ----------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_VECTORTARGET_H
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_VECTORTARGET_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

#include <algorithm>

namespace gridir::cpu {

/// The size of a cache line, on every x86-64 CPU.
constexpr int64_t kLineBytes = 64;

/// The properties of a CPU for the tiling passes, and the tile sizes that
/// follow from them. The numbers are measured; see docs and `benchmarks/`.
struct VectorTarget {
  /// Rows that a loop reads side by side. A processor fetches each of them
  /// ahead; a first-level cache with 8 ways keeps a line of each if they are a
  /// multiple of a page apart.
  static constexpr int64_t kStreams = 8;

  int64_t bytes;
  int64_t registers;

  /// Elements of `type` in one register.
  int64_t getLanes(mlir::Type type) const;

  /// Lanes of the widest type that `op` reads, writes or computes with. A tile
  /// of this many elements takes at most one register for each value.
  int64_t getLanes(mlir::linalg::LinalgOp op) const;

  /// Registers of a tile of an elementwise op, or of a reduced row. More hide
  /// latency until the constants and temporaries of a polynomial spill.
  int64_t getElementwiseUnroll() const { return registers >= 32 ? 4 : 2; }

  /// Accumulators of a reduction along the vector dimension, two of the widest
  /// registers. The order of a sum follows from their number, so that every CPU
  /// has the same.
  static int64_t getAccumulators(mlir::linalg::LinalgOp op) {
    return VectorTarget{/*bytes=*/128, /*registers=*/1}.getLanes(op);
  }

  /// Accumulators of a reduction across the vector dimension, at most: wide
  /// tiles read whole cache lines of many rows.
  int64_t getOuterReductionUnroll() const {
    return std::max<int64_t>(1, registers / 2);
  }

  /// Rows of a contraction tile. With `getContractionColumns` registers per
  /// row, the accumulators, one row of B and a broadcast of A fit.
  int64_t getContractionRows() const { return 6; }

  /// Registers across a row of a contraction tile.
  int64_t getContractionColumns() const { return registers >= 32 ? 4 : 2; }

  /// True if `op` is the innermost tile of a contraction: accumulators that
  /// fit in registers, and one step of the reduction.
  bool isContractionTile(mlir::linalg::LinalgOp op) const;
};

/// Drops the unit dimensions that tiling leaves, so that vectorized ops have
/// one or two dimensions. Returns the op that replaces it.
mlir::linalg::GenericOp dropUnitDims(mlir::RewriterBase &rewriter,
                                     mlir::linalg::GenericOp op);

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_VECTORTARGET_H
