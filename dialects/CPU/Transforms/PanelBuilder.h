//===- PanelBuilder.h - loops over panels, and their copies -----*- C++ -*-===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_PANELBUILDER_H
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_PANELBUILDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace gridir::cpu {

/// A 2-d view of one operand, and whether its second dimension is the one that
/// its name says first: A is (m, k), B is (k, n).
struct Matrix {
  mlir::Value value;
  bool transposed = false;
};

/// Makes the loops, buffers and copies of an op that is divided into panels.
class PanelBuilder {
public:
  PanelBuilder(mlir::RewriterBase &rewriter, mlir::func::FuncOp function,
               mlir::Location loc)
      : rewriter(rewriter), function(function), loc(loc) {}

protected:
  using BodyFn = llvm::function_ref<void(mlir::OpFoldResult)>;
  using ConvertFn = llvm::function_ref<mlir::Value(
      mlir::OpBuilder &, mlir::Location, mlir::Value)>;

  /// Runs `body` for begin, begin + step, ... below end, or from the last of
  /// them to the first.
  void emitLoop(int64_t begin, int64_t end, int64_t step, BodyFn body,
                bool descending = false);

  /// A buffer at the entry of the function, where no loop allocates it.
  mlir::Value allocate(int64_t rows, int64_t columns, mlir::Type type);

  mlir::Value subview(mlir::Value memref, llvm::ArrayRef<mlir::OpFoldResult> at,
                      llvm::ArrayRef<int64_t> sizes);

  /// The part of a matrix from (row, column) on.
  mlir::Value slice(const Matrix &matrix, mlir::OpFoldResult row,
                    mlir::OpFoldResult column, int64_t rows, int64_t columns);

  /// The part of a buffer that is filled next, after the rest is zero.
  mlir::Value padBuffer(mlir::Value buffer, int64_t rows, int64_t columns);

  /// to = convert(from), element by element; `from` may be transposed.
  void copy(mlir::Value from, mlir::Value to, bool transposed,
            ConvertFn convert);

  void fillZero(mlir::Value memref);

  /// `below` if `at` is less than `end`, `rest` otherwise.
  mlir::OpFoldResult select(mlir::OpFoldResult at, int64_t end,
                            mlir::OpFoldResult below, mlir::OpFoldResult rest);

  mlir::RewriterBase &rewriter;
  mlir::func::FuncOp function;
  mlir::Location loc;
};

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_PANELBUILDER_H
