//===- TileNest.h - loops around tiles of one op ---------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_TILENEST_H
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_TILENEST_H

#include "dialects/CPU/Transforms/Tiling.h"

namespace gridir::cpu {

/// Emits a nest of loops around tiles of one op, with full tiles first and
/// smaller ones for the remainder of each dimension.
class TileNest {
public:
  using LeafFn = llvm::function_ref<void(TileNest &)>;

  TileNest(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op,
           const Tiling &tiling, int64_t lanes);

  /// Runs `leaf` inside loops over `dims`, outermost first.
  void emit(llvm::ArrayRef<unsigned> dims, LeafFn leaf);

  llvm::SmallVector<mlir::OpFoldResult> getSizes() const;

  mlir::RewriterBase &rewriter;
  mlir::linalg::GenericOp op;
  const Tiling &tiling;
  int64_t lanes;
  llvm::SmallVector<int64_t> staticRanges;
  llvm::SmallVector<mlir::Range> ranges;
  llvm::SmallVector<mlir::OpFoldResult> offsets;
  llvm::SmallVector<int64_t> tileSizes;
  /// The first accumulator of the tile of a reduced row.
  int64_t firstAccumulator = 0;

private:
  using InnerFn = llvm::function_ref<void(mlir::OpFoldResult, int64_t)>;

  void emitLoop(mlir::Value begin, mlir::Value end, int64_t step,
                InnerFn inner);
  /// After the full tiles one register at a time, then the last lanes.
  int64_t shorten(int64_t size, int64_t rest) const {
    return rest >= size ? size : std::min(lanes, rest);
  }
  /// Covers a static extent by loops over full tiles, then over single
  /// registers, then over the remaining lanes, so that no tile is masked.
  void emitStatic(unsigned dim, int64_t size, InnerFn inner);
  /// The rows of the group that the loop around this one is at.
  void emitGroup(unsigned dim, InnerFn inner);
  /// Reduces a row in tiles of registers, with as many elements at a time as
  /// there are accumulators. The remainder begins at the first accumulator
  /// again; single elements if the size is dynamic.
  void emitRow(unsigned dim, InnerFn inner);
  /// A size that is known at run time only: full tiles, then single elements.
  void emitDynamic(unsigned dim, int64_t size, InnerFn inner);
};

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_TILENEST_H
