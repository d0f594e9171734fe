//===- GatheredElements.h - loads at positions that are data ---*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_GATHEREDELEMENTS_H
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_GATHEREDELEMENTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

namespace gridir::cpu {

/// True if `load`, in the body of `op`, can read all elements of a vector
/// before `op` writes any.
bool isGather(mlir::linalg::GenericOp op, mlir::memref::LoadOp load);

/// The gathers of an op while it is vectorized: upstream knows only those from
/// tensors.
class Gathers {
public:
  /// Makes each gather of `op` an extraction from a tensor. The tensor is a
  /// cast of the array, which only lives until `finish`.
  Gathers(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op);

  /// Lets the vectors that replaced the op, and extractions that stay scalars,
  /// read the arrays.
  void finish(mlir::RewriterBase &rewriter);

private:
  llvm::SmallVector<mlir::UnrealizedConversionCastOp> casts;
};

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_GATHEREDELEMENTS_H
