//===- DotPanels.h - panels and tiles for dot products ---------*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_DOTPANELS_H
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_DOTPANELS_H

#include "dialects/CPU/Transforms/DotProducts.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace gridir::cpu {

/// A panel of the right operand: the words of one step for all columns,
/// followed by those of the next step.
struct DotPanel {
  mlir::Value words;
  /// The contribution of the left operand's bias to each column; null without a
  /// bias.
  mlir::Value excess;
};

/// Emits the loops of a contraction with a dot-product instruction, in
/// registers of this many words.
class DotEmitter {
public:
  DotEmitter(mlir::OpBuilder &builder, mlir::Location loc, DotForm form,
             int64_t lanes)
      : builder(builder), loc(loc), form(form), lanes(lanes) {}

  using ConvertFn = llvm::function_ref<mlir::Value(mlir::Value)>;

  /// Fills a panel from a matrix with a row for each element of a word;
  /// `convert` converts vectors to the element type of the instruction.
  void pack(mlir::Value matrix, const DotPanel &panel, ConvertFn convert);

  /// Adds to `rows` rows of the result, from `row` on, their products with the
  /// panel. The elements of a word lie beside each other in `left`. On vectors
  /// the last word comes first, as the instruction for bf16 takes its elements.
  /// With tiles all sizes are those of whole tiles, and the first comes first.
  void emitTile(mlir::Value left, const DotPanel &panel, mlir::Value result,
                mlir::OpFoldResult row, int64_t rows);

private:
  void emitOnVectors(mlir::Value left, const DotPanel &panel,
                     mlir::Value result, mlir::OpFoldResult row, int64_t rows);
  void emitOnTiles(mlir::Value left, const DotPanel &panel, mlir::Value result,
                   mlir::OpFoldResult row, int64_t rows);
  mlir::Value constant(int64_t value);
  mlir::Value offsetBy(mlir::OpFoldResult base, int64_t offset);
  mlir::Value read(mlir::Value memref, mlir::Value row, mlir::Value column,
                   int64_t count);
  mlir::Value asElements(mlir::Value words);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  DotForm form;
  int64_t lanes;
};

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_DOTPANELS_H
