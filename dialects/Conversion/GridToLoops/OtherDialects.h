//===- OtherDialects.h - Ops of other dialects in loops -------------------===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_OTHERDIALECTS_H
#define GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_OTHERDIALECTS_H

#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/PatternMatch.h"

namespace gridir {

class KernelLowering;

/// The interface of a dialect whose ops occur in kernels that run as loops.
/// Before `convert-grid-to-loops` analyses a kernel, it converts these ops to
/// those of `grid` and of the upstream dialects that kernels may use.
class GridToLoopsDialectInterface
    : public mlir::DialectInterface::Base<GridToLoopsDialectInterface> {
public:
  GridToLoopsDialectInterface(mlir::Dialect *dialect) : Base(dialect) {}

  /// Adds a pattern for each op. Patterns are not applied to the ops that they
  /// create.
  virtual void populatePatterns(mlir::RewritePatternSet &patterns) const = 0;

  /// Adds patterns for ops that only the loops themselves have other ops for,
  /// such as those of tasks. They run beside those of `grid`.
  virtual void populateLoopPatterns(mlir::RewritePatternSet &patterns,
                                    KernelLowering &lowering) const {}
};

} // namespace gridir

#endif // GRIDIR_DIALECTS_CONVERSION_GRIDTOLOOPS_OTHERDIALECTS_H
