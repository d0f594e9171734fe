//===- LaneReduction.h - reductions lane by lane ---------------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CPU_TRANSFORMS_LANEREDUCTION_H
#define GRIDIR_DIALECTS_CPU_TRANSFORMS_LANEREDUCTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace gridir::cpu {

/// A reduction whose elements may be combined in any order, so that each lane
/// of a vector may have an accumulator of its own.
struct LaneReduction {
  /// The initial value of a lane; without it, lanes start from the result
  /// itself, for idempotent functions.
  std::optional<mlir::TypedAttr> neutral;
  /// The elements that the body combines with its accumulators.
  llvm::SmallVector<mlir::Value> elements;
  /// The ops that combine, in order.
  llvm::SmallVector<mlir::Operation *> ops;

  /// The values that the body of `op` yields for other elements and
  /// accumulators, `args` in this order.
  llvm::SmallVector<mlir::Value> combine(mlir::OpBuilder &builder,
                                         mlir::linalg::GenericOp op,
                                         mlir::ValueRange args) const;
};

/// Fails if the result of the body may depend on the order of the elements.
mlir::FailureOr<LaneReduction> matchLaneReduction(mlir::linalg::GenericOp op);

} // namespace gridir::cpu

#endif // GRIDIR_DIALECTS_CPU_TRANSFORMS_LANEREDUCTION_H
