//===- ElementPositions.h - Tensors of positions ----------------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_GRID_ANALYSIS_ELEMENTPOSITIONS_H
#define GRIDIR_DIALECTS_GRID_ANALYSIS_ELEMENTPOSITIONS_H

#include "dialects/Grid/Analysis/ElementRanges.h"

namespace gridir::grid {

/// The elements of an integer tensor: a sum of scalars and a constant, plus
/// `steps[d]` times the position along each dimension `d`. It is equal modulo
/// 2^32 to the 32-bit element.
struct Positions {
  llvm::SmallVector<mlir::Value> scalars;
  int64_t constant = 0;
  llvm::SmallVector<int64_t> steps;

  bool isConstant() const {
    return scalars.empty() &&
           llvm::all_of(steps, [](int64_t step) { return step == 0; });
  }
};

/// The positions of a tensor that an op repeats along new dimensions.
Positions broadcastPositions(const Positions &positions,
                             llvm::ArrayRef<int64_t> newDims, unsigned rank);

/// The positions of a tensor in a shape that differs by dimensions of size 1.
std::optional<Positions> reshapePositions(Positions positions,
                                          llvm::ArrayRef<int64_t> from,
                                          llvm::ArrayRef<int64_t> to);

/// Reads tensors as positions.
class PositionReader {
public:
  explicit PositionReader(ElementRanges &ranges) : ranges(ranges) {}

  std::optional<Positions> read(mlir::Value value);

  /// Reads a value in the body of an op without inputs, at each position of its
  /// loops.
  std::optional<Positions> readInside(mlir::linalg::GenericOp op,
                                      mlir::Value value);

private:
  std::optional<Positions> compute(mlir::Value value);
  std::optional<Positions> readClamped(mlir::Value a, mlir::Value b,
                                       bool isMax);
  std::optional<Positions> readBody(mlir::linalg::GenericOp op,
                                    unsigned result);

  ElementRanges &ranges;
  llvm::DenseMap<mlir::Value, std::optional<Positions>> positions;
};

} // namespace gridir::grid

#endif // GRIDIR_DIALECTS_GRID_ANALYSIS_ELEMENTPOSITIONS_H
