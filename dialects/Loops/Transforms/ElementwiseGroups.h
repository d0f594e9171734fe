//===- ElementwiseGroups.h - elementwise ops of one loop -------*- C++ -*--===//
//
// Part of the gridir project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GRIDIR_DIALECTS_LOOPS_TRANSFORMS_ELEMENTWISEGROUPS_H
#define GRIDIR_DIALECTS_LOOPS_TRANSFORMS_ELEMENTWISEGROUPS_H

#include "mlir/IR/Operation.h"

#include <algorithm>

namespace gridir::loops {

/// The limits of a `linalg.generic` of elementwise ops.
struct ElementwiseLimits {
  /// Tensors that it reads and makes, whatever the number of ops.
  unsigned maxOperands;
  /// Ops for each tensor, where there are more of them.
  unsigned opsPerOperand;
  /// Ops in its body.
  unsigned maxOps;

  bool allow(unsigned numOps, unsigned numOperands) const {
    return numOps <= maxOps &&
           numOperands <= std::max(maxOperands, numOps / opsPerOperand);
  }
};

/// Turns arithmetic on tensors of one static shape, below `root`, into
/// `linalg.generic`: one for all ops whose results are used only by each other
/// and one last op, if the stores between them allow it. Fusing two at a time
/// would copy the growing body for each op. Beyond the limits there are several
/// groups, in sequence; each computes all values that the later ones read.
void groupElementwiseOps(mlir::Operation *root,
                         const ElementwiseLimits &limits);

} // namespace gridir::loops

#endif // GRIDIR_DIALECTS_LOOPS_TRANSFORMS_ELEMENTWISEGROUPS_H
