//===- MirroredReads.h - operands that loops walk backwards ----*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_MIRROREDREADS_H
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_MIRROREDREADS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace gridir::cpu {

/// Turns the loads in the body of `op` that follow its loops, such as
/// `x[i, 7 - j]`, into operands. Returns the op that replaces `op`.
mlir::linalg::GenericOp turnLoadsIntoOperands(mlir::RewriterBase &rewriter,
                                              mlir::linalg::GenericOp op);

/// True if `op` may write the memory that `array` is a view of.
bool isWritten(mlir::linalg::GenericOp op, mlir::Value array);

/// Erases the ops of a body whose results nothing uses.
void eraseDeadOps(mlir::RewriterBase &rewriter, mlir::Block &body);

/// The map of an operand as if each loop walked it forwards: `n - 1 - d`, for a
/// loop of n iterations, becomes `d`. None if the result is no projected
/// permutation.
std::optional<mlir::AffineMap> getForwardMap(mlir::AffineMap map,
                                             llvm::ArrayRef<int64_t> ranges);

/// The loops that walk each operand backwards. Maps of the op become forward
/// maps if all operands have one; else nothing changes, and the result is none.
using MirroredLoops = llvm::SmallVector<llvm::SmallVector<unsigned>>;
std::optional<MirroredLoops> walkForwards(mlir::RewriterBase &rewriter,
                                          mlir::linalg::GenericOp op);

/// `vector` with the elements of a dimension in the opposite order.
mlir::Value reverse(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value vector, unsigned dim);

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_MIRROREDREADS_H
